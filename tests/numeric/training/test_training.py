"""gradmote.training: what a script for onnxruntime.training.api relies on, and what is refused."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from numeric.training.conftest import SHAPES, mlp, write

from gradmote import artifacts, optimizers
from gradmote.artifacts import build_artifacts, resolve_loss
from gradmote.artifacts.file_form import BUFFER, RESET, SUM
from gradmote.artifacts.files import load_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import CheckpointError, DataError, ModelError, RuntimeFault
from gradmote.formats import checkpoint
from gradmote.training import CheckpointState, LinearLRScheduler, Module, Optimizer
from gradmote_runtime import Session


def batch(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6)).astype(np.float32)
    return x, (x[:, :3].argmax(1)).astype(np.int64)


def opened(files, checkpoint_name: str = "checkpoint", with_eval: bool = True):
    """(state, module, optimizer)."""
    state = CheckpointState.load_checkpoint(files / checkpoint_name)
    module = Module(files / "training_model.onnx", state, files / "eval_model.onnx" if with_eval else None)
    return state, module, Optimizer(files / "optimizer_model.onnx", module)


def steps(module: Module, optimizer: Optimizer, seeds, n: int = 8) -> list[float]:
    losses = []
    for seed in seeds:
        out = module(*batch(n, seed))
        losses.append(float(out[0] if isinstance(out, tuple) else out))
        optimizer.step()
        module.lazy_reset_grad()
    return losses


def reference_gradients(files, x: np.ndarray, labels: np.ndarray) -> dict[str, np.ndarray]:
    """The training model's own gradients, from onnxruntime, at the initial parameters."""
    session = onnxruntime.InferenceSession(files / "training_model.onnx")
    buffers = {f"{n}{BUFFER}": np.full(shape, np.nan, np.float32) for n, shape in SHAPES.items()}
    feeds = {"x": x, "labels": labels, **buffers, RESET: np.array([True])}
    found = session.run([f"{n}{SUM}" for n in SHAPES], feeds)
    return dict(zip(SHAPES, found, strict=True))


def parameters(state: CheckpointState) -> dict[str, np.ndarray]:
    return {name: p.data for name, p in state.parameters}


# ---- Training


def test_loss_falls_and_eval_changes_nothing(files):
    state, module, optimizer = opened(files)
    optimizer.set_learning_rate(0.02)
    losses = steps(module, optimizer, [0] * 60)
    assert losses[-1] < 0.5 * losses[0]
    before = parameters(state)
    module.eval()
    assert not module.training
    module(*batch(8))
    assert all(np.array_equal(before[n], p.data) for n, p in state.parameters)


def test_call_returns_loss_and_additional_outputs(files, sgd_files):
    _, module, _ = opened(files)
    x, labels = batch(4)
    assert module.input_names() == ["x", "labels"]
    assert module.output_names() == ["loss", "y"]
    trained, evaluated = module(x, labels), module.eval()(x, labels)
    reference = onnxruntime.InferenceSession(mlp().SerializeToString()).run(None, {"x": x})[0]
    for loss, y in (trained, evaluated):
        assert loss.shape == () and loss.dtype == np.float32
        np.testing.assert_allclose(y, reference, rtol=1e-5, atol=1e-6)
    assert trained[0] == evaluated[0]
    loss = opened(sgd_files)[1](x, labels)
    assert isinstance(loss, np.ndarray) and loss == trained[0]


def test_gradients_equal_the_training_model_under_onnxruntime(files):
    state, module, _ = opened(files)
    x, labels = batch(5)
    assert not state.parameters["w1"].grad.any()
    module(x, labels)
    expected = reference_gradients(files, x, labels)
    for name, parameter in state.parameters:
        np.testing.assert_allclose(parameter.grad, expected[name], rtol=1e-5, atol=1e-6)
    module.lazy_reset_grad()
    for name, parameter in state.parameters:
        assert parameter.grad.shape == SHAPES[name] and not parameter.grad.any()


def test_any_batch_size_continues_one_state(files):
    """A change of size costs only an image: the same samples in the same batches give the same bits."""
    state, module, optimizer = opened(files)
    mixed = [steps(module, optimizer, [i], n)[0] for i, n in enumerate((3, 7, 3, 1, 7))]
    other_state, other, other_optimizer = opened(files)
    for i, n in enumerate((3, 7, 3, 1, 7)):
        CheckpointState.save_checkpoint(other_state, files / "passed_on.gmck", include_optimizer_state=True)
        other_state, other, other_optimizer = opened(files, "passed_on.gmck")  # a module that sees one batch size only
        assert steps(other, other_optimizer, [i], n)[0] == mixed[i]
    assert all(np.array_equal(parameters(other_state)[n], p.data) for n, p in state.parameters)


