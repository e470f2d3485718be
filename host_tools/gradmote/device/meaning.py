"""The meaning of a model's scores: probabilities or not, and from which score on the answer is class 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradmote.formats.image import Image, read_image

from ..data.dataset import Array
from .target import Target
from .types import Tensor

#: Instructions that change the form of numbers, and not what they mean.
_PASS_ON = ("COPY", "COPY_S8", "QUANTIZE", "DEQUANTIZE")


@dataclass(frozen=True)
class Meaning:
    """An image's statement on its scores.

    Attributes:
        activation: The opcode that makes the first output of the program infer, before any change of
            form, such as "SOFTMAX" or "GEMM"; "" if no instruction makes it.
        is_binary: Whether the loss is a binary cross-entropy.
    """

    activation: str
    is_binary: bool


def meaning_of(target: Target) -> Meaning:
    """Return what the scores of a target's model mean."""
    given = target.image()
    if not given:  # the twin of an open session has none
        return Meaning("", False)
    image = read_image(given)
    opcodes = {instruction["opcode"] for program in image.programs for instruction in program["instructions"]}
    binary = not opcodes.isdisjoint({"BCE_WITH_LOGITS_LOSS", "BCE_WITH_LOGITS_LOSS_GRAD"})
    return Meaning(last_activation(image), binary)


def has_classes(target: Target, y: Array | None) -> bool:
    """Return whether the labels y are classes.

    Integers are, if the loss takes class indices or is a binary cross-entropy; for another loss on
    float32 they are numbers to hit. Under a binary cross-entropy on one score a sample, 0 and 1 in
    float32 are classes too.
    """
    if y is None:
        return False
    label = label_of(target)
    if y.dtype.kind in "iu":
        return label is None or label.dtype != "float32" or meaning_of(target).is_binary
    single = label is not None and label.elements == target.info().batch
    return single and bool(np.isin(y, (0, 1)).all()) and meaning_of(target).is_binary


def label_of(target: Target) -> Tensor | None:
    """Return the first label that the model takes; None if it takes none."""
    program = next((p for p in ("eval", "step", "train") if p in target.info().programs), None)
    return None if program is None else target.describe(program, "label", 0)


def rebuilds(target: Target) -> bool:
    """Return whether the model's label has the type and shape of its input, of several numbers a sample."""
    first, label = target.describe("infer", "input", 0), label_of(target)
    if first is None or label is None or first.elements <= target.info().batch:
        return False
    return (first.dtype, tuple(first.shape)) == (label.dtype, tuple(label.shape))


def last_activation(image: Image) -> str:
    """Return the opcode that makes the first output of the program infer, before any change of form."""
    output = next((t for t in image.tensors if t["role"] == "output" and "infer" in t["programs"]), None)
    program = next((p for p in image.programs if p["kind"] == "infer"), None)
    if output is None or program is None:
        return ""
    address = f"arena+{output['offset']}"
    for instruction in reversed(program["instructions"]):
        operands = instruction["operands"]
        if operands.get("y") == address:
            if instruction["opcode"] not in _PASS_ON:
                return str(instruction["opcode"])
            address = operands["x"]
    return ""


def threshold_of(target: Target) -> float:
    """Return the score above which a single score means class 1: 1/2 after a Sigmoid, otherwise 0.

    The image is read only if the model has a single score of float32.
    """
    output = target.describe("infer", "output", 0)
    if output is None or output.elements != target.info().batch or output.dtype != "float32":
        return 0.0
    return 0.5 if meaning_of(target).activation == "SIGMOID" else 0.0


def probabilities(scores: Array, activation: str) -> Array:
    """Return the probability of each class, (N, classes) in float64, for scores (N, classes) after `activation`.

    A single score, (N, 1), becomes two columns. Scores that no Softmax or Sigmoid made go through one.
    """
    scores = scores.astype(np.float64)
    if scores.shape[1] == 1:
        positive = of_each(scores, activation)
        return np.hstack([1 - positive, positive])
    if activation == "SOFTMAX":
        return scores
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def of_each(scores: Array, activation: str) -> Array:
    """Return the probability of each score on its own, in float64: a Sigmoid's result, or the Sigmoid of the score."""
    scores = scores.astype(np.float64)
    return scores if activation == "SIGMOID" else 1 / (1 + np.exp(-np.clip(scores, -700, 700)))
