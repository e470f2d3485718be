"""Machine instructions per weight of an SGD update.

For an update fused with its gradient (CONV_UPDATE_S16): the instructions beyond those of the gradient alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.quantized.counts import kernels
from bench.quantized.counts.cores import Core
from bench.quantized.counts.figures import Figure, Table, Wanted
from bench.quantized.counts.layers import LAYERS

ALONE = {"UPDATE_S8": kernels.UPDATE_OF_BYTES, "UPDATE_S16": kernels.UPDATE_OF_MASTERS}
FUSED = {"fused int8": kernels.CONV_UPDATE_OF_BYTES, "fused int16": kernels.CONV_UPDATE_OF_MASTERS}
#: Core -> at most so many instructions a weight.
TARGETS = {"cortex-m4f": 15.0}


def figures(core: Core, wanted: Wanted) -> Iterator[Figure]:
    layers = [layer for layer in LAYERS if layer.is_pointwise() and wanted(f"update, {layer.name}")]
    gradients = kernels.instructions(core, kernels.GRADIENT_OF_WEIGHTS, layers)
    for column, kernel in (ALONE | FUSED).items():
        for layer, count in kernels.instructions(core, kernel, layers).items():
            own = count - gradients[layer] if column in FUSED else count
            row = f"update, {layer.name}"
            yield Figure(core.name, row, column, own / layer.weights(), TARGETS.get(core.name))


TABLE = Table("machine instructions a weight", figures)
