"""Makes the fixtures of this folder with onnxruntime-training 1.19.2, which needs an environment of its own:

    python3.11 -m venv ort
    ort/bin/pip install -r .ci/requirements-onnxruntime-training.txt
    ort/bin/python tests/numeric/training/ort_artifacts/make.py [CASE...]

Each case is a .zip: the files of generate_artifacts, the checkpoint `trained` that was saved with the optimizer's state
after BEFORE steps, and losses.json with the losses of the STEPS steps that onnxruntime took from there.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import onnx
import onnxruntime
import torch
from onnxruntime.training import api, artifacts, onnxblock

FOLDER = Path(__file__).resolve().parent
sys.path += [str(FOLDER.parents[2]), str(FOLDER)]

from batches import BEFORE, STEPS, batch_of  # noqa: E402
from numeric.models import networks  # noqa: E402

FILES = ("training_model.onnx", "eval_model.onnx", "optimizer_model.onnx", "checkpoint", "trained")


def mlp() -> torch.nn.Module:
    layers = [torch.nn.Linear(16, 12), torch.nn.ReLU(), torch.nn.Linear(12, 4)]
    return torch.nn.Sequential(*layers)


def batch_norm() -> torch.nn.Module:
    layers = [*networks.conv_bn(2, 4, 3), *networks.conv_bn(4, 4, 3, groups=4), torch.nn.Flatten()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(144, 4))


class TwoHeads(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.a, self.b = torch.nn.Linear(16, 8), torch.nn.Linear(8, 4), torch.nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        h = torch.tanh(self.body(x))
        return self.a(h), self.b(h)


class WeightedAverageLoss(onnxblock.Block):
    """The custom loss of onnxruntime's documentation."""

    def __init__(self) -> None:
        super().__init__()
        self._loss1, self._loss2 = onnxblock.loss.MSELoss(), onnxblock.loss.MSELoss()
        self._w1, self._w2 = onnxblock.blocks.Constant(0.4), onnxblock.blocks.Constant(0.6)
        self._add, self._mul = onnxblock.blocks.Add(), onnxblock.blocks.Mul()

    def build(self, loss_input_name1: str, loss_input_name2: str) -> str:
        return self._add(
            self._mul(self._w1(), self._loss1(loss_input_name1, target_name="target1")),
            self._mul(self._w2(), self._loss2(loss_input_name2, target_name="target2")),
        )


class LossInModel(torch.nn.Module):
    """A network that returns its own loss."""

    def __init__(self) -> None:
        super().__init__()
        self.network = mlp()

    def forward(self, x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return ((self.network(x) - target) ** 2).mean()


class OwnNames(onnxblock.Block):
    """A loss of nodes that onnxblock did not name."""

    def build(self, y: str) -> str:
        graph = self.base.graph
        graph.input.append(onnx.helper.make_tensor_value_info("target", onnx.TensorProto.FLOAT, ["batch", 4]))
        for op, inputs, output in (("Sub", [y, "target"], "off"), ("Abs", ["off"], "far"), ("ReduceSum", ["far"], "l")):
            attributes = {"keepdims": 0} if op == "ReduceSum" else {}
            graph.node.append(onnx.helper.make_node(op, inputs, [output], **attributes))
        return "l"


class LayerOnTop(onnxblock.Block):
    """One more layer, which is not trained, below the loss."""

    def __init__(self) -> None:
        super().__init__()
        self._layer, self._loss = onnxblock.blocks.Linear(4, 4), onnxblock.loss.CrossEntropyLoss()

    def build(self, y: str) -> str:
        scores = self._layer(y)
        info = onnx.helper.make_tensor_value_info(scores, onnx.TensorProto.FLOAT, ["batch", 4])
        self.base.graph.output.append(info)
        return self._loss(scores)


@dataclass
class Case:
    """One training. rate: None for onnxruntime's 1e-3. schedule: warm-up and total steps, as they are meant."""

    network: Any
    sample: tuple[int, ...]
    loss: Any
    optimizer: Any
    batch: int = 4
    dynamic: bool = True
    rate: float | None = None
    schedule: tuple[int, int] | None = None
    frozen: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    in_training_mode: bool = True  # onnxruntime cannot open the eval model of a BatchNormalization in this mode


LOSSES, OPTIMIZERS = artifacts.LossType, artifacts.OptimType
ADAMW, SGD = OPTIMIZERS.AdamW, OPTIMIZERS.SGD


def clipped_adamw() -> Any:
    clip = onnxblock.optim.ClipGradNorm(0.1)
    return onnxblock.optim.AdamW(betas=(0.8, 0.99), eps=1e-5, weight_decay=0.05, clip_grad=clip)


def uncorrected_adamw() -> Any:
    return onnxblock.optim.AdamW(bias_correction=False)


CASES = {
    "lenet": Case(networks.lenet, (1, 28, 28), LOSSES.CrossEntropyLoss, ADAMW, batch=8, rate=0.002),
    "ds_cnn": Case(networks.ds_cnn, (1, 49, 10), LOSSES.CrossEntropyLoss, ADAMW, batch=8, rate=0.0003),
    "batch_norm": Case(batch_norm, (2, 6, 6), LOSSES.CrossEntropyLoss, ADAMW, batch=6, in_training_mode=False),
    "mlp_mse_sgd": Case(mlp, (16,), LOSSES.MSELoss, SGD, rate=0.05),
    "mlp_l1_fixed_batch": Case(mlp, (16,), LOSSES.L1Loss, ADAMW, batch=3, dynamic=False),
    "mlp_bce": Case(mlp, (16,), LOSSES.BCEWithLogitsLoss, ADAMW, batch=5, options={"additional_output_names": ["y0"]}),
    "mlp_frozen": Case(mlp, (16,), LOSSES.CrossEntropyLoss, SGD, rate=0.1, frozen=("0.weight", "2.bias")),
    "mlp_clipped": Case(mlp, (16,), LOSSES.CrossEntropyLoss, clipped_adamw, rate=0.01),
    "mlp_uncorrected": Case(mlp, (16,), LOSSES.CrossEntropyLoss, uncorrected_adamw, rate=0.001),
    "mlp_scheduled": Case(mlp, (16,), LOSSES.CrossEntropyLoss, ADAMW, rate=0.02, schedule=(20, 60)),
    "loss_in_model": Case(LossInModel, (16,), None, SGD, rate=0.05),
    "own_names": Case(mlp, (16,), OwnNames, ADAMW),
    "layer_on_top": Case(mlp, (16,), LayerOnTop, ADAMW),
    "two_heads": Case(TwoHeads, (16,), WeightedAverageLoss, ADAMW, rate=0.003),
}


def export(case: Case, path: Path) -> onnx.ModelProto:
    """The network with seeded weights, in training mode, as onnxruntime's documentation exports it."""
    torch.manual_seed(7)
    model = case.network().train(case.in_training_mode)
    with torch.no_grad():
        for layer in model.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):  # the exporter merges what is equal
                for tensor in (layer.weight, layer.bias, layer.running_mean, layer.running_var):
                    tensor.add_(torch.rand(tensor.shape) * 0.2)
    x = torch.zeros(case.batch, *case.sample)
    arguments = (x, torch.zeros(case.batch, 4)) if case.loss is None else (x,)
    inputs = ["x", "target"][: len(arguments)]
    made = model(*arguments)
    names = [f"y{i}" for i in range(len(made) if isinstance(made, tuple) else 1)]
    axes = {name: {0: "batch"} for name in (*inputs, *names)} if case.dynamic else None
    if case.loss is None:
        del axes[names[0]]
    torch.onnx.export(
        model, arguments, str(path), input_names=inputs, output_names=names, dynamic_axes=axes, opset_version=15,
        training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False, dynamo=False,
    )  # fmt: skip
    return onnx.load(path)


