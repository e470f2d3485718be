"""Files with false contents, read in a process of 3 GiB and 20 seconds a file: each is accepted or refused by name."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import onnx
import pytest
from fuzz import seeds
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from gradmote.errors import CheckpointError, ImageError
from gradmote.formats import checkpoint, records
from gradmote.formats.image.read import read_image
from support.sampling import at_most

ROOT = Path(__file__).resolve().parents[2]
IMAGE = seeds.image_of("dense", accumulate=True)
CHECKPOINT = seeds.checkpoint_of(IMAGE)
HUGE = 10**6
#: Bytes of memory that reading any small file takes at the most, those of Python, numpy and onnx included.
PEAK = 600 << 20

# ---- Images and checkpoints ------------------------------------------------------------------------------------------


def sealed(data: bytes) -> bytes:
    """Size and checksum of an image or a checkpoint put right."""
    data = data[:8] + struct.pack("<I", len(data)) + data[12:]
    return data[:12] + struct.pack("<I", zlib.crc32(data[16:])) + data[16:]


def with_word(data: bytes, word: int, value: int) -> bytes:
    return sealed(data[: 4 * word] + struct.pack("<I", value) + data[4 * word + 4 :])


def table_of(rows: int, names: int, shape: tuple[int, ...], state: bytes) -> bytes:
    """A checkpoint of many entries that all claim the whole state, and names that run to the table's end."""
    size = 4 * int(np.prod(shape, dtype=object)) & 0xFFFFFFFF
    table = b"".join(checkpoint.entry(i % names, "parameter", shape, 0, size) for i in range(rows))
    return checkpoint.seal(table, b"n" * names + b"\0\0\0\0", state, rows, bytes(16))


def overlapping_names() -> bytes:
    """Thousands of tensors, each named from another byte of the same long text on."""
    header = records.unpack("header", IMAGE)
    tensors = records.pack("tensor", {"dims": [1] * 6}) * 20000
    names = b"n" * 300_000 + b"\0" * 4
    at = len(IMAGE)
    sections = [dict(section) for section in header["sections"]]
    sections[0] = {"offset": at, "size": len(tensors)}
    sections[6] = {"offset": at + len(tensors), "size": len(names)}
    lying = records.pack("header", {**header, "sections": sections})
    return sealed(lying + IMAGE[len(lying) :] + tensors + names)


NESTED = b"[" * 200_000
HUGE_ARRAY = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}"


def pickled() -> bytes:
    """An array that would run code when it is read."""
    file = io.BytesIO()
    np.save(file, np.array([print], dtype=object), allow_pickle=True)
    return file.getvalue()


LYING_FILES = {
    "empty.mote": b"",
    "truncated.mote": IMAGE[: len(IMAGE) // 2],
    "arena_of_4_gib.mote": with_word(IMAGE, 8, 0xFFFFFFFC),
    "section_outside.mote": with_word(IMAGE, 20, 0xFFFFFFF0),
    "overlapping_names.mote": overlapping_names(),
    "truncated.gmck": CHECKPOINT[:-1],
    "entries.gmck": with_word(CHECKPOINT, 8, 0x40000000),
    "every_entry_is_all.gmck": table_of(20000, 1000, (65536,), bytes(262144)),
    "names_to_the_end.gmck": table_of(1000, 100_000, (1,), bytes(4)),
    "nominal_of_terabytes.gmck": table_of(2, 8, (HUGE, HUGE), b""),
    "nominal_of_gigabytes.gmck": table_of(8, 8, (1 << 28,), b""),
    "rank.gmck": with_word(CHECKPOINT, 12 + 3, 7),
    "nested_properties.gmck": CHECKPOINT + struct.pack("<3I", 0x50504D47, len(NESTED), zlib.crc32(NESTED)) + NESTED,
    "pickled.npz": pickled(),
    "not_a_zip.npz": b"PK\x03\x04" + bytes(60),
    "huge.npz": b"\x93NUMPY\x01\x00v\x00" + HUGE_ARRAY.ljust(117) + b"\n",
}

# ---- Models ----------------------------------------------------------------------------------------------------------

WEIGHT = helper.make_tensor("w", TensorProto.FLOAT, [4, 3], np.ones(12, np.float32))
MATMUL = helper.make_node("MatMul", ["x", "w"], ["a"])


def model(nodes, initializers=(WEIGHT,), x=("N", 4), functions=()) -> bytes:
    """Return a model from x to y, both of one rank."""
    y = tuple(f"y{axis}" for axis in range(len(x)))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in (("x", x), ("y", y))]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], initializers)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("d", 1)]
    return helper.make_model(graph, opset_imports=opsets, functions=functions, ir_version=8).SerializeToString()


