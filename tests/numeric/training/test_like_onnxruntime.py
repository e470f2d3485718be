"""The results of onnxruntime.training.api 1.19.2, seen by running it: types of results, outputs, opsets."""

from __future__ import annotations

import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from numeric.training.conftest import SHAPES, mlp, write
from numeric.training.test_training import batch
from onnx import helper, numpy_helper

from gradmote.errors import DataError, GradmoteError
from gradmote.training import CheckpointState, Module, Optimizer


def opened(files):
    state = CheckpointState.load_checkpoint(files / "checkpoint")
    module = Module(files / "training_model.onnx", state, files / "eval_model.onnx")
    return state, module, Optimizer(files / "optimizer_model.onnx", module)


def ort_values(arrays):
    return [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in arrays]


@pytest.mark.parametrize("additional", [[], ["y"], ["r", "y"], ["h", "r"]])
def test_training_and_evaluation_return_the_loss_and_what_was_asked_for(tmp_path, additional):
    files = write(tmp_path, additional_output_names=additional)
    _, module, _ = opened(files)
    for training in (True, False):
        out = module.train(training)(*batch(4))
        found = out if additional else (out,)
        assert module.output_names() == ["loss", *additional] and len(found) == 1 + len(additional)
    names = [o.name for o in onnx.load(files / "eval_model.onnx").graph.output]
    assert names[: 1 + len(additional)] == ["loss", *additional]


