"""Losses that were written for onnxruntime.training.onnxblock, with onnxruntime's values."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from numeric.training.ort_artifacts.batches import BEFORE, batch_of

import gradmote
from gradmote import onnxblock
from gradmote.artifacts.directory import read_directory
from gradmote.compiler.options import Options
from gradmote.errors import CheckpointError, ModelError
from gradmote.training import CheckpointState, Module, Optimizer

FIXTURES = Path(__file__).parents[1] / "training" / "ort_artifacts"

#: As in onnxruntime's documentation, except the first import.
SCRIPT = """
import gradmote.onnxblock as onnxblock
from gradmote import artifacts

class WeightedAverageLoss(onnxblock.Block):
    def __init__(self):
        self._loss1 = onnxblock.loss.MSELoss()
        self._loss2 = onnxblock.loss.MSELoss()
        self._w1 = onnxblock.blocks.Constant(0.4)
        self._w2 = onnxblock.blocks.Constant(0.6)
        self._add = onnxblock.blocks.Add()
        self._mul = onnxblock.blocks.Mul()

    def build(self, loss_input_name1, loss_input_name2):
        return self._add(
            self._mul(self._w1(), self._loss1(loss_input_name1, target_name="target1")),
            self._mul(self._w2(), self._loss2(loss_input_name2, target_name="target2"))
        )

my_custom_loss = WeightedAverageLoss()
artifacts.generate_artifacts(base_model, requires_grad=requires_grad,
                             loss=my_custom_loss, optimizer=artifacts.OptimType.AdamW, artifact_directory=folder)
