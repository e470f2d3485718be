"""The results of onnxruntime.training.api 1.19.2, seen by running it: types of results, outputs, opsets."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from numeric.training.conftest import mlp, write
from numeric.training.test_training import batch

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
