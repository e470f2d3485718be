"""The names of the classes in a model's file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import onnx_ir as ir

from ..ir.metadata import CLASSES


def class_names(model: ir.Model) -> list[str]:
    """Return the names of the classes, in the order of the scores; none if the file has none.

    They come from Gradmote's own note, or scikit-learn's `classes_` as skl2onnx writes them: the labels among which
    the largest score chooses. Numbers counting from 0 do not count as names.
    """
    names = CLASSES.read(model, []) or next(chosen_among(model.graph), [])
    return [] if names == [str(number) for number in range(len(names))] else names


def chosen_among(graph: ir.Graph) -> Iterator[list[str]]:
    """Yield the labels of each node that chooses among labels."""
    for node in graph:
        labels = node.inputs[0].const_value if node.op_type == "ArrayFeatureExtractor" and node.inputs[0] else None
        if labels is not None:
            yield [text(label) for label in labels.numpy().reshape(-1).tolist()]


def text(label: Any) -> str:
    """Return a label (UTF-8 bytes, text or a number) as text."""
    return label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)
