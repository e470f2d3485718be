"""Schemes of the networks of MCUNetV3 whose whole steps are counted: one table, for others to join."""

from __future__ import annotations

from dataclasses import dataclass

from bench.quantized import streamed
from onnx import TensorProto

from gradmote import compile_model, losses, optimizers
from gradmote.compiler import Options
from support.quantized import mcunet


@dataclass(frozen=True)
class Scheme:
    """network: one of mcunet.NETWORKS. scheme: as `--scheme` has it."""

    network: str
    scheme: str


BIASES, PUBLISHED = "MCUNet-5fps, biases of the last 22", "MCUNet-5fps, as MCUNetV3 trains it"
#: Row -> what is trained.
SCHEMES = {
    BIASES: Scheme("mcunet-5fps", "head+bias:last:22"),
    PUBLISHED: Scheme("mcunet-5fps", streamed.published("mcunet-5fps")),
}
#: Row -> core -> at most so many millions. TinyEngine takes 106 million for the published scheme.
TARGETS: dict[str, dict[str, float]] = {PUBLISHED: {"cortex-m4f": 60.0}}


def image(row: str) -> bytes:
    chosen = SCHEMES[row]
    model = mcunet.channels_last(mcunet.network(chosen.network, input_type=TensorProto.INT8))
    options = Options(overwrite_inputs=True)
    return compile_model(model, losses.cross_entropy(), optimizers.sgd(0.01), options, scheme=chosen.scheme).image


def reason_to_skip() -> str:
    """Return why they cannot be counted, or "" if they can."""
    return "" if mcunet.folder() else mcunet.reason()
