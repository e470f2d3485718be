"""frozen_params of generate_artifacts: parameters of the state that no update changes, as in onnxruntime."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from numeric.training.conftest import SHAPES, mlp, write
from numeric.training.test_training import batch, steps

from gradmote.errors import CheckpointError, DataError, ModelError
from gradmote.formats import checkpoint
from gradmote.training import CheckpointState, Module, Optimizer
from gradmote_runtime import Session

TRAINED, FROZEN = ["w2", "b2"], ["w1", "b1"]


@pytest.fixture
def files(tmp_path):
    return write(tmp_path, requires_grad=TRAINED, frozen_params=FROZEN, additional_output_names=["y"])


def opened(files, checkpoint_name: str = "checkpoint"):
    state = CheckpointState.load_checkpoint(files / checkpoint_name)
    module = Module(files / "training_model.onnx", state, files / "eval_model.onnx")
    return state, module, Optimizer(files / "optimizer_model.onnx", module)


def test_the_state_lists_them_before_and_after_a_module_takes_it(files):
    state = CheckpointState.load_checkpoint(files / "checkpoint")
    for _ in range(2):
        assert {name: p.requires_grad for name, p in state.parameters} == {n: n in TRAINED for n in SHAPES}
        assert len(state.parameters) == 4 and "w1" in state.parameters
        assert all(p.data.shape == SHAPES[n] and p.data.dtype == np.float32 for n, p in state.parameters)
        Module(files / "training_model.onnx", state)


def test_updates_leave_them_and_they_have_no_gradient(files):
    state, module, optimizer = opened(files)
    before = {n: p.data for n, p in state.parameters}
    steps(module, optimizer, range(3))
    for name, parameter in state.parameters:
        assert np.array_equal(parameter.data, before[name]) == (name in FROZEN)
        assert (parameter.grad is None) == (name in FROZEN)


def test_sizes_and_buffers_with_and_without_them(files):
    state, module, _ = opened(files)
    assert [module.get_parameters_size(only) for only in (True, False)] == [18, 53]
    assert module.get_parameters_size() == 18 and module.get_contiguous_parameters().size == 53
    flat = module.get_contiguous_parameters(trainable_only=False)
    module.copy_buffer_to_parameters(flat * 2, trainable_only=False)
    assert np.array_equal(module.get_contiguous_parameters(), flat * 2)
    module.copy_buffer_to_parameters(flat[:18])
    assert np.array_equal(state.parameters["w1"].data.ravel(), flat[18:48] * 2)
    with pytest.raises(DataError, match="18 float32 numbers"):
        module.copy_buffer_to_parameters(flat)


@pytest.mark.parametrize("full", [False, True])
def test_other_data_is_used_saved_and_loaded(files, tmp_path, full):
    state, module, optimizer = opened(files)
    steps(module, optimizer, [0])
    rng = np.random.default_rng(7)
    changed = rng.normal(size=(6, 5)).astype(np.float32)
    state.parameters["w1"] = changed
    x, labels = batch(4)
    reference = onnx.ModelProto()
    reference.CopyFrom(mlp())
    for tensor in reference.graph.initializer:
        tensor.CopyFrom(onnx.numpy_helper.from_array(state.parameters[tensor.name].data, tensor.name))
    expected = onnxruntime.InferenceSession(reference.SerializeToString()).run(None, {"x": x})[0]
    np.testing.assert_allclose(module.eval()(x, labels)[1], expected, rtol=1e-5, atol=1e-6)
    module.export_model_for_inferencing(tmp_path / "out.onnx", ["y"])
    served = onnxruntime.InferenceSession(tmp_path / "out.onnx").run(None, {"x": x})[0]
    np.testing.assert_allclose(served, expected, rtol=1e-5, atol=1e-6)
    state.properties["epoch"] = 3
    CheckpointState.save_checkpoint(state, tmp_path / "kept.gmck", include_optimizer_state=full)
    again, other, other_optimizer = opened(files, tmp_path / "kept.gmck")
    assert np.array_equal(again.parameters["w1"].data, changed) and again.properties["epoch"] == 3
    if full:
        assert steps(other, other_optimizer, range(3)) == steps(module.train(), optimizer, range(3))


def test_wrong_data_is_refused_and_changes_nothing(files):
    state, module, _ = opened(files)
    before = module.get_contiguous_parameters()
    for wrong in (np.zeros((5, 6), np.float32), np.zeros((6, 5))):
        with pytest.raises(DataError, match="parameter 'w1' is float32"):
            state.parameters["w1"] = wrong
    assert np.array_equal(before, module.get_contiguous_parameters())


def test_names_that_are_no_weights_are_refused(tmp_path):
    with pytest.raises(ModelError, match="no weight is called w9.*w1"):
        write(tmp_path, requires_grad=TRAINED, frozen_params=["w9"])
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_with_other_frozen_weights_is_refused(files, tmp_path):
    shape = np.zeros((2, 2), np.float32)
    trained = {n: np.zeros(SHAPES[n], np.float32) for n in TRAINED}
    for frozen in ({"w1": shape}, {"other": shape}):
        (tmp_path / "other.gmck").write_bytes(checkpoint.pack(trained, frozen=frozen))
        state = CheckpointState.load_checkpoint(tmp_path / "other.gmck")
        with pytest.raises(CheckpointError, match="another model"):
            Module(files / "training_model.onnx", state)


def test_a_nominal_checkpoint_takes_them_from_the_model(files):
    state, module, _ = opened(files, "nominal_checkpoint")
    module.copy_buffer_to_parameters(np.zeros(18, np.float32))
    full = CheckpointState.load_checkpoint(files / "checkpoint")
    assert np.array_equal(state.parameters["w1"].data, full.parameters["w1"].data)


def test_a_device_loads_the_checkpoint_that_has_them(files, tmp_path):
    state, module, optimizer = opened(files)
    steps(module, optimizer, [0])
    CheckpointState.save_checkpoint(state, tmp_path / "full.gmck", include_optimizer_state=True)
    with Session(module._twin.any().result.image) as device:
        device.load((tmp_path / "full.gmck").read_bytes())
        assert np.array_equal(device.parameter("w2"), state.parameters["w2"].data)


def test_every_cut_of_the_file_is_refused_or_read_without_what_is_gone(files):
    data = (files / "checkpoint").read_bytes()
    whole = checkpoint.unpack(data)
    size = len(checkpoint.pack(whole.tensors))
    for length in range(len(data)):
        if length == size:
            assert not checkpoint.unpack(data[:length]).frozen
        else:
            with pytest.raises(CheckpointError):
                checkpoint.unpack(data[:length])
