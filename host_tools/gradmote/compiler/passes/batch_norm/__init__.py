"""BatchNormalization, in one of three modes that the user chooses: y = (x - mean) / sqrt(var + epsilon) scale + bias.

frozen   the running statistics stay as they are; scale and bias train. Small batches, as a device has them, make
         poor statistics: fine-tuning keeps those of the pre-training.
fold     statistics, scale and bias vanish in the weights of the Conv or Gemm before; those train.
batch    training normalizes with the statistics of the batch and updates the running ones; inference and
         evaluation use the running ones.
"""

from __future__ import annotations

from collections.abc import Callable, Set

import onnx_ir as ir

from ....errors import ModelError
from . import claim, fold, frozen
from .shared import batch_norms

#: The mode where nobody chooses.
FROZEN = "frozen"
#: What each mode does to a model when it is read.
MODES: dict[str, Callable[[ir.Graph, Set[str]], None]] = {FROZEN: frozen.run, "fold": fold.run, "batch": claim.run}
#: What becomes of it where nothing trains.
INFERENCE = "inference"

#: Metadata of a graph: the mode, and how many nodes it was for.
_MODE = "gradmote.batch_norm"


def run(graph: ir.Graph, keep: Set[str], mode: str) -> None:
    """Applies a mode and records it. Raises ModelError for an unknown one, UnsupportedOperator where it cannot be."""
    if mode not in (*MODES, INFERENCE):
        raise ModelError(f"batch_norm is '{mode}'", f"choose {', '.join(MODES)}")
    count = len(batch_norms(graph))
    (fold.run_for_inference if mode == INFERENCE else MODES[mode])(graph, keep)
    if count:
        graph.metadata_props[_MODE] = f"{mode} {count}"


def applied(metadata: dict[str, str]) -> tuple[str, int] | None:
    """(mode, layers) of a model that was read; None where it has no BatchNormalization."""
    mode, _, count = metadata.get(_MODE, "").partition(" ")
    return (mode, int(count)) if count else None
