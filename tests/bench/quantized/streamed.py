"""The RAM of one step of the networks of MCUNetV3, whose layers run row by row if that takes less.

MCUNet-5fps trains what MCUNetV3 published: the biases of the last 22 convolutions, the weights of six of the first
pointwise convolutions of inverted residuals (two of these in part), and a new head in float32. The schemes of the other
two are like it. Inputs are int8, in the order in which cameras give pixels, and programs may overwrite them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from onnx import TensorProto

from gradmote import compile_model, losses, optimizers
from gradmote.compiler import Options
from gradmote.compiler.compile import Result
from support.quantized import mcunet

KB = 1024
#: Network -> the blocks whose first pointwise convolution trains its weights.
BLOCKS = {"mbv2-w0.35": range(11, 15), "proxyless-w0.3": range(14, 18), "mcunet-5fps": range(7, 11)}
#: Network -> the blocks of whose first pointwise convolution a share of the channels trains.
SHARES = {
    "mbv2-w0.35": {15: 0.25, 16: 0.25},
    "proxyless-w0.3": {18: 0.25, 19: 0.25},
    "mcunet-5fps": {12: 0.125, 13: 0.25},
}
#: What MCUNetV3 reports for its own schemes, in KB.
PUBLISHED = {"mbv2-w0.35": 141, "proxyless-w0.3": 135, "mcunet-5fps": 173}


@dataclass(frozen=True)
class Streamed:
    """The bytes of the arena with whole layers and by rows."""

    network: str
    whole: int
    by_rows: int


def scheme(blocks: Iterable[int], shares: Mapping[int, float]) -> str:
    parts = [f"sparse:{share}:named:{weight(block)}" for block, share in shares.items()]
    return "+".join(["bias:last:23+head", *parts, f"named:{','.join(map(weight, blocks))}"])


def published(network: str) -> str:
    return scheme(BLOCKS[network], SHARES[network])


def weight(block: int) -> str:
    return f"blocks.{block}.pointwise1.weight"


def compiled(network: str, stream_rows: bool | None = None, blocks: Iterable[int] = ()) -> Result:
    """Return the compiler's result; `blocks` are others than those of BLOCKS, and without shares."""
    model = mcunet.channels_last(mcunet.network(network, input_type=TensorProto.INT8))
    chosen = scheme(blocks, {}) if blocks else published(network)
    options = Options(overwrite_inputs=True, stream_rows=stream_rows)
    return compile_model(model, losses.cross_entropy(), optimizers.sgd(0.01), options, scheme=chosen)


def measure(network: str) -> Streamed:
    sizes = [compiled(network, stream_rows).layout.arena_size for stream_rows in (False, None)]
    return Streamed(network, *sizes)


def table(found: list[Streamed]) -> tuple[list[str], list[list[str]]]:
    """Return columns and rows: kilobytes of 1024 bytes."""
    rows = [
        [mcunet.NETWORKS[f.network], f"{f.whole / KB:.0f} KB", f"{f.by_rows / KB:.0f} KB", f"{PUBLISHED[f.network]} KB"]
        for f in found
    ]
    return ["network", "whole layers", "by rows", "MCUNetV3"], rows
