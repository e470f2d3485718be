"""Artifacts that onnxruntime-training 1.19.2 wrote: compiled, and trained on from its checkpoint with its losses.

ort_artifacts/make.py made them, and the losses to compare with.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from numeric.training.ort_artifacts.batches import BEFORE, STEPS, batch_of
from typer.testing import CliRunner

from gradmote.artifacts.directory import read_directory, with_rate
from gradmote.cli import app
from gradmote.compiler.compile import compile_image
from gradmote.compiler.options import Options
from gradmote.errors import CheckpointError, GradmoteError, ModelError
from gradmote.formats.any_checkpoint import load_any
from gradmote.training import CheckpointState, LinearLRScheduler, Module, Optimizer
from gradmote_runtime import Session
from support.ort_checkpoint import Forged, written

FOLDER = Path(__file__).parent / "ort_artifacts"
CASES = sorted(path.stem for path in FOLDER.glob("*.zip"))
#: The largest difference of a loss of about 1. In 50 steps of ds_cnn, onnxruntime itself leaves float64 by 7e-5.
TOLERANCE = 1e-4


@pytest.fixture
def unpacked(tmp_path):
    def unpack(case: str) -> tuple[Path, dict]:
        zipfile.ZipFile(FOLDER / f"{case}.zip").extractall(tmp_path)
        return tmp_path, json.loads((tmp_path / "losses.json").read_text())

    return unpack


def batches(facts: dict, first: int = BEFORE, steps: int = STEPS):
    return (batch_of(facts["inputs"], step) for step in range(first, first + steps))


def rate_of(facts: dict, updates: int) -> float | None:
    if facts["schedule"] is None:
        return facts["rate"]
    warmup, total = facts["schedule"]
    return facts["rate"] * (updates / warmup if updates < warmup else (total - updates) / (total - warmup))


def test_all_that_generate_artifacts_offers_is_there():
    assert {"lenet", "ds_cnn", "batch_norm", "two_heads"} < set(CASES) and len(CASES) >= 10


@pytest.mark.parametrize("case", CASES)
def test_an_image_goes_on_with_the_same_losses(case, unpacked):
    folder, facts = unpacked(case)
    made = read_directory(folder, folder / "trained")
    session = Session(compile_image(made, Options(batch=facts["batch"])).image)
    losses = []
    for step, batch in enumerate(batches(facts)):
        rate = rate_of(facts, BEFORE + step)
        if rate is not None:
            session.learning_rate = rate
        losses.append(session.step(*batch))
    np.testing.assert_allclose(losses, facts["losses"], rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize(
    "case", ["batch_norm", "mlp_bce", "mlp_frozen", "mlp_scheduled", "mlp_uncorrected", "two_heads"]
)
@pytest.mark.parametrize("checkpoint", ["checkpoint", "trained"])
def test_a_module_trains_with_the_same_losses(case, checkpoint, unpacked):
    folder, facts = unpacked(case)
    state = CheckpointState.load_checkpoint(folder / checkpoint)
    module = Module(folder / "training_model.onnx", state)
    optimizer = Optimizer(folder / "optimizer_model.onnx", module)
    if facts["rate"] is not None:
        optimizer.set_learning_rate(facts["rate"])
    schedule = facts["schedule"] and LinearLRScheduler(optimizer, *facts["schedule"], facts["rate"])
    first, expected = (0, facts["before"]) if checkpoint == "checkpoint" else (BEFORE, facts["losses"])
    losses = []
    for batch in batches(facts, first, len(expected)):
        losses.append(np.ravel(module(*batch))[0] if case != "mlp_bce" else module(*batch)[0])
        optimizer.step()
        module.lazy_reset_grad()
        if schedule:
            schedule.step()
    np.testing.assert_allclose(np.array(losses, np.float32), expected, rtol=0, atol=TOLERANCE)


# ---- What is taken over


def test_parameters_moments_counters_rate_and_properties(unpacked):
    folder, facts = unpacked("mlp_clipped")
    made = read_directory(folder, folder / "trained")
    session = Session(compile_image(made, Options(batch=facts["batch"])).image)
    state = load_any(folder / "trained")
    for name in state.parameters:
        assert np.array_equal(session.parameter(name), state.tensors[name])
    kept = {name: array for name, array in saved(session).tensors.items() if "moment" in name}
    assert len(kept) == 8 and all(np.array_equal(array, state.tensors[name]) for name, array in kept.items())
    corrections = [1 - 0.8**BEFORE, 1 - 0.99**BEFORE]
    np.testing.assert_allclose(saved(session).tensors["bias_correction"], corrections, rtol=1e-6)
    assert saved(session).control["optimizer_steps"] == BEFORE
    assert session.learning_rate == np.float32(1e-3) and session.properties() == {"epoch": 3, "accuracy": 0.5}


def saved(session: Session):
    from gradmote.formats import checkpoint

    return checkpoint.unpack(session.save())


def test_an_image_of_the_first_checkpoint_begins_anew(unpacked):
    folder, facts = unpacked("mlp_mse_sgd")
    made = with_rate(read_directory(folder), facts["rate"])
    session = Session(compile_image(made, Options(batch=facts["batch"])).image)
    losses = [session.step(*batch) for batch in batches(facts, 0, BEFORE)]
    np.testing.assert_allclose(losses, facts["before"], rtol=0, atol=TOLERANCE)


def test_losses_with_an_operator_of_their_own_are_recognized(unpacked):
    for case, opcode in (("mlp_mse_sgd", "MSE_LOSS"), ("mlp_l1_fixed_batch", "L1_LOSS"), ("mlp_bce", "BCE_LOGITS")):
        folder, facts = unpacked(case)
        result = compile_image(read_directory(folder), Options(batch=facts["batch"]))
        opcodes = {i.opcode for program in result.compiled.programs for i in program.instructions}
        assert any(opcode.split("_")[0] in name for name in opcodes), opcodes
        assert "POW" not in opcodes and "LOG" not in opcodes


def test_frozen_parameters_stay_and_belong_to_the_state(unpacked):
    folder, facts = unpacked("mlp_frozen")
    state = CheckpointState.load_checkpoint(folder / "checkpoint")
    before = {name: p.data for name, p in state.parameters}
    module = Module(folder / "training_model.onnx", state, folder / "eval_model.onnx")
    optimizer = Optimizer(folder / "optimizer_model.onnx", module)
    module(*next(batches(facts)))
    optimizer.step()
    changed = {name for name, p in state.parameters if not np.array_equal(p.data, before[name])}
    assert changed == {name for name, p in state.parameters if p.requires_grad} == {"0.bias", "2.weight"}


def test_the_evaluation_equals_the_loss_before_an_update(unpacked):
    folder, facts = unpacked("mlp_bce")
    state = CheckpointState.load_checkpoint(folder / "trained")
    module = Module(folder / "training_model.onnx", state, folder / "eval_model.onnx").eval()
    loss, scores = module(*next(batches(facts)))
    assert abs(loss - facts["losses"][0]) < TOLERANCE and scores.shape == (facts["batch"], 4)


def test_an_exported_model_computes_what_was_trained(unpacked, tmp_path):
    import onnxruntime

    folder, facts = unpacked("batch_norm")
    state = CheckpointState.load_checkpoint(folder / "trained")
    module = Module(folder / "training_model.onnx", state, folder / "eval_model.onnx")
    module.export_model_for_inferencing(tmp_path / "better.onnx", ["y0"])
    x, _ = next(batches(facts))
    run = onnxruntime.InferenceSession(tmp_path / "better.onnx").run(None, {"x": x})[0]
    session = Session(compile_image(read_directory(folder, folder / "trained"), Options(batch=len(x))).image)
    np.testing.assert_allclose(session.infer(x)[0], run, atol=1e-5)


def test_running_statistics_are_those_of_onnxruntime(unpacked):
    folder, facts = unpacked("batch_norm")
    session = Session(compile_image(read_directory(folder), Options(batch=facts["batch"])).image)
    for batch in batches(facts, 0, BEFORE):
        session.step(*batch)
    theirs, ours = load_any(folder / "trained").frozen, saved(session)
    assert len(ours.statistics) == 4
    for name in ours.statistics:
        np.testing.assert_allclose(ours.tensors[name], theirs[name], rtol=1e-5, atol=1e-6)


def test_what_infers_is_the_model_without_the_loss(unpacked):
    labels = {"loss_in_model": "target", "own_names": "target", "layer_on_top": "labels", "two_heads": "target1"}
    for case, label in labels.items():
        folder, facts = unpacked(case)
        session = Session(compile_image(read_directory(folder), Options(batch=facts["batch"])).image)
        assert [t["name"] for t in session.inputs()] == ["x"]
        assert [t["name"] for t in session.labels()][:1] == [label]
        assert all(t["shape"] == (facts["batch"], 4) for t in session.outputs("infer"))


def test_a_loss_may_return_its_parts(unpacked):
    """Further outputs that labels take part in, as of a block that returns several names."""
    folder, facts = unpacked("two_heads")
    model = onnx.load(folder / "eval_model.onnx")
    part = next(node.output[0] for node in model.graph.node if node.op_type == "ReduceMean")
    model.graph.output.append(onnx.helper.make_tensor_value_info(part, onnx.TensorProto.FLOAT, []))
    onnx.save(model, folder / "eval_model.onnx")
    state = CheckpointState.load_checkpoint(folder / "trained")
    module = Module(folder / "training_model.onnx", state)
    loss, first = module(*next(batches(facts)))
    assert module.output_names()[1:] == [part] and 0 < 0.4 * first < np.ravel(loss)[0]
    assert abs(np.ravel(loss)[0] - facts["losses"][0]) < TOLERANCE


# ---- The command


def invoke(*arguments: object):
    return CliRunner().invoke(app, ["compile", *map(str, arguments)])


def test_the_command_takes_the_folder_and_another_checkpoint(unpacked):
    folder, _ = unpacked("mlp_l1_fixed_batch")
    first = invoke("--artifacts", folder)
    assert first.exit_code == 0 and "goes on from update 0, at the learning rate 0.001" in first.output
    assert Session((folder / "model.mote").read_bytes()).inputs()[0]["shape"] == (3, 16)
    again = invoke("--artifacts", folder, "--resume", folder / "trained", "--lr", 0.01, "-o", folder / "other.mote")
    assert again.exit_code == 0 and f"goes on from update {BEFORE}, at the learning rate 0.01" in again.output
    assert "author" in again.output and Session((folder / "other.mote").read_bytes()).learning_rate == np.float32(0.01)


def test_files_with_a_prefix(unpacked):
    folder, _ = unpacked("mlp_mse_sgd")
    for name in ("training_model.onnx", "eval_model.onnx", "optimizer_model.onnx", "checkpoint"):
        (folder / name).rename(folder / f"small_{name}")
    assert invoke("--artifacts", folder).exit_code == 0


@pytest.mark.parametrize(
    "options, words",
    [
        (["model.onnx"], "either a model or a folder"),
        (["--loss", "mse"], "--loss with --artifacts"),
        (["--set", "momentum=0.9"], "--set with --artifacts"),
        (["--ram", "96K"], "budget"),
        (["--batch", "4"], "batch"),
        (["--resume", "nowhere"], "cannot read nowhere"),
    ],
)
def test_options_that_contradict_are_refused(options, words, unpacked):
    folder, _ = unpacked("mlp_l1_fixed_batch")
    result = invoke("--artifacts", folder, *options)
    assert isinstance(result.exception, GradmoteError) and words in str(result.exception)


# ---- Files that do not belong together


def test_a_checkpoint_of_another_model_is_refused(unpacked):
    folder, _ = unpacked("lenet")
    shutil.copy(folder / "trained", folder.parent / "of_lenet")
    folder, _ = unpacked("mlp_clipped")
    with pytest.raises(CheckpointError, match="differ in what is trained: .*3.weight"):
        read_directory(folder, folder.parent / "of_lenet")


def test_a_parameter_of_another_shape_is_refused(unpacked):
    folder, _ = unpacked("mlp_mse_sgd")
    state = load_any(folder / "checkpoint")
    tensors = {n: a.reshape(1, -1) if a.ndim == 1 else a for n, a in state.tensors.items()}
    (folder / "checkpoint").write_bytes(written(Forged(tensors)))
    with pytest.raises(CheckpointError, match=r"'0.bias' has shape \[1, 12\] in the checkpoint, and \[12\]"):
        read_directory(folder)


def test_moments_of_another_shape_are_refused(unpacked):
    folder, _ = unpacked("mlp_clipped")
    state = load_any(folder / "checkpoint")
    odd = {"0.bias": [np.zeros(3, np.float32)] * 2}
    (folder / "checkpoint").write_bytes(written(Forged(state.tensors, steps=4, rate=0.01, moments=odd)))
    with pytest.raises(CheckpointError, match=r"'0.bias_moment1' has shape \[3\]"):
        read_directory(folder)


def test_a_nominal_checkpoint_is_completed_by_a_buffer(unpacked):
    folder, facts = unpacked("mlp_clipped")
    whole = CheckpointState.load_checkpoint(folder / "checkpoint")
    buffer = Module(folder / "training_model.onnx", whole).get_contiguous_parameters()
    (folder / "nominal").write_bytes(written(Forged(load_any(folder / "checkpoint").tensors, nominal=True)))
    with pytest.raises(CheckpointError, match="is nominal"):
        read_directory(folder, folder / "nominal")
    module = Module(folder / "training_model.onnx", CheckpointState.load_checkpoint(folder / "nominal"))
    with pytest.raises(CheckpointError, match="no data for"):
        module(*next(batches(facts, 0)))
    module.copy_buffer_to_parameters(buffer)
    assert abs(float(module(*next(batches(facts, 0)))) - facts["before"][0]) < TOLERANCE


def test_a_nominal_checkpoint_without_its_frozen_parameters_is_refused(unpacked):
    folder, _ = unpacked("mlp_frozen")
    state = load_any(folder / "checkpoint")
    (folder / "nominal").write_bytes(written(Forged(state.tensors, state.frozen, nominal=True)))
    with pytest.raises(CheckpointError, match="no data for 0.weight, 2.bias"):
        Module(folder / "training_model.onnx", CheckpointState.load_checkpoint(folder / "nominal"))


def test_an_unknown_optimizer_is_refused(unpacked):
    folder, _ = unpacked("mlp_clipped")
    model = onnx.load(folder / "optimizer_model.onnx")
    model.graph.node[-1].op_type = "LambOptimizer"
    onnx.save(model, folder / "optimizer_model.onnx")
    with pytest.raises(ModelError, match="LambOptimizer"):
        read_directory(folder)


def test_folders_that_are_no_artifacts_are_refused(tmp_path, unpacked):
    with pytest.raises(ModelError, match="no training_model.onnx"):
        read_directory(tmp_path / "nowhere")
    folder, _ = unpacked("mlp_clipped")
    (folder / "eval_model.onnx").unlink()
    with pytest.raises(ModelError, match="eval_model.onnx"):
        read_directory(folder)
    with pytest.raises(ModelError, match="whose eval model is needed too"):
        Module(folder / "training_model.onnx", CheckpointState.load_checkpoint(folder / "checkpoint"))
    (folder / "checkpoint").unlink()
    (folder / "checkpoint").mkdir()
    with pytest.raises(CheckpointError, match="is a folder"):
        read_directory(folder)


# ---- Gradmote's own artifacts go the same way


def test_artifacts_of_gradmote_with_a_trained_checkpoint(tmp_path):
    from numeric.training.conftest import write
    from numeric.training.test_training import batch

    files = write(tmp_path)
    state = CheckpointState.load_checkpoint(files / "checkpoint")
    module = Module(files / "training_model.onnx", state, files / "eval_model.onnx")
    optimizer = Optimizer(files / "optimizer_model.onnx", module)
    optimizer.set_learning_rate(0.02)
    data = [batch(4, seed) for seed in range(12)]
    losses = []
    for index, (x, labels) in enumerate(data):
        if index == 5:
            CheckpointState.save_checkpoint(state, files / "trained.gmck", include_optimizer_state=True)
        losses.append(float(module(x, labels)))
        optimizer.step()
        module.lazy_reset_grad()
    made = read_directory(files, files / "trained.gmck")
    session = Session(compile_image(made, Options(batch=4)).image)
    assert session.learning_rate == np.float32(0.02)
    assert saved(session).control["optimizer_steps"] == 5
    np.testing.assert_allclose([session.step(x, labels) for x, labels in data[5:]], losses[5:], rtol=1e-5)