def test_gradients_survive_a_change_of_batch(sgd_files):
    """The update uses the sum over calls, of any size, as onnxruntime does."""
    state, module, optimizer = opened(sgd_files)
    before, rate, total = parameters(state), optimizer.get_learning_rate(), {}
    for n in (2, 5):
        x, labels = batch(n, seed=n)
        module(x, labels)
        for name, gradient in reference_gradients(sgd_files, x, labels).items():
            total[name] = total.get(name, 0) + gradient
    optimizer.step()
    assert rate == pytest.approx(1e-3)
    for name, parameter in state.parameters:
        np.testing.assert_allclose(parameter.data, before[name] - rate * total[name], rtol=0, atol=1e-7)


def test_first_adamw_step_is_onnxruntimes(files):
    """p -= lr sqrt(1 - b2) / (1 - b1) m / (sqrt(v) + eps), without weight decay, in float64."""
    state, module, optimizer = opened(files)
    before = parameters(state)
    module(*batch(8))
    gradients = {n: p.grad.astype(np.float64) for n, p in state.parameters}
    optimizer.step()
    for name, g in gradients.items():
        step = 1e-3 * np.sqrt(1 - 0.999) / (1 - 0.9) * (0.1 * g) / (np.sqrt(0.001 * g * g) + 1e-6)
        np.testing.assert_allclose(parameters(state)[name], before[name] - step, rtol=0, atol=1e-6)


def test_whatever_has_numpy_is_taken(files):
    _, module, _ = opened(files)
    x, labels = batch(4)
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(a) for a in (x, labels)]
    assert module(*values)[0] == module.eval()(x, labels)[0]


# ---- Learning rate


def test_learning_rate(files, tmp_path):
    _, module, optimizer = opened(files)
    assert optimizer.get_learning_rate() == pytest.approx(1e-3)
    optimizer.set_learning_rate(0.25)
    assert optimizer.get_learning_rate() == 0.25
    steps(module, optimizer, [0])
    assert optimizer.get_learning_rate() == 0.25
    with pytest.raises(DataError, match="learning rate nan"):
        optimizer.set_learning_rate(float("nan"))
    write(tmp_path, optimizer=optimizers.sgd(0.125))
    assert opened(tmp_path)[2].get_learning_rate() == 0.125


def test_linear_schedule_takes_its_arguments_as_named(sgd_files):
    _, module, optimizer = opened(sgd_files)
    schedule = LinearLRScheduler(optimizer, 4, 10, 0.1)
    rates = [optimizer.get_learning_rate()]
    for _ in range(11):
        steps(module, optimizer, [0])
        schedule.step()
        rates.append(optimizer.get_learning_rate())
    factors = [0, 1 / 4, 2 / 4, 3 / 4, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6, 0, 0]
    np.testing.assert_allclose(rates, 0.1 * np.array(factors), rtol=1e-6)


@pytest.mark.parametrize(("warmup", "total"), [(5, 4), (-1, 4), (0, 0)])
def test_impossible_schedules(sgd_files, warmup, total):
    optimizer = opened(sgd_files)[2]
    with pytest.raises(DataError, match="warm-up"):
        LinearLRScheduler(optimizer, warmup, total, 0.1)
    assert optimizer.get_learning_rate() == pytest.approx(1e-3)


# ---- Checkpoints


def test_resuming_gives_the_same_bits(files, tmp_path):
    state, module, optimizer = opened(files)
    optimizer.set_learning_rate(0.01)
    steps(module, optimizer, range(3))
    CheckpointState.save_checkpoint(state, tmp_path / "full.gmck", include_optimizer_state=True)
    resumed_state = CheckpointState.load_checkpoint(tmp_path / "full.gmck")
    resumed = Module(files / "training_model.onnx", resumed_state, files / "eval_model.onnx")
    resumed.eval()(*batch(3))  # runs before an optimizer is there must not lose its state
    resumed_optimizer = Optimizer(files / "optimizer_model.onnx", resumed.train())
    assert resumed_optimizer.get_learning_rate() == pytest.approx(0.01)
    assert steps(resumed, resumed_optimizer, range(3, 9)) == steps(module, optimizer, range(3, 9))