def test_eval_model_of_a_file_gives_what_the_module_gives(tmp_path):
    files = write(tmp_path, additional_output_names=["r", "y"])
    _, module, _ = opened(files)
    x, labels = batch(4)
    served = onnxruntime.InferenceSession(files / "eval_model.onnx").run(None, {"x": x, "labels": labels})
    for found, expected in zip(module.eval()(x, labels), served, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("additional", [[], ["y"]])
@pytest.mark.parametrize("training", [True, False])
def test_ort_values_come_back_where_only_ort_values_were_given(tmp_path, training, additional):
    _, module, _ = opened(write(tmp_path, additional_output_names=additional))
    module.train(training)
    x, labels = batch(4)
    for given, expected in (
        (ort_values((x, labels)), onnxruntime.OrtValue),
        ((x, labels), np.ndarray),
        ((ort_values((x,))[0], labels), np.ndarray),
    ):
        out = module(*given)
        values = out if additional else (out,)
        assert all(isinstance(value, expected) for value in values)
        numbers = [v.numpy() if expected is onnxruntime.OrtValue else v for v in values]
        again = module(x, labels)
        for number, reference in zip(numbers, again if additional else (again,), strict=True):
            assert number.shape == reference.shape and np.array_equal(number, reference)


def test_a_training_model_adds_gradients_to_buffers(tmp_path):
    """The names and order are those that onnxruntime-training 1.19.2 writes for the same call."""
    files = write(tmp_path)
    model = onnx.load(files / "training_model.onnx")
    names = ["w1", "b1", "w2", "b2"]
    buffers = [f"{name}_grad.accumulation.buffer" for name in names]
    assert [i.name for i in model.graph.input] == ["x", "labels", *names, *buffers, "lazy_reset_grad"]
    assert [o.name for o in model.graph.output] == ["loss", *(f"{name}_grad.accumulation.out" for name in names)]
    x, labels = batch(4)
    session = onnxruntime.InferenceSession(files / "training_model.onnx")
    feeds = {"x": x, "labels": labels, **{b: np.ones(SHAPES[n], np.float32) for n, b in zip(names, buffers)}}
    reset, added = (session.run(None, {**feeds, "lazy_reset_grad": np.array([flag])}) for flag in (True, False))
    for fresh, total in zip(reset[1:], added[1:], strict=True):
        np.testing.assert_allclose(total, fresh + 1, rtol=1e-6, atol=1e-6)


def test_an_eval_model_returns_what_was_asked_for(tmp_path):
    for additional in ([], ["y"], ["r"]):
        files = write(tmp_path, additional_output_names=additional)
        assert [o.name for o in onnx.load(files / "eval_model.onnx").graph.output] == ["loss", *additional]
        _, module, _ = opened(files)
        module.export_model_for_inferencing(tmp_path / "better.onnx", ["h", "y"])
        assert [o.name for o in onnx.load(tmp_path / "better.onnx").graph.output] == ["h", "y"]


def test_a_nominal_checkpoint_says_what_onnxruntime_says(tmp_path):
    files = write(tmp_path)
    state = CheckpointState.load_checkpoint(files / "nominal_checkpoint")
    module = Module(files / "training_model.onnx", state, files / "eval_model.onnx")
    optimizer = Optimizer(files / "optimizer_model.onnx", module)
    assert "w1" in state.parameters and module.get_parameters_size() == 53
    for use in (module.get_contiguous_parameters, optimizer.step, lambda: module(*batch(4))):
        with pytest.raises(GradmoteError, match="Please load the model parameters first."):
            use()
    with pytest.raises(DataError, match="Please load the parameter states first"):
        state.parameters["w1"]
    with pytest.raises(DataError, match="Please load all the parameter states first"):
        state.parameters["w1"] = np.ones((6, 5), np.float32)
    module.copy_buffer_to_parameters(np.arange(53, dtype=np.float32), trainable_only=False)
    assert state.parameters["w1"].data[0, 1] == 1


def test_ort_format_is_onnxruntimes_own(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # the converter imports it for nothing, which takes seconds
    files = write(tmp_path, ort_format=True)
    x, labels = batch(4)
    found = onnxruntime.InferenceSession(files / "eval_model.ort").run(None, {"x": x, "labels": labels})[0]
    assert (files / "training_model.ort").exists() and (files / "optimizer_model.ort").exists()
    _, module, _ = opened(files)
    np.testing.assert_allclose(module.eval()(x, labels), found, rtol=1e-5)


def test_a_model_exported_in_training_mode_trains_with_statistics_of_the_batch(tmp_path):
    weights = [numpy_helper.from_array(np.full(3, v, np.float32), n) for n, v in zip("sbmv", (1.0, 0.5, 0.2, 2.0))]
    node = helper.make_node("BatchNormalization", ["x", *"sbmv"], ["y", "new_m", "new_v"], training_mode=1)
    info = [helper.make_tensor_value_info(name, 1, ["N", 3]) for name in "xy"]
    graph = helper.make_graph([node], "normal", info[:1], info[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    files = write(tmp_path, model, requires_grad=["s", "b"])
    _, module, _ = opened(files)
    x, labels = np.random.default_rng(0).normal(3, 2, (8, 3)).astype(np.float32), np.zeros(8, np.int64)
    running = 0.9 * 0.2 + 0.1 * x.mean(0), 0.9 * 2 + 0.1 * x.var(0)  # after a step
    for training, (mean, variance) in ((True, (x.mean(0), x.var(0))), (False, running)):
        y = (x - mean) / np.sqrt(variance + 1e-5) + 0.5
        expected = np.mean(np.log(np.exp(y).sum(1)) - y[:, 0])
        assert float(module.train(training)(x, labels)) == pytest.approx(float(expected), rel=1e-5)


def test_gradients_are_zeros_before_the_first_step(tmp_path):
    files = write(tmp_path)
    state = CheckpointState.load_checkpoint(files / "checkpoint")
    assert all(p.grad is None for _, p in state.parameters)  # nobody has said how they would be computed
    Module(files / "training_model.onnx", state)
    assert all(p.grad.shape == p.data.shape and not p.grad.any() for _, p in state.parameters)


@pytest.mark.parametrize("opset", [13, 15, 18, 21])
def test_the_optimizer_model_has_the_opset_of_the_model(tmp_path, opset):
    model = mlp()
    model.opset_import[0].version = opset
    files = write(tmp_path, model)
    found = {}
    for name in ("training", "eval", "optimizer"):
        proto = onnx.load(files / f"{name}_model.onnx")
        onnx.checker.check_model(proto, full_check=True)
        found[name] = {o.domain: o.version for o in proto.opset_import}[""], proto.ir_version
        onnxruntime.InferenceSession(files / f"{name}_model.onnx")
    assert len(set(found.values())) == 1 and found["optimizer"][0] >= opset
