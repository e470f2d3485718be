"""The fuzz targets' seeds, from small models that cover the families of operators: `python tests/fuzz/seeds.py FOLDER`.

A folder a target: open and program have images; checkpoint has an image, a checkpoint of it, and a byte that says what
the storage does; delta has an image and what is added to its parameters; round has an image and a quantized delta;
export has an image and its export table; frames has what arrives on a serial line, as tests/fuzz/fuzz_frames.c reads
it.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export_table import export_table
from gradmote.compiler import Options, compile_image
from gradmote.compiler.sample_store import StoreOptions
from gradmote.device.protocol import Frame, encode, message_id, request_payload
from gradmote.generated.console import SOURCES
from gradmote_runtime import Session

ROOT = Path(__file__).resolve().parents[2]
TARGETS = ("open", "checkpoint", "delta", "round", "export", "program", "frames")

#: Name -> (input, output, nodes, weights, loss).
MODELS: dict[str, tuple[str, str, str, dict[str, tuple[int, ...]], Callable[[], losses.Loss]]] = {
    "dense": (
        "float[N,5] x",
        "float[N,3] y",
        """
        h = Gemm<transB=1>(x, w1, b1)
        a = Relu(h)
        y = Gemm(a, w2, b2)""",
        {"w1": (4, 5), "b1": (4,), "w2": (4, 3), "b2": (3,)},
        losses.cross_entropy,
    ),
    "conv": (
        "float[N,1,6,6] x",
        "float[N,2] y",
        """
        c = Conv<kernel_shape=[3,3], pads=[1,1,1,1]>(x, w1, b1)
        r = Relu(c)
        p = MaxPool<kernel_shape=[2,2], strides=[2,2]>(r)
        d = Conv<kernel_shape=[3,3], group=2>(p, w2)
        f = Flatten(d)
        y = Gemm(f, w3, b3)""",
        {"w1": (2, 1, 3, 3), "b1": (2,), "w2": (2, 1, 3, 3), "w3": (2, 2), "b3": (2,)},
        losses.cross_entropy,
    ),
    "rows": (
        "float[N,1,12,4] x",
        "float[N,2] y",
        """
        c = Conv<kernel_shape=[3,3], pads=[1,1,1,1]>(x, w1, b1)
        r = Relu(c)
        d = Conv<kernel_shape=[3,3], pads=[1,1,1,1]>(r, w2)
        e = Conv<kernel_shape=[3,3], strides=[2,2]>(d, w3)
        f = Flatten(e)
        y = Gemm(f, w4, b4)""",
        {"w1": (4, 1, 3, 3), "b1": (4,), "w2": (4, 4, 3, 3), "w3": (1, 4, 3, 3), "w4": (5, 2), "b4": (2,)},
        losses.cross_entropy,
    ),
    "quantized": (
        "int8[N,1,6,6] x",
        "float[N,2] y",
        """
        x_real = DequantizeLinear(x, x_scale, x_zero)
        w1_real = DequantizeLinear(w1_q, w_scale, w_zero)
        c = Conv<kernel_shape=[3,3], pads=[1,1,1,1]>(x_real, w1_real, b1)
        r = Relu(c)
        r_q = QuantizeLinear(r, r_scale, r_zero)
        r_real = DequantizeLinear(r_q, r_scale, r_zero)
        p = MaxPool<kernel_shape=[2,2], strides=[2,2]>(r_real)
        f = Flatten(p)
        f_q = QuantizeLinear(f, r_scale, r_zero)
        f_real = DequantizeLinear(f_q, r_scale, r_zero)
        w2_real = DequantizeLinear(w2_q, w_scale, w_zero)
        y = Gemm(f_real, w2_real, b2)""",
        {"w1_q": (2, 1, 3, 3), "b1": (2,), "w2_q": (18, 2), "b2": (2,)},
        losses.cross_entropy,
    ),
    "quantized_block": (
        "float[N,2,6,4] x",
        "float[N,2] y",
        """
        x_q = QuantizeLinear(x, x_scale, x_zero)
        x_real = DequantizeLinear(x_q, x_scale, x_zero)
        w1_real = DequantizeLinear(w1_q, w_scale, w_zero)
        b1_real = DequantizeLinear(b1_i32, b_scale, b_zero)
        c = Conv<kernel_shape=[3,3], pads=[1,1,1,1], group=2>(x_real, w1_real, b1_real)
        c_q = QuantizeLinear(c, r_scale, x_zero)
        c_real = DequantizeLinear(c_q, r_scale, x_zero)
        s = Add(c_real, x_real)
        s_q = QuantizeLinear(s, r_scale, x_zero)
        s_real = DequantizeLinear(s_q, r_scale, x_zero)
        g = Sigmoid(s_real)
        g_q = QuantizeLinear(g, g_scale, r_zero)
        g_real = DequantizeLinear(g_q, g_scale, r_zero)
        m = Mul(s_real, g_real)
        m_q = QuantizeLinear(m, r_scale, x_zero)
        m_real = DequantizeLinear(m_q, r_scale, x_zero)
        w2_real = DequantizeLinear(w2_q, w_scale, w_zero)
        d = Conv<kernel_shape=[3,3], pads=[1,1,1,1]>(m_real, w2_real)
        d_q = QuantizeLinear(d, r_scale, x_zero)
        d_real = DequantizeLinear(d_q, r_scale, x_zero)
        p = AveragePool<kernel_shape=[2,2], strides=[2,2]>(d_real)
        p_q = QuantizeLinear(p, r_scale, x_zero)
        p_real = DequantizeLinear(p_q, r_scale, x_zero)
        f = Flatten(p_real)
        w3_real = DequantizeLinear(w3_q, w_scale, w_zero)
        y = Gemm(f, w3_real, b3)""",
        {"w1_q": (2, 1, 3, 3), "b1_i32": (2,), "w2_q": (2, 2, 3, 3), "w3_q": (12, 2), "b3": (2,)},
        losses.cross_entropy,
    ),
    "transposed": (
        "float[N,1,3,3] x",
        "float[N,1,6,6] y",
        """
        t = ConvTranspose<kernel_shape=[2,2], strides=[2,2]>(x, w1, b1)
        y = Sigmoid(t)""",
        {"w1": (1, 1, 2, 2), "b1": (1,)},
        losses.mse,
    ),
    "attention": (
        "float[N,3,4] x",
        "float[N,3,4] y",
        """
        n = LayerNormalization<axis=-1>(x, scale, bias)
        q = MatMul(n, wq)
        k = MatMul(n, wk)
        kt = Transpose<perm=[0,2,1]>(k)
        s = MatMul(q, kt)
        p = Softmax<axis=-1>(s)
        o = MatMul(p, n)
        y = Add(x, o)""",
        {"scale": (4,), "bias": (4,), "wq": (4, 4), "wk": (4, 4)},
        losses.mse,
    ),
    "lstm": (
        "float[2,3,2] x",
        "float[2,3,2] y",
        """
        h, last, cell = LSTM<hidden_size=2>(x, w, r, b)
        axes = Constant<value_ints=[1]>()
        y = Squeeze(h, axes)""",
        {"w": (1, 8, 2), "r": (1, 8, 2), "b": (1, 16)},
        losses.mse,
    ),
    "gru": (
        "float[2,3,2] x",
        "float[2,3,2] y",
        """
        h, last = GRU<hidden_size=2, linear_before_reset=1>(x, w, r, b)
        axes = Constant<value_ints=[1]>()
        y = Squeeze(h, axes)""",
        {"w": (1, 6, 2), "r": (1, 6, 2), "b": (1, 12)},
        losses.mse,
    ),
    "elementwise": (
        "float[N,4] x",
        "float[N,2] y",
        """
        m = MatMul(x, w)
        e = Exp(m)
        l = Softplus(m)
        d = Div(e, l)
        t = Tanh(d)
        c = Clip(t, low, high)
        r = ReduceMean<axes=[1], keepdims=1>(c)
        s = Sub(c, r)
        v = Mul(s, s)
        q = Sqrt(l)
        y = Max(v, q)""",
        {"w": (4, 2)},
        losses.l1,
    ),
    "embedding": (
        "int32[N,3] x",
        "float[N,2] y",
        """
        g = Gather(table, x)
        r = ReduceSum<keepdims=0>(g, axis)
        y = Gemm(r, w, b)""",
        {"table": (5, 4), "w": (4, 2), "b": (2,)},
        losses.mse,
    ),
}
_CONSTANTS = {
    "x_scale": np.float32(0.05), "x_zero": np.int8(3), "w_scale": np.float32(0.01), "w_zero": np.int8(0),
    "r_scale": np.float32(0.04), "r_zero": np.int8(-128), "g_scale": np.float32(1 / 256),
    "b_scale": np.float32(0.0005), "b_zero": np.int32(0),
    "low": np.float32(-0.5), "high": np.float32(0.5), "axis": np.array([1], np.int64),
}  # fmt: skip
_OPTIMIZERS = (optimizers.sgd(0.1, momentum=0.9), optimizers.adamw(clip_norm=1.0), optimizers.sgd(0.05))
BATCH = 2


def drawn_weight(drawn: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return a weight of float32, of int8 if its name ends with _q, or of int32 if it ends with _i32."""
    if name.endswith("_i32"):
        return drawn.integers(-1000, 1000, shape).astype(np.int32)
    if name.endswith("_q"):
        return drawn.integers(-127, 128, shape).astype(np.int8)
    return drawn.normal(0, 0.4, shape).astype(np.float32)