def test_without_optimizer_state_only_parameters_return(files, tmp_path):
    state, module, optimizer = opened(files)
    optimizer.set_learning_rate(0.01)
    steps(module, optimizer, range(3))
    CheckpointState.save_checkpoint(state, tmp_path / "parameters.gmck")
    loaded = checkpoint.load(tmp_path / "parameters.gmck")
    assert list(loaded.tensors) == list(SHAPES) and not loaded.control
    again = CheckpointState.load_checkpoint(tmp_path / "parameters.gmck")
    assert all(np.array_equal(parameters(again)[n], p.data) for n, p in state.parameters)
    assert opened(tmp_path / ".." / files.name, "checkpoint")[2].get_learning_rate() == pytest.approx(1e-3)


def test_a_device_reads_the_full_checkpoint(files, tmp_path):
    state, module, optimizer = opened(files)
    steps(module, optimizer, range(2))
    state.properties["note"] = "behind the part that the device reads"
    CheckpointState.save_checkpoint(state, tmp_path / "full.gmck", include_optimizer_state=True)
    made = build_artifacts(mlp(), None, resolve_loss(artifacts.LossType.CrossEntropyLoss), optimizers.adamw_ort())
    device = Session(compile_image(made, Options(batch=8)).image)
    device.load((tmp_path / "full.gmck").read_bytes())
    x, labels = batch(8, seed=9)
    assert device.step(x, labels) == module(x, labels)[0]
    (tmp_path / "device.gmck").write_bytes(device.save())
    returned = CheckpointState.load_checkpoint(tmp_path / "device.gmck")
    assert np.array_equal(returned.parameters["w1"].data, np.array(device.parameter("w1")))


def test_checkpoint_of_another_model(files, tmp_path):
    write(tmp_path, mlp(inputs=7))
    with pytest.raises(CheckpointError, match=r"another model: 'w1' has shape \[7, 5\].*\[6, 5\]"):
        Module(files / "training_model.onnx", CheckpointState.load_checkpoint(tmp_path / "checkpoint"))
    write(tmp_path, requires_grad=["w2", "b2"])
    with pytest.raises(CheckpointError, match="differ in b1, w1"):
        Module(files / "training_model.onnx", CheckpointState.load_checkpoint(tmp_path / "checkpoint"))


def test_optimizer_state_of_another_model(tmp_path):
    """Same names and shapes, other frozen weights."""
    for seed in (0, 1):
        write(tmp_path / str(seed), mlp(seed), requires_grad=["w2", "b2"])
    state, module, optimizer = opened(tmp_path / "0")
    steps(module, optimizer, [0])
    CheckpointState.save_checkpoint(state, tmp_path / "1" / "other.gmck", include_optimizer_state=True)
    _, other, _ = opened(tmp_path / "1", "other.gmck")
    with pytest.raises(CheckpointError, match="belongs to another model"):
        other(*batch(4))


@pytest.mark.parametrize("place", [0, 20, 60, -30, -1])
def test_damaged_checkpoint(files, tmp_path, place):
    state = CheckpointState.load_checkpoint(files / "checkpoint")
    state.properties["name"] = "some text that is long enough to be hit"
    CheckpointState.save_checkpoint(state, tmp_path / "a.gmck")
    data = bytearray((tmp_path / "a.gmck").read_bytes())
    data[place] ^= 1
    (tmp_path / "a.gmck").write_bytes(data)
    with pytest.raises(CheckpointError):
        CheckpointState.load_checkpoint(tmp_path / "a.gmck")


def test_optimizer_state_needs_an_optimizer(files, tmp_path):
    state = CheckpointState.load_checkpoint(files / "checkpoint")
    with pytest.raises(CheckpointError, match="attach an Optimizer"):
        CheckpointState.save_checkpoint(state, tmp_path / "a.gmck", include_optimizer_state=True)
    assert not (tmp_path / "a.gmck").exists()


def test_nominal_checkpoint(files):
    _, full, _ = opened(files)
    state, module, _ = opened(files, "nominal_checkpoint")
    x, labels = batch(4)
    with pytest.raises(CheckpointError, match="nominal.*copy_buffer_to_parameters"):
        module(x, labels)
    with pytest.raises(DataError, match="no data for 'w1'"):
        _ = state.parameters["w1"].data
    module.copy_buffer_to_parameters(full.get_contiguous_parameters())
    assert module(x, labels)[0] == full(x, labels)[0]


