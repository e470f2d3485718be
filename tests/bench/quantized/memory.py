"""The RAM of one step of training, in float32 and in int8. The compiler computes it; nothing is sampled.

The int8 forms take int8 inputs, as sensors and the published figures have them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import onnx

from gradmote import compile_model, losses, optimizers
from gradmote.compiler import Options
from gradmote.compiler.options import GRADIENTS
from support.quantized import by_onnxruntime

KB = 1024
#: Network -> the most bytes that its arena may have with int16 gradients, batch 1, all weights trained.
LIMITS = {"ds_cnn": 125 * KB, "resnet_8": 216 * KB, "mobilenet_v1": 480 * KB}
INT16 = "int8, int16 gradients"
#: The type of gradients of each form; None: all is in float32.
FORMS = {"float32": None, "int8, float32 gradients": "float"}
if "int16" in GRADIENTS:
    FORMS[INT16] = "int16"


@dataclass(frozen=True)
class Figures:
    """arena, image: in bytes, by the names of FORMS."""

    network: str
    arena: dict[str, int]
    image: dict[str, int]


def measure(network: str) -> Figures:
    results = {form: compiled(network, form) for form in FORMS}
    arena = {form: result.layout.arena_size for form, result in results.items()}
    return Figures(network, arena, {form: len(result.image) for form, result in results.items()})


def compiled(network: str, form: str):  # type: ignore[no-untyped-def]
    """Return the compiler's result, all weights trained with SGD."""
    options, sgd = Options(gradients=FORMS[form]), optimizers.sgd(0.01)
    return compile_model(model(network, form), losses.cross_entropy(), sgd, options)


def model(network: str, form: str) -> onnx.ModelProto:
    if form == "float32":
        return by_onnxruntime.float_network(network)
    return by_onnxruntime.of_integers(by_onnxruntime.network(network))


def broken(found: list[Figures]) -> Iterator[str]:
    """Yield the networks whose arenas are larger than promised."""
    for figures in found:
        arena, limit = figures.arena.get(INT16, 0), LIMITS[figures.network]
        if arena > limit:
            yield f"{by_onnxruntime.NETWORKS[figures.network]}: {arena:,} B, more than {limit:,}"