"""


@pytest.fixture
def unpacked(tmp_path):
    """(folder, facts, the inference model from which onnxruntime's artifacts were made)."""

    def unpack(case: str) -> tuple[Path, dict, onnx.ModelProto]:
        zipfile.ZipFile(FIXTURES / f"{case}.zip").extractall(tmp_path)
        state = CheckpointState.load_checkpoint(tmp_path / "checkpoint")
        module = Module(tmp_path / "training_model.onnx", state, tmp_path / "eval_model.onnx")
        outputs = ["y0", "y1"] if case == "two_heads" else ["y0"]
        module.export_model_for_inferencing(tmp_path / "model.onnx", outputs)
        facts = json.loads((tmp_path / "losses.json").read_text())
        return tmp_path, facts, onnx.load(tmp_path / "model.onnx")

    return unpack


def weights(model: onnx.ModelProto) -> list[str]:
    return [tensor.name for tensor in model.graph.initializer if tensor.name.endswith(("weight", "bias"))]


def trained(folder: Path, facts: dict) -> list[float]:
    state = CheckpointState.load_checkpoint(folder / "checkpoint")
    module = Module(folder / "training_model.onnx", state, folder / "eval_model.onnx")
    optimizer = Optimizer(folder / "optimizer_model.onnx", module)
    if facts["rate"] is not None:
        optimizer.set_learning_rate(facts["rate"])
    losses = []
    for step in range(BEFORE):
        result = module(*batch_of(facts["inputs"], step))
        losses.append(float(result[0] if isinstance(result, tuple) else result))
        optimizer.step()
        module.lazy_reset_grad()
    return losses


def test_the_script_of_the_documentation(unpacked, tmp_path):
    _, facts, model = unpacked("two_heads")
    made = tmp_path / "made"
    exec(SCRIPT, {"base_model": model, "requires_grad": weights(model), "folder": made})
    np.testing.assert_allclose(trained(made, facts), facts["before"], rtol=1e-5)


class OwnNames(onnxblock.Block):
    def build(self, y):
        graph = self.base.graph
        graph.input.append(onnx.helper.make_tensor_value_info("target", onnx.TensorProto.FLOAT, ["batch", 4]))
        for op, inputs, output in (("Sub", [y, "target"], "off"), ("Abs", ["off"], "far"), ("ReduceSum", ["far"], "l")):
            attributes = {"keepdims": 0} if op == "ReduceSum" else {}
            graph.node.append(onnx.helper.make_node(op, inputs, [output], **attributes))
        return "l"


BLOCKS = {
    "mlp_mse_sgd": (onnxblock.loss.MSELoss, onnxblock.optim.SGD),
    "mlp_l1_fixed_batch": (onnxblock.loss.L1Loss, onnxblock.optim.AdamW),
    "mlp_bce": (onnxblock.loss.BCEWithLogitsLoss, onnxblock.optim.AdamW),
    "mlp_clipped": (
        onnxblock.loss.CrossEntropyLoss,
        lambda: onnxblock.optim.AdamW(
            betas=(0.8, 0.99), eps=1e-5, weight_decay=0.05, clip_grad=onnxblock.optim.ClipGradNorm(0.1)
        ),
    ),
    "own_names": (OwnNames, onnxblock.optim.AdamW),
}


@pytest.mark.parametrize("case", BLOCKS)
def test_blocks_of_losses_and_optimizers(case, unpacked, tmp_path):
    _, facts, model = unpacked(case)
    loss, optimizer = BLOCKS[case]
    gradmote.artifacts.generate_artifacts(
        model, requires_grad=weights(model), loss=loss(), optimizer=optimizer(), artifact_directory=tmp_path / "made"
    )
    np.testing.assert_allclose(trained(tmp_path / "made", facts), facts["before"], rtol=1e-5)


def test_a_block_is_a_loss_of_the_compiler(unpacked):
    _, facts, model = unpacked("mlp_mse_sgd")
    made = gradmote.compile_model(model, onnxblock.loss.MSELoss(), onnxblock.optim.SGD(), Options(batch=facts["batch"]))
    session = gradmote.Session(made.image)
    session.learning_rate = facts["rate"]
    losses = [session.step(*batch_of(facts["inputs"], step)) for step in range(BEFORE)]
    np.testing.assert_allclose(losses, facts["before"], rtol=1e-5)


class Stacked(onnxblock.TrainingBlock):
    def __init__(self):
        super().__init__()
        self.loss = onnxblock.loss.CrossEntropyLoss()

    def build(self, scores):
        return self.loss(scores), scores


def test_a_training_block_makes_the_four_files(unpacked, tmp_path):
    _, facts, model = unpacked("mlp_clipped")
    block = Stacked()
    for name in weights(model):
        block.requires_grad(name)
    with onnxblock.base(model) as accessor:
        block(*[output.name for output in model.graph.output])
        training, evaluation = block.to_model_proto()
        assert accessor.model.graph.output[0].name == "loss"
    optimizer = onnxblock.optim.AdamW(
        betas=(0.8, 0.99), eps=1e-5, weight_decay=0.05, clip_grad=onnxblock.optim.ClipGradNorm(0.1)
    )
    with onnxblock.empty_base(15):
        optimizer(block.parameters())
    made = tmp_path / "made"
    made.mkdir()
    for name, proto in (("training", training), ("eval", evaluation), ("optimizer", optimizer.to_model_proto())):
        onnx.save(proto, made / f"{name}_model.onnx")
    onnxblock.save_checkpoint(block.parameters(), made / "checkpoint")
    found = read_directory(made)
    assert list(found.parameters) == weights(model) and found.models.optimizer is not None
    np.testing.assert_allclose(trained(made, facts), facts["before"], rtol=1e-5)
    assert Module(
        made / "training_model.onnx", CheckpointState.load_checkpoint(made / "checkpoint")
    ).output_names() == ["loss", "y0"]


def test_frozen_parameters_of_a_training_block(unpacked):
    _, _, model = unpacked("mlp_clipped")
    block = Stacked()
    for name in weights(model):
        block.requires_grad(name, name.startswith("2."))
    with onnxblock.base(model):
        block("y0")
    trained_tensors, frozen = block.parameters()
    assert [t.name for t in trained_tensors] == ["2.weight", "2.bias"] and {t.name for t in frozen} == {
        "0.weight",
        "0.bias",
    }


def test_a_training_block_without_requires_grad_trains_nothing(unpacked, caplog):
    _, _, model = unpacked("mlp_clipped")
    block = Stacked()
    with pytest.raises(ModelError, match="Please build the training and eval models first"):
        block.to_model_proto()
    with onnxblock.base(model):
        block("y0")
    assert block.parameters() == ([], []) and "no parameter of the training model trains" in caplog.text
    training, evaluation = block.to_model_proto()
    assert [o.name for o in training.graph.output] == [o.name for o in evaluation.graph.output] == ["loss", "y0"]
    assert training.graph.input[-1].name == "lazy_reset_grad"


def test_a_training_block_returns_gradients_of_inputs(unpacked, tmp_path):
    _, facts, model = unpacked("mlp_clipped")
    block = Stacked()
    for name in ("x", "2.bias"):
        block.requires_grad(name)
    with onnxblock.base(model):
        block("y0")
    training, _ = block.to_model_proto()
    assert [o.name.partition("_grad")[0] for o in training.graph.output] == ["loss", "y0", "x", "2.bias"]
    x, labels = batch_of(facts["inputs"], 0)
    feeds = {"x": x, "labels": labels, "lazy_reset_grad": np.array([True])}
    for value in training.graph.input:
        if value.name.endswith("buffer"):
            shape = x.shape if value.name.startswith("x_") else (4,)
            feeds[value.name] = np.full(shape, np.nan, np.float32)
    session = onnxruntime.InferenceSession(training.SerializeToString())
    (gradient,) = session.run(["x_grad.accumulation.out"], feeds)
    step = 1e-2 * np.sign(gradient)
    ahead, behind = (session.run(["loss"], {**feeds, "x": x + s})[0] for s in (step, -step))
    assert float(ahead - behind) / 2 == pytest.approx(float((gradient * step).sum()), rel=0.01)
    onnx.save(training, tmp_path / "training_model.onnx")
    onnxblock.save_checkpoint(block.parameters(), tmp_path / "own")
    with pytest.raises(ModelError, match="the gradient of x, an input"):
        Module(tmp_path / "training_model.onnx", CheckpointState.load_checkpoint(tmp_path / "own"))


# ---- Optimizer models, run by onnxruntime

GRADIENTS = [np.array([[3.0, -4.0]], np.float32), np.array([12.0, 0.5, -1.0], np.float32)]
PARAMETERS = [np.array([[0.5, 1.5]], np.float32), np.array([-1.0, 2.0, 0.25], np.float32)]


def step_of(optimizer: onnxblock.Block, **feeds) -> list:
    """The outputs of the model of an optimizer block, which onnxruntime runs."""
    tensors = [onnx.numpy_helper.from_array(array, f"p{index}") for index, array in enumerate(PARAMETERS)]
    with onnxblock.empty_base(17):
        optimizer((tensors, []))
    session = onnxruntime.InferenceSession(optimizer.to_model_proto().SerializeToString())
    rate, step = np.array([0.01], np.float32), np.array([3], np.int64)
    feeds |= {"learning_rate": rate, "step": step, "params": PARAMETERS, "gradients": GRADIENTS}
    return session.run(None, feeds)


def clipped(max_norm: float) -> list[np.ndarray]:
    norm = np.sqrt(sum((g.astype(np.float64) ** 2).sum() for g in GRADIENTS))
    return [g * min(1.0, max_norm / (norm + 1e-6)) for g in GRADIENTS]


@pytest.mark.parametrize("max_norm", [0.5, 100.0])
def test_the_model_of_sgd(max_norm):
    done, updated = step_of(onnxblock.optim.SGD(clip_grad=onnxblock.optim.ClipGradNorm(max_norm)))
    assert done.tolist() == [True]
    for new, old, gradient in zip(updated, PARAMETERS, clipped(max_norm), strict=True):
        np.testing.assert_allclose(new, old - 0.01 * gradient, rtol=1e-6)


def test_the_model_of_adamw():
    rng = np.random.default_rng(0)
    m, v = ([f(rng.normal(size=g.shape)).astype(np.float32) for g in GRADIENTS] for f in (np.asarray, np.abs))
    moments = {"first_order_moments": m, "second_order_moments": v}
    optimizer = onnxblock.optim.AdamW(betas=(0.8, 0.99), eps=1e-5, weight_decay=0.1)
    done, updated, *found = step_of(optimizer, **moments)
    assert done.tolist() == [True]
    for index, gradient in enumerate(GRADIENTS):
        m_new, v_new = 0.8 * m[index] + 0.2 * gradient, 0.99 * v[index] + 0.01 * gradient.astype(np.float64) ** 2
        rate = 0.01 * np.sqrt(1 - 0.99**3) / (1 - 0.8**3)
        expected = (PARAMETERS[index] - rate * m_new / (np.sqrt(v_new) + 1e-5)) * (1 - 0.01 * 0.1)
        for new, want in zip((updated, *found), (expected, m_new, v_new), strict=True):
            np.testing.assert_allclose(new[index], want, rtol=1e-5, atol=1e-6)


# ---- Each building block computes what its name says

B = onnxblock.blocks
X = np.array([[0.5, -1.25, 2.0], [3.0, 0.25, -0.75]], np.float32)
Z = np.array([[1.5, 2.0, 4.0], [0.5, 8.0, 1.0]], np.float32)
ONE_BLOCK = {
    "Add": (B.Add, X + Z),
    "Sub": (B.Sub, X - Z),
    "Mul": (B.Mul, X * Z),
    "Div": (B.Div, X / Z),
    "Pow": (lambda: B.Pow(2.0), X**2),
    "Sigmoid": (B.Sigmoid, 1 / (1 + np.exp(-X))),
    "Neg": (B.Neg, -X),
    "Abs": (B.Abs, np.abs(X)),
    "Clip": (lambda: B.Clip(-1.0, 1.0), X.clip(-1, 1)),
    "Clip above": (lambda: B.Clip(clip_max=1.0), np.minimum(X, 1)),
    "ReduceMean": (lambda: B.ReduceMean(keepdims=False), X.mean()),
    "ReduceSum": (B.ReduceSum, X.sum().reshape(1, 1)),
    "ReduceAllL2": (B.ReduceAllL2, np.sqrt((X**2).sum() + (Z**2).sum()).reshape(1)),
    "Cast": (lambda: B.Cast(onnx.TensorProto.DOUBLE), X.astype(np.float64)),
    "PassThrough": (B.PassThrough, X),
    "SequenceConstruct": (B.SequenceConstruct, [X, Z]),
}


@pytest.mark.parametrize("name", ONE_BLOCK)
def test_a_building_block(name):
    make, expected = ONE_BLOCK[name]
    two = name in ("Add", "Sub", "Mul", "Div", "ReduceAllL2", "SequenceConstruct")
    with onnxblock.empty_base(17) as accessor:
        graph = accessor.model.graph
        graph.input.extend(onnx.helper.make_tensor_value_info(n, 1, [2, 3]) for n in ("x", "z"))
        output = make()(*["x", "z"][: 1 + two])
        graph.output.append(onnx.ValueInfoProto(name=output))
        inferred = onnx.shape_inference.infer_shapes(accessor.model).graph
        known = {v.name: v for v in (*inferred.value_info, *inferred.input)}
        graph.output[0].CopyFrom(known[output])
        accessor.model.ir_version = 8
        session = onnxruntime.InferenceSession(accessor.model.SerializeToString())
    result = session.run(None, {"x": X, "z": Z})[0]
    for part, want in zip(result, expected) if isinstance(expected, list) else [(result, expected)]:
        np.testing.assert_allclose(part, want, rtol=1e-6)


def test_a_layer_and_a_constant():
    class Doubled(onnxblock.ForwardBlock):
        def build(self, x):
            return B.Mul()(B.Linear(3, 2)(x), B.Constant(2.0)())

    block = Doubled()
    with onnxblock.empty_base(17) as accessor:
        accessor.model.ir_version = 8
        accessor.model.graph.input.append(onnx.helper.make_tensor_value_info("x", 1, ["n", 3]))
        block("x")
    model = block.to_model_proto()
    w, b, two = (onnx.numpy_helper.to_array(t) for t in model.graph.initializer)
    result = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": X})[0]
    np.testing.assert_allclose(result, (X @ w + b) * two, rtol=1e-5)


PUBLIC = {
    onnxblock: """Block ForwardBlock TrainingBlock base blocks custom_op_library empty_base load_checkpoint_to_model
    loss optim save_checkpoint""",
    onnxblock.loss: "BCEWithLogitsLoss CrossEntropyLoss L1Loss MSELoss",
    onnxblock.optim: "AdamW ClipGradNorm SGD",
    onnxblock.blocks: """Abs Add Block Cast Clip Constant Div InputLike LabelEncoder Linear Log Mul Neg PassThrough Pow
    ReduceAllL2 ReduceMean ReduceSum SequenceConstruct Sigmoid Sub""",
}


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
def test_the_public_names_are_those_of_onnxruntime(module):
    assert sorted(module.__all__) == sorted(PUBLIC[module].split())


# ---- Checkpoints, and what is refused


def test_parameters_of_a_checkpoint_go_into_a_model(unpacked):
    folder, _, model = unpacked("mlp_clipped")
    onnxblock.load_checkpoint_to_model(folder / "trained", model)
    state = CheckpointState.load_checkpoint(folder / "trained")
    for tensor in model.graph.initializer:
        assert np.array_equal(onnx.numpy_helper.to_array(tensor), state.parameters[tensor.name].data)
    with pytest.raises(CheckpointError, match="is of another model"):
        onnxblock.load_checkpoint_to_model(folder / "trained", onnx.ModelProto())


def test_what_has_no_meaning_is_refused(unpacked):
    _, _, model = unpacked("mlp_clipped")
    with pytest.raises(ModelError, match="no model to append"):
        B.Add()("a", "b")
    with onnxblock.base(model), pytest.raises(ModelError, match="already"), onnxblock.base(model):
        pass
    with pytest.raises(ModelError, match="custom operators"), onnxblock.custom_op_library("ops.so"):
        pass
    with pytest.raises(ModelError, match="bias correction"):
        onnxblock.optim.AdamW(bias_correction=False)
    with pytest.raises(ModelError, match="first"):
        Stacked().parameters()


class NoName(onnxblock.Block):
    def build(self, y):
        return None


class NoValue(onnxblock.Block):
    def build(self, y):
        return B.Abs()("nowhere")


class Encoded(onnxblock.Block):
    def build(self, y):
        return B.ReduceMean(keepdims=False)(B.LabelEncoder(keys_floats=[0.0], values_floats=[1.0])(y))


@pytest.mark.parametrize(
    "loss, words", [(NoName, "the block returned None"), (NoValue, "reads 'nowhere'"), (Encoded, "LabelEncoder")]
)
def test_blocks_that_are_no_losses_are_refused(loss, words, unpacked):
    _, _, model = unpacked("mlp_clipped")
    with pytest.raises(ModelError, match=words):
        gradmote.compile_model(model, loss(), onnxblock.optim.SGD())