# ---- Properties


@pytest.mark.parametrize("full", [False, True])
def test_properties_return_as_they_were(files, tmp_path, full):
    state, _, _ = opened(files)
    numbers = {"epoch": 3, "best": 0.1, "big": 2**40, "a name longer than nineteen bytes": 1.5, "f": -1, "g": 7}
    values = {**numbers, "version": "v1 ä"}
    for name, value in values.items():
        state.properties[name] = value
    CheckpointState.save_checkpoint(state, tmp_path / "p.gmck", include_optimizer_state=full)
    loaded = CheckpointState.load_checkpoint(tmp_path / "p.gmck")
    assert dict(loaded.properties) == values and len(loaded.properties) == 7
    assert "epoch" in loaded.properties and "absent" not in loaded.properties


def test_device_sees_the_numbers_that_fit(files, tmp_path):
    state, module, _ = opened(files)
    for name, value in {"epoch": 3, "name": "text", "rate": 0.5, "big": 2**40}.items():
        state.properties[name] = value
    CheckpointState.save_checkpoint(state, tmp_path / "p.gmck", include_optimizer_state=True)
    image = module._twin.any().result.image
    device = Session(image)
    device.load((tmp_path / "p.gmck").read_bytes())
    assert device.properties() == {"epoch": 3, "rate": 0.5}


@pytest.mark.parametrize("value", [None, [1], float("nan"), True, b"x"])
def test_properties_of_other_types(files, value):
    state = CheckpointState.load_checkpoint(files / "checkpoint")
    with pytest.raises(DataError, match="'bad'"):
        state.properties["bad"] = value
    assert len(state.properties) == 0


# ---- Parameters


def test_parameters_read_and_write(files):
    state, module, _ = opened(files)
    assert [name for name, _ in state.parameters] == list(SHAPES) and len(state.parameters) == 4
    assert "w1" in state.parameters and "nothing" not in state.parameters
    assert state.parameters["w1"].name == "w1" and state.parameters["w1"].requires_grad
    for ready in (False, True):  # before and after the first call
        new = np.full((6, 5), 0.25 + ready, np.float32)
        state.parameters["w1"] = new
        assert np.array_equal(state.parameters["w1"].data, new)
        state.parameters["b1"].data = np.zeros(5, np.float32)
        module(*batch(4))
    with pytest.raises(KeyError, match="nothing"):
        state.parameters["nothing"] = new
    for wrong in (new.T, new.astype(np.float64)):
        with pytest.raises(DataError, match="parameter 'w1' is float32"):
            state.parameters["w1"] = np.ascontiguousarray(wrong)


def test_contiguous_parameters(files):
    state, module, _ = opened(files)
    flat = module.get_contiguous_parameters(trainable_only=True)
    assert module.get_parameters_size() == flat.size == flat.numpy().size == 6 * 5 + 5 + 5 * 3 + 3
    assert np.array_equal(flat[:30].reshape(6, 5), state.parameters["w1"].data)
    module.copy_buffer_to_parameters(flat * 2)
    assert np.array_equal(state.parameters["w2"].data, mlp_weight("w2") * 2)
    for wrong in (flat[:-1], flat.astype(np.float64)):
        with pytest.raises(DataError, match="53 float32 numbers"):
            module.copy_buffer_to_parameters(wrong)


def mlp_weight(name: str) -> np.ndarray:
    return next(onnx.numpy_helper.to_array(t) for t in mlp().graph.initializer if t.name == name)


# ---- Models


def test_export_for_inferencing(files, tmp_path):
    _, module, optimizer = opened(files)
    steps(module, optimizer, range(5))
    module.export_model_for_inferencing(tmp_path / "model.onnx", ["y"])
    proto = onnx.load(tmp_path / "model.onnx")
    onnx.checker.check_model(proto, full_check=True)
    assert [i.name for i in proto.graph.input] == ["x"] and not proto.functions and not proto.metadata_props
    x, labels = batch(4)
    served = onnxruntime.InferenceSession(tmp_path / "model.onnx").run(None, {"x": x})[0]
    np.testing.assert_allclose(served, module.eval()(x, labels)[1], rtol=1e-5, atol=1e-6)
    with pytest.raises(ModelError, match="no value called z"):
        module.export_model_for_inferencing(tmp_path / "other.onnx", ["z"])
    assert not (tmp_path / "other.onnx").exists()


