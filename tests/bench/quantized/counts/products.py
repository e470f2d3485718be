"""Machine instructions a multiply-accumulate of convolutions and of their gradients."""

from __future__ import annotations

from collections.abc import Iterator

from bench.quantized.counts import kernels
from bench.quantized.counts.cores import Core
from bench.quantized.counts.figures import Figure, Table, Wanted
from bench.quantized.counts.layers import LAYERS, Layer

KERNELS = {"forward": kernels.FORWARD, "dX": kernels.GRADIENT_OF_INPUTS, "dW": kernels.GRADIENT_OF_WEIGHTS}
#: Of pointwise layers on a Cortex-M4F: a sum of at least so many channels -> at most so many instructions.
BY_LENGTH = {96: 1.1, 16: 1.7}
DEPTHWISE = 3.5
#: Of pointwise layers on other cores: forward, and gradients.
POINTWISE = {"cortex-m0": (6.6, 6.6), "cortex-m3": (3.0, 3.0), "cortex-m55": (0.33, 0.5)}


def target(core: Core, column: str, layer: Layer) -> float | None:
    if core.name == "cortex-m4f" and layer.is_depthwise():
        return DEPTHWISE
    if not layer.is_pointwise():
        return None
    if core.name == "cortex-m4f":
        channels = layer.out_channels if column == "dX" else layer.in_channels
        return next((most for length, most in BY_LENGTH.items() if channels >= length), None)
    forward, gradients = POINTWISE.get(core.name, (None, None))
    return forward if column == "forward" else gradients


def figures(core: Core, wanted: Wanted) -> Iterator[Figure]:
    layers = [layer for layer in LAYERS if wanted(layer.name)]
    for column, kernel in KERNELS.items():
        for layer, count in kernels.instructions(core, kernel, layers).items():
            yield Figure(core.name, layer.name, column, count / layer.macs(), target(core, column, layer))


TABLE = Table("machine instructions a multiply-accumulate", figures)
