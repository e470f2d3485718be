"""A 1-D CNN that distinguishes exercises.

The twin pre-trains it on other people. Then it is compiled to learn one person's motion on the
device.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx

from gradmote import losses, optimizers
from gradmote.artifacts.export import trained_model
from gradmote.compiler.compile import Result, compile_model
from gradmote.compiler.options import Options
from gradmote.device.dataset import Dataset
from gradmote.device.progress import fit_with_progress
from gradmote.device.twin_target import TwinTarget
from gradmote.errors import ModelError
from gradmote.formats.files import build_folder, make_folder, write_atomically
from gradmote.optimizers import Optimizer

GRAPH = """
<ir_version: 10, opset_import: ["" : 18]>
watch (float[batch, 6, 100] motion) => (float[batch, 7] scores) {
  sum1 = Conv <strides = [2], pads = [2, 2]> (motion, conv1_weight, conv1_bias)
  map1 = Relu (sum1)
  sum2 = Conv <strides = [2], pads = [2, 2]> (map1, conv2_weight, conv2_bias)
  map2 = Relu (sum2)
  sum3 = Conv <strides = [2], pads = [1, 1]> (map2, conv3_weight, conv3_bias)
  map3 = Relu (sum3)
  mean = GlobalAveragePool (map3)
  features = Flatten (mean)
  scores = Gemm <transB = 1> (features, head_weight, head_bias)
}
"""
SHAPES = {"conv1": (16, 6, 5), "conv2": (32, 16, 5), "conv3": (64, 32, 3), "head": (7, 64)}

PRETRAINING_EPOCHS, PRETRAINING_BATCH, PRETRAINING_RATE = 8, 32, 0.003
EPOCHS, BATCH = 5, 4  #: on the device


class Training(NamedTuple):
    """A way to train on the device; `weights` are patterns of names, or None for all."""

    title: str
    weights: list[str] | None
    optimizer: Optimizer


#: "head" trains the last layer, whose moments take little memory. "all" trains without moments, which
#: would double the memory.
TRAININGS = {
    "head": Training("the last layer", ["head_*"], optimizers.adamw(0.02)),
    "all": Training("all layers", None, optimizers.sgd(0.05)),
}


def training(name: str) -> Training:
    """Return one of TRAININGS. Raises ModelError for any other name."""
    if name not in TRAININGS:
        raise ModelError(f"there is no training '{name}'", f"choose one of {', '.join(TRAININGS)}")
    return TRAININGS[name]


def network(seed: int = 0) -> onnx.ModelProto:
    """Return GRAPH with fresh weights, 9,751 of them.

    They are drawn as in He et al., 2015: their variance is 2 / inputs of one output.
    """
    model = onnx.parser.parse_model(GRAPH)
    random = np.random.default_rng(seed)
    for layer, shape in SHAPES.items():
        weight = random.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))
        for name, values in (("weight", weight), ("bias", np.zeros(shape[0]))):
            tensor = onnx.numpy_helper.from_array(values.astype(np.float32), f"{layer}_{name}")
            model.graph.initializer.append(tensor)
    return model


def pretrained(others: Dataset, epochs: int = PRETRAINING_EPOCHS) -> onnx.ModelProto:
    """Return the network after `epochs` over other people's windows.

    This takes some ten seconds on the twin. The result is cached in build/, and reused as long as network,
    data and training stay the same.
    """
    model = network()
    optimizer = optimizers.adamw(PRETRAINING_RATE)
    compiled = compile_model(model, losses.cross_entropy(), optimizer, Options(batch=PRETRAINING_BATCH))
    kept = build_folder() / "pretrained" / f"watch-{_key(compiled.image, others, epochs)}.onnx"
    if kept.exists():
        return onnx.load(kept)
    with TwinTarget() as twin:
        twin.load_image(compiled.image)
        steps = epochs * (len(others.x) // PRETRAINING_BATCH)
        twin.set_linear_schedule(PRETRAINING_RATE, warmup_steps=steps // 10, total_steps=steps)
        fit_with_progress(twin, others, epochs)
        learned = trained_model(model, twin.save())
    _keep(kept, learned)
    return learned


def _key(image: bytes, data: Dataset, epochs: int) -> str:
    """Return a digest of everything that determines the pre-training."""
    digest = hashlib.sha256(image)
    for array in (data.x, data.y, np.array([data.scale, data.zero, epochs])):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def _keep(path: Path, model: onnx.ModelProto) -> None:
    make_folder(path.parent)
    write_atomically(path, model.SerializeToString(deterministic=True))


def compile_for(model: onnx.ModelProto, chosen: Training) -> Result:
    """Return the image that trains in steps of BATCH windows."""
    options = Options(batch=BATCH)
    return compile_model(model, losses.cross_entropy(), chosen.optimizer, options, train=chosen.weights)