def test_files_make_the_image_that_memory_makes(files):
    """Artifacts read back give the same model id and programs, with and without the eval model."""
    loss = resolve_loss(artifacts.LossType.CrossEntropyLoss)
    made = build_artifacts(mlp(), list(SHAPES), loss, optimizers.adamw_ort(), additional_outputs=["y"])
    image = compile_image(made, Options(batch=2)).image
    tensors = checkpoint.load(files / "checkpoint").tensors
    paths = [files / f"{k}_model.onnx" for k in ("training", "eval", "optimizer")]
    assert compile_image(load_artifacts(paths[0], tensors, *paths[1:]), Options(batch=2)).image == image
    without_eval = compile_image(load_artifacts(paths[0], tensors, None, paths[2]), Options(batch=2)).image
    assert without_eval[16:32] == image[16:32]


def test_only_our_models(files, tmp_path):
    state = CheckpointState.load_checkpoint(files / "checkpoint")
    onnx.save(mlp(), tmp_path / "model.onnx")
    with pytest.raises(ModelError, match="not written by gradmote.artifacts"):
        Module(tmp_path / "model.onnx", state)
    with pytest.raises(ModelError, match="not a training model"):
        Module(files / "eval_model.onnx", state)
    with pytest.raises(ModelError, match="no device 'cuda'"):
        Module(files / "training_model.onnx", state, device="cuda")
    module = Module(files / "training_model.onnx", state)
    with pytest.raises(ModelError, match="not written by"):
        Optimizer(files / "training_model.onnx", module)
    write(tmp_path / "other", requires_grad=["w2"])
    with pytest.raises(ModelError, match="does not update 'w1'"):
        Optimizer(tmp_path / "other" / "optimizer_model.onnx", module)


def test_second_optimizer(files):
    _, module, _ = opened(files)
    with pytest.raises(ModelError, match="an optimizer already"):
        Optimizer(files / "optimizer_model.onnx", module)


# ---- Refused calls leave everything as it was

X, LABELS = batch(4)
WRONG = {
    "too few": (X,),
    "too many": (X, LABELS, LABELS),
    "float64": (X.astype(np.float64), LABELS),
    "float labels": (X, LABELS.astype(np.float32)),
    "columns": (X[:, :5], LABELS),
    "rank": (X[0], LABELS),
    "batches differ": (X, LABELS[:3]),
    "empty": (X[:0], LABELS[:0]),
}
FAULTY = {
    "label too large": (X, LABELS * 0 + 3),
    "label negative": (X, LABELS - 5),
    "nan": (X * np.float32("nan"), LABELS),
    "infinite": (X * np.float32("inf"), LABELS),
}


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("case", WRONG)
def test_data_that_does_not_fit(files, case, training):
    _, module, optimizer = opened(files)
    steps(module, optimizer, [0])
    before = module._twin.any().session.state_sha256()
    with pytest.raises(DataError):
        module.train(training)(*WRONG[case])
    assert module._twin.any().session.state_sha256() == before


@pytest.mark.parametrize("case", FAULTY)
def test_data_that_the_runtime_refuses(files, case):
    state, module, optimizer = opened(files)
    steps(module, optimizer, [0])
    before = parameters(state)
    with pytest.raises(RuntimeFault):
        module(*FAULTY[case])
    with pytest.raises(RuntimeFault, match="NO_GRADIENTS"):
        optimizer.step()
    assert all(np.array_equal(before[n], p.data) for n, p in state.parameters)
    assert np.isfinite(steps(module, optimizer, [1])[0])


def test_eval_without_eval_model(files):
    _, module, _ = opened(files, with_eval=False)
    with pytest.raises(ModelError, match="no eval model.*eval_model_uri"):
        module.eval()(*batch(4))
    assert np.isfinite(module.train()(*batch(4))[0])


def test_fixed_batch(tmp_path):
    model = mlp()
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 4
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 4
    write(tmp_path, model)
    _, module, optimizer = opened(tmp_path)
    assert np.isfinite(steps(module, optimizer, [0], 4)[0])
    with pytest.raises(DataError, match=r"'x' takes shape \[4, 6\]; \[8, 6\] was given"):
        module(*batch(8))