def model(name: str) -> onnx.ModelProto:
    """One of MODELS, with weights drawn from its name."""
    given, made, nodes, weights, _ = MODELS[name]
    drawn = np.random.default_rng(sum(name.encode()))
    lines = "\n".join(line.strip() for line in nodes.strip().splitlines())
    text = f'<ir_version: 8, opset_import: ["" : 17]> {name} ({given}) => ({made}) {{ {lines} }}'
    proto = onnx.parser.parse_model(text)
    values = {n: drawn_weight(drawn, n, shape) for n, shape in weights.items()}
    values |= {n: np.asarray(v) for n, v in _CONSTANTS.items() if n in nodes}
    proto.graph.initializer.extend(onnx.numpy_helper.from_array(v, n) for n, v in values.items())
    return proto


def image_of(
    name: str, optimizer: optimizers.Optimizer = _OPTIMIZERS[0], scheme: str = "full", **options: Any
) -> bytes:
    made = build_artifacts(model(name), loss=MODELS[name][4](), optimizer=optimizer, scheme=scheme)
    return compile_image(made, Options(batch=BATCH, properties=1, **options)).image


def images() -> Iterator[tuple[str, bytes]]:
    """Each model, with and without gradients that are kept, optimizers by turns."""
    for number, name in enumerate(MODELS):
        for accumulate in (False, True):
            optimizer = _OPTIMIZERS[(number + accumulate) % len(_OPTIMIZERS)]
            yield f"{name}_{'train' if accumulate else 'step'}", image_of(name, optimizer, accumulate=accumulate)
    yield "rows_in_loops", image_of("rows", scheme="head", stream_rows=True)
    yield "int8_rows_in_loops", image_of("quantized_block", scheme="head", stream_rows=True)
    yield "int8_float_gradients", image_of("quantized_block", gradients="float")
    yield "int8_masters", image_of("quantized_block", _OPTIMIZERS[1], weights="int16", accumulate=True)
    yield "int8_short_moments", image_of("quantized_block", optimizers.adam(), moments="bf16")
    yield "store_bytes", image_of("quantized", store=StoreOptions(3))
    for dtype in ("int8", "f32"):
        yield f"store_{dtype}", image_of("dense", store=StoreOptions(3, dtype), accumulate=dtype == "f32")


