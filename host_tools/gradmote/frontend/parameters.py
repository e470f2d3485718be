"""Which initializers are trained."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import onnx_ir as ir

from ..errors import ModelError
from .load import candidates


def choose_parameters(
    graph: ir.Graph, train: Sequence[str] | None = None, freeze: Sequence[str] | None = None
) -> list[str]:
    """Names of the initializers to train, in the model's order. Both arguments take names or patterns (`head.*`).

    train: these and no others; freeze: all weights but these. Neither: all weights, which are the float32 initializers with
    at least one dimension. Raises ModelError for a pattern that matches nothing, or when nothing is left.
    """
    names = candidates(graph)
    if train is not None:
        picked = match(names, train)
    else:
        picked = set(names) - (match(names, freeze) if freeze is not None else set())
    if not picked:
        raise ModelError("no parameter is left to train", f"the model's weights are {', '.join(names) or 'none'}")
    return [n for n in names if n in picked]


def match(names: Sequence[str], patterns: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for pattern in patterns:
        hits = [n for n in names if fnmatchcase(n, pattern)]
        if not hits:
            raise ModelError(f"no weight matches '{pattern}'", f"the model's weights are {', '.join(names)}")
        found.update(hits)
    return found
