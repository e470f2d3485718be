"""Models whose input is int8 or uint8: in sessions, on targets, from data, and in the sample store."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

from gradmote import compile_model, losses, optimizers
from gradmote.compiler.options import Options
from gradmote.compiler.sample_store import StoreOptions
from gradmote.data import Dataset
from gradmote.device.matching import matched
from gradmote.device.samples import Samples
from gradmote.device.twin_target import TwinTarget
from gradmote.errors import DataError
from gradmote.formats import checkpoint
from gradmote.formats.kernel_selection import needs_of
from gradmote_runtime import Session

BATCH, FEATURES, CLASSES = 2, 5, 3
ZERO = {"int8": 3, "uint8": 128}
SCALE = np.float32(0.05)
TEXT = """<ir_version: 8, opset_import: ["": 17]>
linear ({dtype}[N,{features}] x) => (float[N,{classes}] y)
<float s = {{0.05}}, {dtype} z = {{{zero}}}> {{ r = DequantizeLinear(x, s, z) y = Gemm(r, w, b) }}"""


def image(dtype: str, store: StoreOptions | None = None) -> bytes:
    """Return a linear classifier of quantized numbers that trains with SGD."""
    text = TEXT.format(dtype=dtype, features=FEATURES, classes=CLASSES, zero=ZERO[dtype])
    model, rng = onnx.parser.parse_model(text), np.random.default_rng(0)
    for name, shape in (("w", (FEATURES, CLASSES)), ("b", (CLASSES,))):
        array = rng.normal(size=shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    wanted = Options(batch=BATCH, store=store)
    return compile_model(model, losses.cross_entropy(), optimizers.sgd(0.05), wanted, train=["w", "b"]).image


def samples(dtype: str, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return samples over the whole range of the dtype, and their labels."""
    rng, limits = np.random.default_rng(seed), np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, (count, FEATURES), dtype, endpoint=True)
    return x, rng.integers(0, CLASSES, count)