def checkpoint_of(image: bytes, half: bool = False) -> bytes:
    """Return a checkpoint of a session that has a property and a schedule."""
    with Session(image, "strict") as session:
        session.set_property("epoch", 3)
        session.set_linear_schedule(0.1, 2, 9)
        return session.save(half)


def delta_of(image: bytes, bits: int) -> bytes:
    """Return the quantized delta of a session whose parameters have other bits than the image's."""
    with Session(image, "strict") as session:
        parameters = session.parameters().cast("B")
        parameters[:] = bytes(byte ^ (index % 4 == 1) for index, byte in enumerate(parameters))
        return session.round_delta(bits, bits)


def refused_deltas(delta: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a delta with a field of its header wrong; its checksum is right if it covers the field."""
    yield "short", delta[:20]
    for name, at, is_sealed in (("magic", 0, False), ("version", 4, False), ("size", 11, False), ("crc", 12, False),
                                ("model", 16, True), ("round", 32, True), ("bits", 40, True)):  # fmt: skip
        changed = bytearray(delta)
        changed[at] ^= 1
        if is_sealed:
            changed[12:16] = struct.pack("<I", zlib.crc32(changed[16:]))
        yield name, bytes(changed)


#: Models whose export tables have words in one piece and by steps, and integers.
EXPORTED = ("dense", "conv", "quantized", "attention")


def exports() -> Iterator[tuple[str, bytes]]:
    """Yield images with their export tables, and with those in which one field of the header is wrong."""
    for name in EXPORTED:
        image = image_of(name)
        table = export_table(model(name), image)
        yield name, image + table
        for at in range(0, 40, 4):
            changed = bytearray(table)
            changed[at] ^= 1
            yield f"{name}_{at}", image + changed


# ---- Serial line -------------------------------------------------------------------------------------------------


def delivery(data: bytes) -> bytes:
    return struct.pack("<H", len(data)) + data


def request(sequence: int, name: str, **values: object) -> bytes:
    return delivery(encode(Frame(message_id(name), sequence, request_payload(name, values))))


def pieces(kind: str, data: bytes, start: int = 0, end: int | None = None) -> bytes:
    """An image or a checkpoint in pieces, as `gradmote` sends it to a board whose frames hold 256 bytes."""
    places = range(start, len(data) if end is None else end, 248)
    sent = [request(1 + i % 200, f"{kind}_DATA", offset=at, data=data[at : at + 248]) for i, at in enumerate(places)]
    return b"".join(sent)


def upload(kind: str, data: bytes) -> bytes:
    return request(0, f"{kind}_BEGIN", size=len(data)) + pieces(kind, data) + request(0, f"{kind}_END")


def update(image: bytes, carry: int = 1) -> bytes:
    return request(0, "UPDATE_BEGIN", size=len(image)) + pieces("IMAGE", image) + request(0, "UPDATE_END", carry=carry)


def resumed(kind: str, image: bytes) -> bytes:
    """An image whose upload or update breaks off, with and without a restart, and goes on."""
    end = request(9, "IMAGE_END") if kind == "IMAGE" else request(9, "UPDATE_END", carry=1)
    sent = request(0, f"{kind}_BEGIN", size=len(image)) + pieces("IMAGE", image, end=1400) + request(3, "IMAGE_RESUME")
    sent += pieces("IMAGE", image, 1488, 2200) + request(4, "REBOOT") + request(5, "IMAGE_RESUME")
    return sent + pieces("IMAGE", image, 1024) + end + training()


def typed(*lines: str) -> bytes:
    return b"".join(delivery(line.encode() + b"\r") for line in lines)


def samples(image: bytes) -> bytes:
    """Zeros into every input and label of an image."""
    sent = b""
    with Session(image, "strict") as session:
        for role, tensors in enumerate((session.inputs(), session.labels())):
            for index, _ in enumerate(tensors):
                data = bytes((session.input_view if role == 0 else session.label_view)(index))
                for at in range(0, len(data), 192):
                    sent += request(at % 250, "DATA", role=role, index=index, offset=at, data=data[at : at + 192])
    return sent


def training(sequence: int = 1) -> bytes:
    """Runs, looks at and keeps what the model on the board does."""
    sent = b"".join(request(sequence + p, "RUN", program=p) for p in range(5)) + request(9, "METRICS")
    for source in range(len(SOURCES) + 1):
        values = {"source": source, "program": 0, "role": 2, "index": 0, "offset": 0, "length": 64}
        sent += request(20 + source, "READ", **values)
    sent += request(30, "DESCRIBE", program=0, role=0, index=0) + request(31, "INFO") + request(32, "MEM")
    sent += request(33, "LEARNING_RATE", rate=0.5) + request(34, "SCHEDULE", rate=0.5, warmup_steps=1, total_steps=9)
    sent += request(35, "SEED", seed=7) + request(36, "LAZY_RESET") + request(37, "SAVE") + request(38, "LOAD")
    return sent + request(38, "LOAD") + request(39, "RESET_STATE") + request(40, "REBOOT") + request(41, "INFO")


def taught(image: bytes) -> bytes:
    """An image with a store: what its messages and commands do."""
    return upload("IMAGE", image) + samples(image) + remembered()


def remembered() -> bytes:
    sent = b""
    for label in range(4):
        sent += request(label, "LEARN", label=label) + request(10 + label, "STORE_CLASS", label=label)
    sent += request(20, "STORE") + request(21, "REPLAY", program=4) + request(22, "SCORE", label=1)
    sent += request(23, "FORGET", label=1) + request(24, "IDLE_TRAINING", on=1) + request(25, "IDLE_TRAINING", on=0)
    return sent + typed("learn 1", "learn 9", "score", "train 2", "train on", "train off", "forget 2", "save", "load")


def damaged() -> bytes:
    """Return a wrong checksum, a frame too long and half a frame, with noise after each; then a right one."""
    good = encode(Frame(message_id("INFO"), 1, b""))
    wrong = good[:-1] + bytes([good[-1] ^ 1])
    too_long = good[:3] + b"\xff\xff" + good[5:]
    return b"".join(delivery(bad + b"\x01noise") for bad in (wrong, too_long, good[:4])) + delivery(good)


def interrupted(image: bytes) -> bytes:
    """Uploads that other requests, which write flash themselves, come between."""
    begin, piece = request(0, "CHECKPOINT_BEGIN", size=900), request(1, "CHECKPOINT_DATA", offset=0, data=bytes(100))
    saves = request(2, "SAVE") + typed("save", "save") + request(3, "SAVE")
    rest = request(4, "CHECKPOINT_DATA", offset=100, data=bytes(200)) + request(5, "CHECKPOINT_END")
    other = request(6, "IMAGE_DATA", offset=300, data=bytes(100)) + request(7, "IMAGE_END")
    return begin + piece + saves + rest + begin + piece + other + upload("IMAGE", image)[:-20] + saves + rest + other


def conversations() -> Iterator[tuple[str, bytes]]:
    """Yield the name of each conversation and the bytes sent in it, to the board of fuzz_frames.c and to others."""
    scale = {"index": 0, "element": 0, "scale": 0.5, "zero": 1.0}
    pixels = [request(role, "DATA_U8", role=role, data=bytes(12 - 4 * role), **scale) for role in (0, 1)]
    commands = typed("help", "info", "mem", "lr", "lr 0.25", "lr -1e-3", "train 2", "eval", "infer", "save", "load")
    yield "messages", b"".join(pixels) + training()
    yield "saved_while_running", b"".join(pixels) + typed("train 9999", "save", "save", "\x03save")
    yield "typed", b"".join(pixels) + commands + typed("train 9x", "what", "reset model", "reset", "info")
    yield "damaged", damaged()
    yield "interrupted", interrupted(image_of("dense"))
    yield "taught", taught(image_of("dense", store=StoreOptions(3)))
    yield "taught_bytes", taught(image_of("quantized", store=StoreOptions(3)))
    yield "stored", delivery(b"") + b"".join(pixels) + remembered()
    dense, other = image_of("dense"), image_of("conv")
    for kind in ("IMAGE", "UPDATE"):
        yield f"resumed_{kind.lower()}", resumed(kind, dense)
    yield "updated", b"".join(pixels) + training() + update(dense) + update(other, carry=0) + update(dense) + training()
    yield "updated_between", delivery(b"") + update(dense)[:-40] + remembered() + update(dense) + update(dense[:-8])
    for name, stripped in (("dense", True), ("conv", False), ("quantized", False)):
        image = image_of(name, strip_names=stripped)
        sent = upload("IMAGE", image) + samples(image) + training() + upload("CHECKPOINT", checkpoint_of(image))
        yield f"{name}_sent", sent + typed("train 3", "save", "info")


# ---- Files -------------------------------------------------------------------------------------------------------


def write_seeds(folder: Path) -> None:
    """A folder for each of TARGETS. Compiled images alone may be in that of `program`."""
    for target in TARGETS:
        (folder / target).mkdir(parents=True, exist_ok=True)
    subprocess.run([ROOT / "build/fuzz/make_corpus", folder / "open"], check=True, stdout=subprocess.DEVNULL)
    for name, image in images():
        (folder / "open" / f"{name}.mote").write_bytes(image)
        (folder / "program" / f"{name}.mote").write_bytes(image)
        (folder / "delta" / f"{name}_bytes").write_bytes(image + bytes(range(256)))
        (folder / "delta" / f"{name}_ends").write_bytes(image + b"\x7f\xff\x80" * 2000)
        for bits in (2, 4, 8):
            (folder / "round" / f"{name}_{bits}").write_bytes(image + delta_of(image, bits))
        for wrong, delta in refused_deltas(delta_of(image, 4)):
            (folder / "round" / f"{name}_{wrong}").write_bytes(image + delta)
        for plan, half in product((0, 5), (False, True)):
            file = f"{name}_{plan}_{'half' if half else 'plain'}"
            (folder / "checkpoint" / file).write_bytes(image + checkpoint_of(image, half) + bytes([plan]))
        if name != "dense_step":
            (folder / "checkpoint" / f"{name}_other").write_bytes(image + checkpoint_of(image_of("dense")) + b"\0")
    for name, file in exports():
        (folder / "export" / name).write_bytes(file)
    for name, sent in conversations():
        (folder / "frames" / name).write_bytes(sent)


if __name__ == "__main__":
    write_seeds(Path(sys.argv[1]))
