"""The networks, schemes and batches that are measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import onnx
from numeric.models import networks
from numeric.models.onnx_network import onnx_network

from gradmote import losses, optimizers
from gradmote.artifacts import Artifacts, build_artifacts
from support import digits

NETWORKS = {
    "mlp": "MLP 64-32-10",
    "lenet": "LeNet",
    "ds_cnn": "DS-CNN",
    "resnet_8": "ResNet-8",
    "autoencoder": "autoencoder",
    "mobilenet_v1": "MobileNetV1-0.25",
    "mobilenet_v2": "MobileNetV2-w0.35",
}
SCHEMES = ("full", "head", "bias", "sparse:0.25")
BATCHES = (1, 8)


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    network: str
    scheme: str
    batch: int


CASES = [Case(network, scheme, batch) for network in NETWORKS for scheme in SCHEMES for batch in BATCHES]


@cache
def model(network: str) -> onnx.ModelProto:
    if network == "mlp":
        return digits.model()
    spec = networks.NETWORKS[network]
    return onnx_network(spec.make(), spec.shape)


@cache
def artifacts(network: str, scheme: str) -> Artifacts:
    """Return artifacts with SGD, which has no state of its own: the arena is parameters, inputs and scratch."""
    loss = losses.cross_entropy() if classes(network) else losses.mse()
    return build_artifacts(model(network), None, loss, optimizers.sgd(0.01), scheme=scheme)


def sample_shape(network: str) -> tuple[int, ...]:
    return (64,) if network == "mlp" else networks.NETWORKS[network].shape


def classes(network: str) -> int | None:
    """Return the number of classes; None if the network is trained to give back its input."""
    return 10 if network == "mlp" else networks.NETWORKS[network].classes