def generate(case: Case, folder: Path) -> None:
    model = export(case, folder / "model.onnx")
    names = [tensor.name for tensor in model.graph.initializer]
    frozen = [name for name in names if name in case.frozen or "running_" in name]
    loss = case.loss if case.loss is None or isinstance(case.loss, LOSSES) else case.loss()
    optimizer = case.optimizer if isinstance(case.optimizer, OPTIMIZERS) else case.optimizer()
    trained = [tensor.name for tensor in model.graph.initializer if tensor.data_type == 1 and tensor.name not in frozen]
    artifacts.generate_artifacts(
        model, requires_grad=trained, frozen_params=frozen, loss=loss, optimizer=optimizer,
        artifact_directory=str(folder), **case.options,
    )  # fmt: skip


def train(case: Case, folder: Path, checkpoint: str, first: int, steps: int, save: str = "") -> list[float]:
    """The losses of the steps from number `first` on, from a checkpoint."""
    state = api.CheckpointState.load_checkpoint(str(folder / checkpoint))
    module = api.Module(str(folder / "training_model.onnx"), state)
    optimizer = api.Optimizer(str(folder / "optimizer_model.onnx"), module)
    if case.rate is not None:
        optimizer.set_learning_rate(case.rate)
    scheduler = None
    if case.schedule is not None:  # onnxruntime exchanges the two counts
        scheduler = api.LinearLRScheduler(optimizer, case.schedule[1], case.schedule[0], case.rate)
    inputs = input_shapes(folder, case.batch)
    losses = []
    for index in range(first, first + steps):
        result = module(*batch_of(inputs, index))
        losses.append(float(result[0] if isinstance(result, tuple) else result))
        optimizer.step()
        module.lazy_reset_grad()
        if scheduler is not None:
            scheduler.step()
    if save:
        state.properties["epoch"], state.properties["accuracy"], state.properties["author"] = 3, 0.5, "onnxruntime"
        api.CheckpointState.save_checkpoint(state, str(folder / save), include_optimizer_state=True)
    return losses


def input_shapes(folder: Path, batch: int) -> list[tuple[str, str, list[int]]]:
    """Name, kind and shape of data and labels; the last dimension of the scores is the number of classes."""
    graph = onnx.load(folder / "eval_model.onnx").graph
    found = []
    for value in graph.input:
        tensor = value.type.tensor_type
        shape = [d.dim_value or batch for d in tensor.shape.dim]
        if value.name == "x" or value.name.startswith(("target", "labels")):
            found.append((value.name, "labels" if tensor.elem_type == onnx.TensorProto.INT64 else "float", shape))
    return found


def make(name: str, case: Case) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        generate(case, folder)
        before = train(case, folder, "checkpoint", 0, BEFORE, "trained")
        losses = train(case, folder, "trained", BEFORE, STEPS)
        facts = {
            "rate": case.rate, "schedule": case.schedule, "batch": case.batch, "before": before, "losses": losses,
            "inputs": input_shapes(folder, case.batch),
        }  # fmt: skip
        (folder / "losses.json").write_text(json.dumps(facts))
        with zipfile.ZipFile(FOLDER / f"{name}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for file in (*FILES, "losses.json"):
                archive.writestr(zipfile.ZipInfo(file, (2020, 1, 1, 0, 0, 0)), (folder / file).read_bytes())
    print(f"{name}: {losses[0]:.6f} -> {losses[-1]:.6f}, {(FOLDER / f'{name}.zip').stat().st_size:,} B")


def main() -> None:
    onnxruntime.set_default_logger_severity(3)
    for name in sys.argv[1:] or CASES:
        make(name, CASES[name])


if __name__ == "__main__":
    main()
