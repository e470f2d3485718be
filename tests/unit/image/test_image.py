"""Images are written and read back, have the same bytes every time, and are refused if they are not whole."""

import contextlib
import hashlib
import os
import struct
import subprocess
import sys
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import ImageError, RuntimeFault
from gradmote.formats import records
from gradmote.formats.image import read_image
from gradmote.formats.image.read import read_programs
from gradmote.generated.opcodes import OPCODES
from gradmote.generated.records import CONSTANT_BIT, FORMAT_VERSION, IMAGE_MAGIC
from gradmote_runtime import Session
from support.oracle import examples, make_model, node, values


def classifier(hidden=4, frozen_seed=2):
    """Return two layers; the tests that say so freeze the first."""
    nodes = [
        node("Gemm", "x w b", "h"),
        node("Tanh", "h", "a"),
        node("Dropout", "a", "d", name="drop"),
        node("MatMul", "d v", "y"),
    ]
    weights = {"w": values(frozen_seed, 3, hidden), "b": values(3, hidden), "v": values(4, hidden, 5)}
    return make_model(nodes, weights, {"x": ("N", 3)})


@cache
def make(batch=2, accumulate=False, optimizer="adamw", freeze=(), strip_names=False, **model):
    artifacts = build_artifacts(
        classifier(**model), None, losses.cross_entropy(), optimizers.OPTIMIZERS[optimizer](), freeze=freeze or None
    )
    return compile_image(artifacts, Options(batch=batch, accumulate=accumulate, strip_names=strip_names))


# ---- Round trip


@pytest.mark.parametrize("accumulate", [False, True])
def test_instructions_are_read_as_they_were_written(accumulate):
    made = make(accumulate=accumulate)
    image = read_image(made.image)
    assert [p["kind"] for p in image.programs] == [p.kind for p in made.compiled.programs]
    for read, program in zip(image.programs, made.compiled.programs):
        assert [i["opcode"] for i in read["instructions"]] == [i.opcode for i in program.instructions]
        assert read["work"] == sum(i.work for i in program.instructions)
        for found, written in zip(read["instructions"], program.instructions):
            assert_same_fields(found, written, made.layout)


def assert_same_fields(found, written, layout):
    kinds = OPCODES[written.opcode]["params"]
    for name, value in written.params.items():
        kind, choices = kinds[name]
        expected = value if choices else np.float32(value) if kind == "f32" else value
        assert found["params"][name] == expected
    for name, ref in written.operands.items():
        if ref is None:
            assert found["operands"][name] == "none"
        elif ref.buffer.region in ("parameter", "slot", "control", "gradient", "input"):
            assert found["operands"][name] == f"arena+{layout.offsets[ref.buffer] + ref.offset}"
        else:
            assert found["operands"][name].startswith("constants+" if ref.buffer.region == "constant" else "arena+")


def test_state_and_tensors_are_read_as_they_were_written():
    made = make(accumulate=True)
    image = read_image(made.image)
    parameters = [row for row in image.state if row["role"] == "parameter"]
    assert [(r["name"], tuple(r["shape"])) for r in parameters] == [("w", (3, 4)), ("b", (4,)), ("v", (4, 5))]
    assert all(r["gradient"] is not None for r in parameters)
    slots = {r["name"]: tuple(r["shape"]) for r in image.state if r["role"] == "slot"}
    assert slots["v_moment1"] == slots["v_moment2"] == (4, 5) and slots["bias_correction"] == (2,)
    tensors = {(t["name"], t["role"]): t for t in image.tensors}
    assert tuple(tensors["x", "input"]["shape"]) == (2, 3) and tensors["labels", "label"]["dtype"] == "i32"
    assert tensors["x", "input"]["programs"] == ["infer", "eval", "train"]
    ends = [r["offset"] + r["size"] for r in image.state]
    assert [r["offset"] for r in image.state[1:]] == ends[:-1] and ends[-1] == image.header["state_size"]


def test_session_starts_from_the_model_s_weights():
    with Session(make().image, "strict") as session:
        np.testing.assert_array_equal(np.array(session.parameter("v")), values(4, 4, 5))


def test_stripped_names():
    named, stripped = make().image, make(strip_names=True).image
    assert len(stripped) < len(named) and b"v_moment1" in named and b"v_moment1" not in stripped
    assert all(row["name"] == "" for row in read_image(stripped).state)
    with Session(stripped, "strict") as session:
        assert session.parameter_names() == ["0", "1", "2"]
        assert session.state_sha256() == Session(named, "strict").state_sha256()


