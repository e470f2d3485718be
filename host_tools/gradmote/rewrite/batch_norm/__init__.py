"""BatchNormalization in one of four modes: y = (x - mean) / sqrt(var + epsilon) scale + bias.

frozen   The running statistics stay fixed; scale and bias train. The small batches on a device
         give poor statistics, so fine-tuning keeps those of pre-training.
fold     Statistics, scale and bias are multiplied into the weights of the preceding Conv or Gemm;
         those weights train.
batch    Training normalizes with the statistics of the batch and updates the running ones;
         inference and evaluation use the running ones.
exported Nodes that were exported in training mode are "batch", all others "frozen".
"""

from __future__ import annotations

from collections.abc import Callable, Set

import onnx_ir as ir

from ...errors import ModelError
from ...ir.metadata import BATCH_NORM
from . import claim, fold
from .running_statistics import run_frozen
from .shared import batch_norms

#: The default mode.
FROZEN = "frozen"
#: The pass of each mode, which runs when a model is read.
MODES: dict[str, Callable[[ir.Graph, Set[str]], None]] = {
    FROZEN: run_frozen,
    "fold": fold.run,
    "batch": claim.run,
    "exported": claim.run_exported,
}
#: The mode of a model that is not trained.
INFERENCE = "inference"


def run(graph: ir.Graph, keep: Set[str], mode: str) -> None:
    """Apply a mode to every BatchNormalization and record it in the graph.

    Raises ModelError for an unknown mode, and UnsupportedOperator if the mode cannot be applied.
    """
    if mode not in (*MODES, INFERENCE):
        raise ModelError(f"batch_norm is '{mode}'", f"choose {', '.join(MODES)}")
    count = len(batch_norms(graph))
    (fold.run_for_inference if mode == INFERENCE else MODES[mode])(graph, keep)
    if count:
        BATCH_NORM.write(graph, (mode, count))