def int64(name: str, *values: int) -> onnx.TensorProto:
    return helper.make_tensor(name, TensorProto.INT64, [len(values)], values)


def folded(op: str, *constants: onnx.TensorProto) -> bytes:
    """A node of constants alone whose result would not fit the memory, its sum added to the output."""
    made = helper.make_node(op, [c.name for c in constants], ["c"])
    total = helper.make_node("ReduceSum", ["c"], ["r"], keepdims=0)
    return model([MATMUL, made, total, helper.make_node("Add", ["a", "r"], ["y"])], (WEIGHT, *constants))


def scalar(name: str, value: float) -> onnx.TensorProto:
    return helper.make_tensor(name, TensorProto.FLOAT, [], [value])


def external(location: str) -> bytes:
    return model([helper.make_node("MatMul", ["x", "w"], ["y"])], (placed("w", (4, 3), location),))


def placed(name: str, dims: tuple[int, ...], location: str) -> onnx.TensorProto:
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=dims, data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", "0"), ("length", str(4 * int(np.prod(dims))))):
        tensor.external_data.add(key=key, value=value)
    return tensor


def sharing(count: int) -> bytes:
    """As many initializers as that of the same 8 MiB, each with a node."""
    nodes = [helper.make_node("Add", [f"a{i}" if i else "x", f"s{i}"], [f"a{i + 1}"]) for i in range(count)]
    last = helper.make_node("Identity", [f"a{count}"], ["y"])
    return model([*nodes, last], [placed(f"s{i}", (1 << 19, 4), SHARED) for i in range(count)])


