"""Schemes of the networks of MCUNetV3 whose whole steps are counted: one table, for others to join."""

from __future__ import annotations

from dataclasses import dataclass

from onnx import TensorProto

from gradmote import compile_model, losses, optimizers
from gradmote.compiler import Options
from support.quantized import mcunet


@dataclass(frozen=True)
class Scheme:
    """network: one of mcunet.NETWORKS. scheme: as `--scheme` has it."""

    network: str
    scheme: str


#: Row -> what is trained. TinyEngine takes 106 million for a sparse step of MCUNet-5fps.
SCHEMES = {"MCUNet-5fps, biases of the last 22": Scheme("mcunet-5fps", "head+bias:last:22")}
#: Row -> core -> at most so many millions.
TARGETS: dict[str, dict[str, float]] = {}


def image(row: str) -> bytes:
    chosen = SCHEMES[row]
    model = mcunet.network(chosen.network, input_type=TensorProto.INT8)
    options = Options(overwrite_inputs=True)
    return compile_model(model, losses.cross_entropy(), optimizers.sgd(0.01), options, scheme=chosen.scheme).image


def reason_to_skip() -> str:
    """Return why they cannot be counted, and nothing where they can."""
    return "" if mcunet.folder() else mcunet.reason()
