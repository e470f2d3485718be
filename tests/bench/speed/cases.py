"""The cases that are measured: networks, batches and programs, on the host and on boards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import onnx
from bench.speed.networks import NETWORKS
from numeric.models.onnx_network import onnx_network

from gradmote import losses, optimizers
from gradmote.artifacts import Artifacts, build_artifacts
from gradmote.compiler import Options, Result, compile_image
from gradmote.optimizers import Optimizer

#: Key in networks.py -> what it is called.
TITLES = {
    "mlp": "MLP 64-32-10",
    "cnn": "CNN 28x28",
    "lenet": "LeNet",
    "ds_cnn": "DS-CNN",
    "resnet_8": "ResNet-8",
    "autoencoder": "autoencoder",
    "mobilenet_v1": "MobileNetV1-0.25",
}
ON_HOST = ("mlp", "lenet", "ds_cnn", "resnet_8", "autoencoder", "mobilenet_v1")
BATCHES = (1, 32)
PROGRAMS = ("train", "infer")
RATE = 1e-3
#: Of networks with gradients so small that AdamW makes much of how they were rounded: at RATE, that alone parts the
#: losses of MobileNetV1 by 4e-3 in three steps.
SMALLER_RATE = {"mobilenet_v1": 1e-5}
OPTIMIZERS: dict[str, Callable[[], Optimizer]] = {
    "sgd": lambda: optimizers.sgd(RATE),
    "adamw": lambda: optimizers.adamw(RATE),
    "adamw_ort": lambda: optimizers.adamw_ort(RATE),
}


@dataclass(frozen=True)
class HostCase:
    """One row of the host's table. program: train (a step with its update, AdamW) or infer."""

    network: str
    batch: int
    program: str

    @property
    def rate(self) -> float:
        """Return the rate at which losses are compared."""
        return SMALLER_RATE.get(self.network, RATE)

    @property
    def statistics(self) -> str:
        """Return which statistics batch norms take in training: those of the batch, as in onnxruntime always. The
        autoencoder's have one value a channel at batch 1, which has no variance: there they keep the running ones."""
        return "frozen" if self.batch == 1 and self.network == "autoencoder" else "batch"


@dataclass(frozen=True)
class BoardCase:
    """One row of a board's table: a step with its update, and the inference of the same image."""

    network: str
    optimizer: str
    batch: int

    def __str__(self) -> str:
        return f"{TITLES[self.network]}, {self.optimizer}, batch {self.batch}"


HOST_CASES = [HostCase(network, batch, program) for network in ON_HOST for batch in BATCHES for program in PROGRAMS]
BOARD_CASES = [BoardCase("mlp", optimizer, batch) for optimizer in ("sgd", "adamw") for batch in (1, 8)]
BOARD_CASES += [BoardCase(n, "sgd", 1) for n in ("cnn", "lenet", "ds_cnn", "resnet_8", "autoencoder", "mobilenet_v1")]


@cache
def model(network: str) -> onnx.ModelProto:
    return onnx_network(NETWORKS[network].make(), NETWORKS[network].shape)


def artifacts(network: str, optimizer: str, statistics: str) -> Artifacts:
    loss = losses.cross_entropy() if NETWORKS[network].classes else losses.mse()
    return build_artifacts(model(network), None, loss, OPTIMIZERS[optimizer](), batch_norm=statistics)


def training(network: str, optimizer: str, batch: int, statistics: str = "frozen") -> Result:
    """The image that trains every weight."""
    return compile_image(artifacts(network, optimizer, statistics), Options(batch=batch))


def inference(network: str, batch: int) -> Result:
    """The image that only infers: its batch norms are in the weights."""
    return compile_image(build_artifacts(model(network)), Options(batch=batch))


def has_batch_norm(network: str) -> bool:
    return any(node.op_type == "BatchNormalization" for node in model(network).graph.node)


def samples(network: str, batch: int) -> tuple[np.ndarray, np.ndarray]:
    """One batch of noise, and labels; of a network that gives back its input, that input."""
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, (batch, *NETWORKS[network].shape)).astype(np.float32)
    classes = NETWORKS[network].classes
    return x, x if classes is None else rng.integers(0, classes, batch)
