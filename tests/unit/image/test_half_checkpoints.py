"""Checkpoints of encoding "half": what comes back, what they cost in accuracy, and what training makes of them."""

from __future__ import annotations

import json
import struct
import zlib

import numpy as np
import onnxruntime
import pytest
from fuzz import seeds
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from gradmote import optimizers
from gradmote.artifacts.export import trained_model
from gradmote.cli import app
from gradmote.compiler.sample_store import StoreOptions
from gradmote.errors import CheckpointError, RuntimeFault
from gradmote.formats import checkpoint, narrow_floats
from gradmote.formats.image import read_image
from gradmote.training import CheckpointState
from gradmote_runtime import Session
from support import digits
from support.sampling import at_most

BATCH = 8
ODD = seeds.image_of("dense", optimizers.adamw(), store=StoreOptions(3))
NUMBERS = ("parameter", "slot", "statistic")
RATE = 0.003


def is_packed(row: dict) -> bool:
    return row["role"] in NUMBERS and row["size"] >= 16


# ---- What comes back -------------------------------------------------------------------------------------------------

WORDS = st.integers(0, 2**32 - 1) | st.sampled_from([0, 1, 0x80000000, 0x80000001, 0x7F800000, 0xFFC00000, 0x7F7FFFFF])


@settings(max_examples=at_most(60))
@given(st.data())
def test_any_state_comes_back_rounded_and_all_else_exactly(data):
    table = read_image(ODD).state
    with Session(ODD, "strict") as session:
        size = len(session.state())
        drawn = np.random.default_rng(data.draw(st.integers(0, 999))).integers(0, 2**32, size // 4, np.uint32)
        for at, word in data.draw(st.dictionaries(st.integers(0, size // 4 - 1), WORDS, max_size=60)).items():
            drawn[at] = word
        session.state()[:] = drawn.tobytes()
        session.lazy_reset_grad()
        before = bytes(session.state())
        plain, packed = session.save(), session.save(half=True)
        assert packed == checkpoint.as_half(plain) and len(packed) < len(plain)
        session.load(packed)
        after = bytes(session.state())
        assert session.save() == checkpoint.as_plain(packed)
        assert checkpoint.as_half(checkpoint.as_plain(packed)) == packed == session.save(half=True)
    numbers = np.zeros(size, bool)
    for row in filter(is_packed, table):
        place = slice(row["offset"], row["offset"] + row["size"])
        numbers[place] = True
        scale, halves = narrow_floats.to_half(np.frombuffer(before[place], "<f4"))
        assert narrow_floats.from_half(scale, halves).tobytes() == after[place]
    both = np.frombuffer(before, np.uint8), np.frombuffer(after, np.uint8)
    assert np.array_equal(both[0][~numbers], both[1][~numbers]) and 0 < numbers.sum() < size


def test_a_small_second_moment_stays_one_and_the_next_step_small():
    """Check a weight whose gradients are far below those of others.

    If its second moment became 0, the update would be its first moment over epsilon.
    """
    image = digits.image(optimizers.adamw(RATE, weight_decay=0.0), BATCH)
    where = {row["name"]: slice(row["offset"], row["offset"] + row["size"]) for row in read_image(image).state}
    with Session(image) as session:
        first, second = (session.state()[where[f"0.weight_moment{n}"]].cast("f") for n in (1, 2))
        for i, scale in ((0, 1.0), (64, 3e-7)):  # of two rows
            first[i], second[i] = 0.1 * scale, 0.01 * scale**2
        rates = session.state()[where["bias_correction"]].cast("f")
        rates[0], rates[1] = 0.9, 0.9
        session.load(session.save(half=True))
        assert second[64] > 0 and first[64] == pytest.approx(3e-8, rel=1e-3)
        before = np.array(session.parameter("0.weight")).ravel()
        session.step(np.zeros((BATCH, 64), np.float32), np.zeros(BATCH, np.int32))
        moved = np.abs(np.array(session.parameter("0.weight")).ravel() - before)
    assert moved[64] < moved[0] < 2 * RATE


def test_infinity_and_nan_are_kept():
    with Session(ODD, "strict") as session:
        weights = session.parameter("w1").cast("B").cast("f")
        weights[0], weights[1], weights[2], weights[3] = np.inf, -np.inf, np.nan, 1.0
        session.load(session.save(half=True))
        assert list(weights[:2]) == [np.inf, -np.inf] and np.isnan(weights[2]) and weights[3] == 1.0


# ---- What it costs ---------------------------------------------------------------------------------------------------


def accuracy(session: Session, x: np.ndarray, y: np.ndarray) -> float:
    rows = [np.array(session.infer(x[i : i + BATCH])[0]).argmax(1) for i in range(0, len(x) - BATCH + 1, BATCH)]
    return float((np.concatenate(rows) == y[: len(rows) * BATCH]).mean())


def train(session: Session, first: int, last: int) -> list[float]:
    data = digits.batches(BATCH, 150)
    return [session.step(x, y.astype(np.int32)) for x, y in (data[i % 150] for i in range(first, last))]


@pytest.fixture(scope="module")
def learned() -> tuple[bytes, bytes, bytes]:
    """(image, plain checkpoint, half) of an MLP that has seen 1,200 digits five times, with AdamW."""
    image = digits.image(optimizers.adamw(RATE), BATCH)
    with Session(image) as session:
        train(session, 0, 750)
        return image, session.save(), session.save(half=True)


def test_digits_are_recognised_as_before_in_half_the_bytes(learned):
    image, plain, packed = learned
    x, y = (part[1200:] for part in digits.samples())
    found = {}
    with Session(image) as session:
        for name, data in (("plain", plain), ("half", packed)):
            session.load(data)
            found[name] = accuracy(session, x, y)
    print(f"accuracy {found}, bytes {len(plain)} and {len(packed)}")
    assert found["plain"] > 0.88 and abs(found["half"] - found["plain"]) <= 0.005
    assert len(packed) < 0.53 * len(plain)


def test_training_goes_on_without_a_jump_in_the_loss(learned):
    image, plain, packed = learned
    curves = []
    for data in (plain, packed):
        with Session(image) as session:
            session.load(data)
            curves.append(train(session, 750, 900))
    exact, rounded = map(np.array, curves)
    print(f"mean loss {exact.mean():.5f} and {rounded.mean():.5f}, furthest apart {np.abs(exact - rounded).max():.5f}")
    assert np.abs(exact - rounded).max() < 0.02 and rounded.mean() == pytest.approx(exact.mean(), rel=0.01)


# ---- The host --------------------------------------------------------------------------------------------------------


def test_the_better_model_comes_from_a_half_checkpoint(learned):
    image, _, packed = learned
    x = digits.samples()[0][1200:1208]
    with Session(image) as session:
        session.load(packed)
        expected = np.array(session.infer(x)[0])
    model = trained_model(digits.model(), packed).SerializeToString()
    (found,) = onnxruntime.InferenceSession(model).run(None, {"x": x})
    assert np.allclose(found, expected, atol=1e-5)


def test_the_desks_checkpoints_pack_and_keep_their_properties(tmp_path):
    state = checkpoint.pack({"w": np.linspace(-3, 5, 20, dtype=np.float32).reshape(4, 5)})
    trailer = checkpoint.properties_trailer.pack({"author": "me"})
    packed = checkpoint.as_half(state + trailer)
    found = checkpoint.unpack(packed)
    assert found.encoding == "half" and found.properties == {"author": "me"} and len(packed) < len(state + trailer)
    assert np.allclose(found.tensors["w"], checkpoint.unpack(state).tensors["w"], rtol=1 / 2048)
    (tmp_path / "half.gmck").write_bytes(packed)
    assert CheckpointState.load_checkpoint(tmp_path / "half.gmck").properties["author"] == "me"
    nominal = checkpoint.pack({"w": np.zeros((4, 5), np.float32)}, nominal=True)
    assert checkpoint.as_half(nominal) == nominal


def changed(data: bytes, word: int, value: int) -> bytes:
    data = data[: 4 * word] + struct.pack("<I", value) + data[4 * word + 4 :]
    return data[:12] + struct.pack("<I", zlib.crc32(data[16:])) + data[16:]


def test_an_unknown_encoding_is_refused(learned):
    image, plain, packed = learned
    with pytest.raises(CheckpointError, match="encoding 2.*install the gradmote that wrote it"):
        checkpoint.unpack(changed(plain, 11, 2))
    with Session(image) as session, pytest.raises(RuntimeFault, match="GM_ERR_BAD_VERSION"):
        session.load(changed(plain, 11, 2))
    for lying in (changed(plain, 11, 1), changed(packed, 11, 0), changed(packed, 10, 64)):
        with pytest.raises(CheckpointError, match="transfer the file again"):
            checkpoint.unpack(lying)
        with Session(image) as session, pytest.raises(RuntimeFault, match="GM_ERR_WRONG_MODEL"):
            session.load(lying)


def test_inspect_shows_version_and_encoding(learned, tmp_path):
    path = tmp_path / "learned.gmck"
    for data, encoding in ((learned[1], "plain"), (learned[2], "half")):
        path.write_bytes(data)
        reported = json.loads(CliRunner().invoke(app, ["inspect", str(path), "--json"]).output)
        assert (reported["version"], reported["encoding"]) == (2, encoding) and reported["shapes"]["0.weight"] == [
            32,
            64,
        ]
        shown = CliRunner().invoke(app, ["inspect", str(path)]).output
        assert "version 2" in shown and encoding in shown and "0.weight_moment2" in shown