def test_work_of_more_than_32_bits_is_read():
    program = records.pack("program", {"kind": 0, "work_low": 5, "work_high": 3})
    assert read_programs({"programs": program, "code": b""})[0]["work"] == 3 * 2**32 + 5


def test_reading_from_a_path(tmp_path: Path):
    path = tmp_path / "model.mote"
    path.write_bytes(make().image)
    assert read_image(path).model_id == read_image(make().image).model_id
    with pytest.raises(ImageError, match="cannot read"):
        read_image(tmp_path / "absent.mote")


# ---- Determinism and identity

SCRIPT = """
import hashlib, sys
sys.path[:0] = {path!r}
from image_under_test import make
for accumulate in (False, True):
    print(hashlib.sha256(make(accumulate=accumulate).image).hexdigest())
"""


def test_same_bytes_in_processes_with_other_hash_seeds(tmp_path: Path):
    (tmp_path / "image_under_test.py").write_text(Path(__file__).read_text())
    script = SCRIPT.format(path=[str(tmp_path), *sys.path])
    digests = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for seed in ("1", "2718")
    ]
    here = [hashlib.sha256(make(accumulate=a).image).hexdigest() for a in (False, True)]
    assert digests[0] == digests[1] == here


def model_id(**options):
    return read_image(make(**options).image).model_id


def test_model_id_names_the_state_and_the_frozen_weights():
    assert model_id(batch=1) == model_id(batch=8) == model_id(accumulate=True) == model_id(strip_names=True)
    others = [
        model_id(hidden=5),
        model_id(optimizer="sgd"),
        model_id(freeze=("w",)),
        model_id(freeze=("w",), frozen_seed=9),
    ]
    assert len({model_id(), *others}) == 5


def test_checkpoint_moves_between_batches_and_not_between_models():
    one, eight, other = (Session(make(**o).image, "strict") for o in ({"batch": 1}, {"batch": 8}, {"hidden": 5}))
    one.step(values(1, 1, 3), np.array([3]))
    eight.load(one.save())
    assert eight.state_sha256() == one.state_sha256()
    before = other.state_sha256()
    with pytest.raises(RuntimeFault) as caught:
        other.load(one.save())
    assert caught.value.name == "WRONG_MODEL" and other.state_sha256() == before


# ---- Damage


def refused(data):
    with pytest.raises(ImageError):
        read_image(data)
    with pytest.raises(RuntimeFault):
        Session(data, "strict")


@pytest.mark.parametrize("data", [b"", b"M", bytes(16), bytes(4096), b"MOTE", b"\x89PNG" * 100], ids=repr)
def test_what_is_no_image_is_refused(data):
    refused(data)


@examples(150)
@given(st.integers(0, len(make().image) - 1))
def test_truncated_images_are_refused(length):
    refused(make().image[:length])


@examples(250)
@given(st.one_of(st.integers(0, 8 * 160 - 1), st.integers(0, 8 * len(make().image) - 1)))
def test_flipped_bits_are_refused(bit):
    data = bytearray(make().image)
    data[bit // 8] ^= 1 << bit % 8
    refused(bytes(data))


@examples(60)
@given(st.binary(max_size=600))
def test_random_bytes_behind_a_sound_beginning_are_refused(tail):
    refused(struct.pack("<4I", IMAGE_MAGIC, FORMAT_VERSION, 16 + len(tail), zlib.crc32(tail)) + tail)


#: Larger ones a test need not allocate.
LARGE_ARENA = 1 << 20


def with_checksum(data):
    (size,) = struct.unpack_from("<I", data, 8)
    return data[:12] + struct.pack("<I", zlib.crc32(data[16:size])) + data[16:]


@examples(250)
@given(
    st.one_of(st.integers(4, 40), st.integers(4, len(make().image) // 4 - 1)),
    st.one_of(st.sampled_from([0, 1, 0x7FFFFFFF, CONSTANT_BIT, 0xFFFFFFFF]), st.integers(0, 2**32 - 1)),
)
def test_changed_words_under_a_right_checksum_do_no_harm(word, value):
    """Who writes the checksum may write anything: both readers accept or refuse by their own error, nothing else."""
    data = bytearray(make().image)
    data[4 * word : 4 * word + 4] = struct.pack("<I", value)
    data = with_checksum(bytes(data))
    with contextlib.suppress(ImageError):
        read_image(data)
    with contextlib.suppress(RuntimeFault):
        if Session.required(data)["arena_size"] < LARGE_ARENA:
            Session(data, "strict").close()