def function_bomb(levels: int) -> bytes:
    """Each function calls the next one twice: 2^levels nodes once they are inlined."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("d", 1)]
    last = helper.make_node("Relu", ["a"], ["b"])
    functions = [helper.make_function("d", f"F{levels}", ["a"], ["b"], [last], opsets)]
    for level in range(levels):
        calls = [helper.make_node(f"F{level + 1}", [a], [b], domain="d") for a, b in (("a", "m"), ("m", "b"))]
        functions.append(helper.make_function("d", f"F{level}", ["a"], ["b"], calls, opsets))
    return model([helper.make_node("F0", ["x"], ["r"], domain="d"), helper.make_node("MatMul", ["r", "w"], ["y"])],
                 functions=functions)  # fmt: skip


def nested_ifs(depth: int) -> bytes:
    def output(name: str) -> list[onnx.ValueInfoProto]:
        return [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)]

    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["o"])], "leaf", [], output("o"))
    for level in range(depth):
        leaf = helper.make_graph([helper.make_node("Identity", ["x"], [f"e{level}"])], "e", [], output(f"e{level}"))
        node = helper.make_node("If", ["yes"], [f"o{level}"], then_branch=graph, else_branch=leaf)
        graph = helper.make_graph([node], f"g{level}", [], output(f"o{level}"))
    yes = helper.make_tensor("yes", TensorProto.BOOL, [], [True])
    return model([*graph.node, helper.make_node("MatMul", [graph.output[0].name, "w"], ["y"])], (WEIGHT, yes))


def joined_often(levels: int) -> bytes:
    """Each node joins the one before eight times: 8^levels numbers, which onnx would propagate as a shape."""
    nodes = [helper.make_node("Concat", [f"c{k}"] * 8, [f"c{k + 1}"], axis=0) for k in range(levels)]
    total = helper.make_node("ReduceSum", [f"c{levels}"], ["r"], keepdims=0)
    start = helper.make_tensor("c0", TensorProto.FLOAT, [1], [1.0])
    return model([MATMUL, *nodes, total, helper.make_node("Add", ["a", "r"], ["y"])], (WEIGHT, start))


def one(op: str, x=("N", 4), constants=(), **attributes) -> bytes:
    """Return a model of one node, with a MatMul after it if it has no weight."""
    node = helper.make_node(op, ["x", *(c.name for c in constants)], ["y" if op == "Conv" else "r"], **attributes)
    after = [] if op == "Conv" else [helper.make_node("MatMul", ["r", "w"], ["y"])]
    return model([node, *after], (WEIGHT, *constants), x)


#: A file of 8 MiB beside the models.
SHARED = "shared.data"
ONE = helper.make_tensor("k", TensorProto.FLOAT, [1], [1.0])
KERNEL = helper.make_tensor("k", TensorProto.FLOAT, [1, 1, 1, 1], [1.0])
LYING_MODELS = {
    "constant_of_terabytes.onnx": folded("ConstantOfShape", int64("s", HUGE, HUGE)),
    "range_of_terabytes.onnx": folded("Range", scalar("z", 0), scalar("l", 1e12), scalar("o", 1)),
    "expand_to_terabytes.onnx": folded("Expand", ONE, int64("s", HUGE, HUGE)),
    "tile_to_terabytes.onnx": folded("Tile", ONE, int64("s", HUGE**2)),
    "pad_to_terabytes.onnx": folded("Pad", ONE, int64("p", 2**40, 2**40)),
    "resize_to_terabytes.onnx": folded("Resize", ONE, helper.make_tensor("roi", TensorProto.FLOAT, [0], []),
        helper.make_tensor("s", TensorProto.FLOAT, [1], [1e12])),
    "one_hot_of_terabytes.onnx": folded("OneHot", int64("i", 0), int64("d", 2**40),
        helper.make_tensor("v", TensorProto.FLOAT, [2], [0.0, 1.0])),
    "joined_to_gigabytes.onnx": joined_often(12),
    "joined_to_less.onnx": joined_often(8),
    "rank_of_70.onnx": model([helper.make_node("MatMul", ["x", "w"], ["y"])],
        [helper.make_tensor("w", TensorProto.FLOAT, [1] * 70, [1.0])]),
    "reshape_to_rank_70.onnx": one("Reshape", constants=(int64("s", *[1] * 69, -1),)),
    "weight_without_data.onnx": model([helper.make_node("MatMul", ["x", "w"], ["y"])],
        [TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[HUGE, HUGE])]),
    "weight_of_negative_size.onnx": model([helper.make_node("MatMul", ["x", "w"], ["y"])],
        [TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[-4, -3], raw_data=bytes(48))]),
    "outside_absolute.onnx": external("/etc/passwd"),
    "outside_above.onnx": external("../../../../../etc/passwd"),
    "shared_by_100.onnx": sharing(100),
    "outside_missing.onnx": external("weights.bin"),
    "cycle.onnx": model([helper.make_node("Add", ["x", "b"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("MatMul", ["b", "w"], ["y"])]),
    "function_bomb.onnx": function_bomb(24),
    "nested.onnx": nested_ifs(28),
    "name_of_megabytes.onnx": one("Relu", name="n" * 5_000_000),
    "permutation.onnx": one("Transpose", perm=[2**62, -(2**62)]),
    "axis.onnx": one("Softmax", axis=-(2**63)),
    "pads.onnx": one("Conv", ("N", 1, 4, 4), (KERNEL,), pads=[2**40] * 4, strides=[2**62, 1]),
    "reshape.onnx": one("Reshape", constants=(int64("s", 2**62, -1),)),
    "input_of_exabytes.onnx": one("Relu", (2**60, 4)),
    "truncated.onnx": one("Relu")[:-30],
}  # fmt: skip


@pytest.mark.slow
def test_files_that_lie_are_refused_in_little_memory_and_time(tmp_path):
    files = {**LYING_FILES, **LYING_MODELS}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / SHARED).write_bytes(bytes(8 << 20))
    command = [sys.executable, ROOT / "tests/fuzz/hostile_files.py", tmp_path]
    environment = {"PYTHONPATH": f"{ROOT / 'host_tools'}:{ROOT / 'bindings/python'}", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    reported = {line["file"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0, f"ended after {list(reported)[-1:]}: {done.stderr[-2000:]}"
    assert reported.keys() == files.keys()
    wrong = [line for line in reported.values() if line["became"] == "broke"]
    assert not wrong, wrong
    accepted = {name for name, line in reported.items() if line["became"] == "accepted"}
    assert accepted <= {"name_of_megabytes.onnx", "joined_to_less.onnx"}
    assert max(line["peak"] for line in reported.values()) <= PEAK, {
        name: line["peak"] for name, line in reported.items()
    }


# ---- Mutations -------------------------------------------------------------------------------------------------------

WORDS = st.integers(0, 2**32 - 1) | st.integers(0, 64)
CHANGES = st.lists(st.tuples(st.integers(4, 2000), WORDS), min_size=1, max_size=4)


def changed(data: bytes, changes: list[tuple[int, int]]) -> bytes:
    """Replace some words, anywhere after the checksum, and put that right."""
    for word, value in changes:
        data = with_word(data, 4 + word % (len(data) // 4 - 4), value)
    return data


@settings(max_examples=at_most(300))
@given(CHANGES)
def test_changed_images_are_read_or_refused(changes):
    with suppress(ImageError):
        read_image(changed(IMAGE, changes))


@settings(max_examples=at_most(300))
@given(CHANGES)
def test_changed_checkpoints_are_read_or_refused(changes):
    with suppress(CheckpointError):
        checkpoint.unpack(changed(CHECKPOINT, changes))