@pytest.fixture(params=["int8", "uint8"])
def dtype(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# ---- Sessions -------------------------------------------------------------------------------------------------------


def test_a_session_takes_the_numbers_as_they_are(dtype: str) -> None:
    x, _ = samples(dtype, BATCH)
    with Session(image(dtype)) as session:
        (tensor,) = session.inputs()
        assert (tensor["dtype"], tensor["size"]) == (dtype, BATCH * FEATURES)
        found = np.array(session.infer(x)[0])
        real = (x.astype(np.float32) - ZERO[dtype]) * SCALE
        assert np.allclose(found, real @ np.array(session.parameter("w")) + np.array(session.parameter("b")), atol=1e-5)
        for same in (x.astype(np.int64), x.astype(np.int16), x.tobytes()):
            assert np.array_equal(np.array(session.infer(same)[0]), found)
        assert np.array_equal(np.array(session.input_view(0)), x)


def test_a_session_refuses_other_numbers(dtype: str) -> None:
    x, _ = samples(dtype, BATCH)
    with Session(image(dtype)) as session:
        before = bytes(session.input_view(0).cast("B"))
        for wrong in (x.astype(np.float32), x.astype(np.float64), np.full(x.shape, 1000)):
            with pytest.raises(DataError, match=rf"takes {dtype}.*round\(x / scale\) \+ zero_point"):
                session.set_input(0, wrong)
        other = np.array([[200] * FEATURES] * BATCH, "uint8") if dtype == "int8" else np.full(x.shape, -1, "int8")
        with pytest.raises(DataError, match="out of range"):
            session.set_input(0, other)
        assert bytes(session.input_view(0).cast("B")) == before


# ---- Targets and data -----------------------------------------------------------------------------------------------


def test_a_target_has_the_sessions_bits(dtype: str) -> None:
    x, y = samples(dtype, BATCH)
    with TwinTarget("strict") as target, Session(image(dtype), "strict") as session:
        target.load_image(image(dtype))
        reported = target.describe("step", "input", 0)
        assert reported is not None and (reported.dtype, reported.elements) == (dtype, x.size)
        target.write("input", 0, x)
        target.write("label", 0, y)
        assert target.run("step").loss == session.step(x, y)
        assert target.state() == bytes(session.state())
        target.write_u8("input", 0, x.view(np.uint8), 0.5, 9.0)  # a quantized input has a scale of its own
        assert np.array_equal(np.array(target.session.input_view(0)), x)
        with pytest.raises(DataError, match="does not go into"):
            target.write("input", 0, x.astype(np.float32))


def test_bytes_of_a_file_go_to_the_input(dtype: str) -> None:
    """They go as they are to uint8, and less the data's zero to int8."""
    pixels = np.arange(4 * FEATURES, dtype=np.uint8).reshape(4, FEATURES) + 100
    with TwinTarget("strict") as target:
        target.load_image(image(dtype))
        tensor = target.describe("infer", "input", 0)
        given = Dataset(pixels, np.zeros(4, np.int32), scale=1 / 255, zero=128.0 if dtype == "int8" else 0.0)
        data = matched(given, tensor, None)
        assert data.x.dtype == dtype
        assert np.array_equal(data.x.astype(int), pixels.astype(int) - (128 if dtype == "int8" else 0))
        Samples(target, data, data.x, None, []).write(np.arange(BATCH))
        assert np.array_equal(np.array(target.session.input_view(0)), data.x[:BATCH])
        with pytest.raises(DataError, match="quantized numbers"):
            matched(Dataset(pixels.astype(np.float32), np.zeros(4, np.int32)), tensor, None)


# ---- The sample store -----------------------------------------------------------------------------------------------


def test_the_store_keeps_bytes_without_a_scale(dtype: str) -> None:
    """Samples of one class: a replay trains on exactly these."""
    x, _ = samples(dtype, 4)
    with Session(image(dtype, StoreOptions(4))) as taught, Session(image(dtype)) as plain:
        for sample in x:
            taught.learn(1, sample)
        assert taught.store() == {"capacity": 4, "classes": CLASSES, "elements": FEATURES, "kept": 4, "dtype": "bytes"}
        at = bytes(taught.state()).find(x[0].tobytes())
        assert at > 0
        for i, sample in enumerate(x):
            assert bytes(taught.state())[at + 8 * i :][: FEATURES + 3] == sample.tobytes() + bytes(3)
        aside = np.array(taught.input_view(0))[0]
        loss = taught.replay()
        pairs = [(a, b) for a in range(4) for b in range(4)]
        plain_losses = [plain.eval_step(x[list(pair)], np.array([1, 1])) for pair in pairs]
        assert loss in plain_losses
        assert np.array_equal(np.array(taught.input_view(0))[0], aside)


def test_a_store_may_begin_with_samples(dtype: str) -> None:
    x, y = samples(dtype, 6)
    with Session(image(dtype, StoreOptions(6, x=x, y=y))) as begun:
        assert begun.store()["kept"] == 6
        assert sum(begun.score(label)[0] for label in range(CLASSES)) == 6
    with pytest.raises(DataError, match="quantized numbers"):
        image(dtype, StoreOptions(6, x=x.astype(np.float32), y=y))


# ---- Files ----------------------------------------------------------------------------------------------------------


def test_firmware_for_the_model_has_its_kernels(dtype: str) -> None:
    flags = needs_of(image(dtype)).flags()
    assert {"-DGM_ONLY_SELECTED=1", "-DGM_WITH_INT8=1", "-DGM_WITH_DEQUANTIZE=1"} <= set(flags)


def test_checkpoints_keep_the_types_of_tensors() -> None:
    rng = np.random.default_rng(1)
    tensors = {
        "bytes": rng.integers(-128, 128, 7).astype(np.int8), "halves": rng.integers(-9, 9, (3, 1)).astype(np.int16),
        "words": rng.integers(-9, 9, 2).astype(np.int32), "reals": rng.normal(size=5).astype(np.float32),
    }  # fmt: skip
    found = checkpoint.unpack(checkpoint.as_half(checkpoint.pack(tensors)))
    for name, array in tensors.items():
        assert found.tensors[name].dtype == array.dtype
        assert np.allclose(found.tensors[name], array, atol=1e-3 if name == "reals" else 0)
