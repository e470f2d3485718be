"""From a QDQ model to the trained QDQ model: onnxruntime computes the twin's logits of what was exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from gradmote import artifacts, cli, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, compile_image, compile_model
from gradmote.errors import DataError
from gradmote.training import CheckpointState, Module, Optimizer
from gradmote_runtime import Session
from support.quantized import by_onnxruntime, exported, reference
from support.quantized.drawn import QdqNetwork

LABELS = np.arange(4) % 3
#: Options of the image, and of the artifacts.
WAYS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"weights": "int16"}, {}),
    ({"accumulate": True}, {"scheme": "sparse:0.25"}),
    ({}, {"scheme": "bias+last:3"}),
]


@pytest.fixture(scope="module")
def network() -> onnx.ModelProto:
    return by_onnxruntime.network("ds_cnn")


def train(session: Session, feeds: dict[str, np.ndarray], accumulate: bool = False) -> list[float]:
    if not accumulate:
        return [session.step(*feeds.values(), LABELS) for _ in range(3)]
    found = []
    for _ in range(3):
        found.append(session.train_step(*feeds.values(), LABELS))
        session.optimizer_step()
        session.lazy_reset_grad()
    return found


@pytest.mark.parametrize(("options", "more"), WAYS, ids=str)
def test_the_export_has_the_twin_s_logits(
    network: onnx.ModelProto, options: dict[str, Any], more: dict[str, Any]
) -> None:
    made = build_artifacts(network, None, losses.cross_entropy(), optimizers.sgd(0.01), **more)
    feeds = reference.noise(network, 4)
    with Session(compile_image(made, Options(batch=4, **options)).image) as session:
        seen = train(session, feeds, "accumulate" in options)
        logits = np.array(session.infer(*feeds.values())[0])
        written = trained_model(network, session.save())
    assert seen[-1] < seen[0]
    assert np.array_equal(reference.infer(written, feeds)[0], logits)
    assert not np.array_equal(reference.infer(network, feeds)[0], logits)


@pytest.mark.parametrize("name", [n for n in exported.NAMES if "tflite_residual" in n])
def test_networks_that_end_in_integers(name: str) -> None:
    model = exported.network(name)
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.01))
    feeds = reference.noise(model, 4)
    with Session(compile_image(made, Options(batch=4)).image) as session:
        train(session, feeds)
        found = np.array(session.infer(*feeds.values())[0])
        written = trained_model(model, session.save())
    assert np.array_equal(reference.infer(written, feeds)[0], found)


def test_masters_of_16_bits_infer_like_weights_of_8(network: onnx.ModelProto) -> None:
    made = build_artifacts(network, None, losses.cross_entropy(), optimizers.sgd(0.01))
    feeds = reference.noise(network, 4)
    images = [compile_image(made, Options(batch=4, weights=w)) for w in ("int8", "int16")]
    logits = []
    for result in images:
        with Session(result.image) as session:
            logits.append(np.array(session.infer(*feeds.values())[0]))
    assert np.array_equal(*logits)
    weights = sum(array.size for array in made.parameters.values() if array.dtype == np.int8)
    assert images[1].layout.parameters_size - images[0].layout.parameters_size == pytest.approx(weights, abs=64)


def test_the_api_of_onnxruntime(network: onnx.ModelProto, tmp_path: Path) -> None:
    names = [t.name for t in network.graph.initializer if t.name.endswith("_quantized")]
    sgd, loss = artifacts.OptimType.SGD, artifacts.LossType.CrossEntropyLoss
    artifacts.generate_artifacts(network, names, loss=loss, optimizer=sgd, artifact_directory=tmp_path)
    state = CheckpointState.load_checkpoint(tmp_path / "checkpoint")
    module = Module(tmp_path / "training_model.onnx", state, tmp_path / "eval_model.onnx")
    optimizer = Optimizer(tmp_path / "optimizer_model.onnx", module)
    optimizer.set_learning_rate(0.01)
    x, seen = reference.noise(network, 4)["x"], []
    for _ in range(3):
        module.train()
        seen.append(float(module(x, LABELS)))
        optimizer.step()
        module.lazy_reset_grad()
    assert seen[-1] < seen[0]
    weight = state.parameters[names[0]]
    weight.data = weight.data // 2
    assert weight.data.dtype == np.int8 and weight.grad.dtype == np.float32
    with pytest.raises(DataError, match="is int8, and one flat array is of float32"):
        module.get_contiguous_parameters()
    output = network.graph.output[0].name
    module.export_model_for_inferencing(tmp_path / "trained.onnx", [output])
    written = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(tmp_path / "trained.onnx").graph.initializer}
    assert np.array_equal(written[names[0]], weight.data)


def test_a_budget_searches_quantized_schemes(tmp_path: Path) -> None:
    net = QdqNetwork(np.random.default_rng(0))
    net.shapes["x"] = (1, 2, 4, 4)
    net.quantize()
    net.conv(8, "int8", per_channel=True, bias="int32")
    net.quantize()
    net.flatten()
    net.gemm(3, "int8", True, "int32", "transB")
    onnx.save(net.model(), tmp_path / "model.onnx")
    arguments = ["compile", str(tmp_path / "model.onnx"), "--loss", "cross_entropy", "--ram"]
    assert cli.main([*arguments, "5K"]) == 0
    assert (tmp_path / "model.mote").exists()
    assert cli.main([*arguments, "1K"]) != 0


def test_a_batch_that_the_file_fixes_at_1() -> None:
    net = QdqNetwork(np.random.default_rng(0))
    net.shapes["x"] = (1, 2, 4, 4)
    net.quantize()
    net.conv(3, "int8", per_channel=True, bias="int32")
    net.activation("Relu")
    model = net.model()
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_value = 1
    result = compile_model(model, losses.mse(), optimizers.sgd(0.01), Options(batch=4))
    x = np.random.default_rng(0).normal(0, 1, (4, 2, 4, 4)).astype(np.float32)
    with Session(result.image) as session:
        found = np.array(session.infer(x)[0])
    expected = [reference.infer(model, {"x": x[i : i + 1]})[0] for i in range(4)]
    assert np.array_equal(found, np.concatenate(expected))


@pytest.mark.parametrize("mode", [None, "fold", "batch"])
def test_a_batch_norm_behind_quantized_weights_stays_in_float(mode: str | None) -> None:
    rng, net = np.random.default_rng(0), QdqNetwork(np.random.default_rng(0))
    net.shapes["x"] = (1, 2, 4, 4)
    net.quantize()
    net.conv(3, "uint8", per_channel=True, bias="none")
    inputs = [net.tensor(f"bn.{n}", rng.uniform(0.5, 1.5, 3).astype(np.float32)) for n in ("scale", "b", "mean", "var")]
    net.value = net.add("BatchNormalization", [net.value, *inputs], net.shape)
    net.activation("Relu")
    model = net.model()
    made = build_artifacts(model, None, losses.mse(), optimizers.sgd(0.05), batch_norm=mode)
    result, feeds = compile_image(made, Options(batch=4)), reference.noise(model, 4)
    assert "Conv" in [operator.operator for operator in result.compiled.programs[0].in_float]
    with Session(result.image) as session:
        seen = [session.step(*feeds.values(), np.zeros((4, 3, 4, 4), np.float32)) for _ in range(3)]
        found = np.array(session.infer(*feeds.values())[0])
        expected = reference.infer(trained_model(model, session.save()), feeds)[0]
    assert seen[-1] < seen[0]
    assert np.abs(found - expected).max() < 0.051  # a scale: a sum of float32 near the middle of two integers
    assert (found == expected).mean() > 0.95
