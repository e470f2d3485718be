"""All notes that Gradmote makes in a model, as metadata that survives in an ONNX file.

A note is text under a key, on a node, a graph or a model. Only this module reads or writes
`metadata_props`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, overload

import onnx_ir as ir

from ..errors import ModelError, shorten

T = TypeVar("T")
_PREFIX = "gradmote."
_LABEL = "gradmote.label"
_AGAIN = "generate the artifacts again"

#: The limit of learning rates and of other hyper-parameters, safely below the largest finite float32.
LARGEST = 1e38


class Noted(Protocol):
    """A node, graph or model."""

    @property
    def metadata_props(self) -> dict[str, str]:
        """Return the texts by key."""


@dataclass(frozen=True)
class Note(Generic[T]):
    """One key, with the type of its value and its conversion to text."""

    name: str
    encode: Callable[[T], str]
    decode: Callable[[str], T]

    @property
    def key(self) -> str:
        """Return the key in the file."""
        return _PREFIX + self.name

    def stands_in(self, where: Noted) -> bool:
        """Return whether there is such a note."""
        return self.key in where.metadata_props

    def write(self, where: Noted, value: T) -> None:
        """Make the note, replacing an earlier one."""
        where.metadata_props[self.key] = self.encode(value)

    @overload
    def read(self, where: Noted) -> T | None: ...
    @overload
    def read(self, where: Noted, default: T) -> T: ...
    def read(self, where: Noted, default: T | None = None) -> T | None:
        """Return the value of the note, or `default` if there is none.

        Raises ModelError for a text that write() did not make.
        """
        text = where.metadata_props.get(self.key)
        try:
            return default if text is None else self.decode(text)
        except (ValueError, IndexError, RecursionError) as error:
            raise ModelError(f"the model's metadata has {self.key} = '{shorten(str(text), 60)}'", _AGAIN) from error

    def copy(self, source: Noted, target: Noted) -> None:
        """Make the same note in `target` if `source` has one."""
        if self.stands_in(source):
            target.metadata_props[self.key] = source.metadata_props[self.key]


def text(name: str) -> Note[str]:
    """Return a note that holds a word."""
    return Note(name, str, str)


def number(name: str, is_valid: Callable[[float], bool]) -> Note[float]:
    """Return a note that holds a number accepted by `is_valid`."""

    def decode(text: str) -> float:
        value = float(text)
        if not is_valid(value):
            raise ValueError("out of range")
        return value

    return Note(name, lambda value: repr(float(value)), decode)


def is_loss_scale(value: float) -> bool:
    """Return whether a number is a power of two from 2^-64 to 2^64: no other factor keeps all bits."""
    return 2.0**-64 <= value <= 2.0**64 and math.frexp(value)[0] == 0.5


def is_learning_rate(value: float) -> bool:
    """Return whether a number is a learning rate that every optimizer takes."""
    return 0.0 <= value < LARGEST


def names(name: str) -> Note[list[str]]:
    """Return a note that holds a list of names."""
    return Note(name, lambda value: json.dumps(list(value)), _names_of)


def _names_of(text: str) -> list[str]:
    """Return the names in a JSON list. Raises ValueError for any other text."""
    found = json.loads(text)
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise ValueError("not a list of names")
    return found


def _modes(name: str) -> Note[tuple[str, int]]:
    return Note(name, lambda value: f"{value[0]} {value[1]}", lambda text: (text.split()[0], int(text.split()[1])))


# ---- Notes on a node

LAYER = text("layer")  #: the node of the user's model from which it came
BACKWARD = text("backward")  #: it is part of the gradient of that node
NO_GRADIENT = text("no_gradient")  #: its outputs count as constants, because their users do not depend on them
BATCH_STATISTICS = text("batch_statistics")  #: it computes mean and variance of a batch: the kind of variance
GLOBAL_POOL = text("global_pool")  #: this ReduceMean was a GlobalAveragePool

# ---- Notes on a graph

WEIGHTS = names("weights")  #: the model's own weights, because passes add other constants
BUFFERS = names("buffers")  #: constants of the model that could be weights by their type, but are not
TIED: Note[dict[str, str]] = Note("tied", json.dumps, json.loads)  #: copy that an exporter made -> its weight
EQUAL: Note[list[list[str]]] = Note("equal", json.dumps, json.loads)  #: pairs of equal weights that stay two
#: The axis of samples in the user's model of each input and output that had them on another than the first; also on a
#: model.
SAMPLE_AXES: Note[dict[str, int]] = Note("sample_axes", json.dumps, json.loads)
CLASSES = names("classes")  #: the names of its classes in the order of its scores; also on a model
UNSURE = names("unsure")  #: weights of the model that may not be weights
STATISTICS = names("statistics")  #: the running means and variances that are state; also on a training model
BATCH_NORM = _modes("batch_norm")  #: the mode and the number of its BatchNormalizations
SHARED_WEIGHTS: Note[dict[str, list[str]]] = Note("shared_weights", json.dumps, json.loads)  #: weight -> its nodes

# ---- Notes on a model

OUTPUTS = names("outputs")  #: the outputs of the user's model
ADDITIONAL = names("additional")  #: the outputs after the loss that were asked for
INPUT_GRADIENTS = names("input_gradients")  #: the inputs whose gradients a training model returns
LABELS = names("labels")  #: the inputs that are labels
LOSS = text("loss")  #: the output that is the loss: this is a training or eval model
PARAMETERS = names("parameters")  #: the trained parameters, in state order
FROZEN = names("frozen")  #: the untrained weights that belong to the checkpoint
SCHEME = text("scheme")  #: what is trained, as schemes.Scheme.parse() reads it
#: The factor by which gradients are too large; 1 without a note.
LOSS_SCALE = number("loss_scale", is_loss_scale)
OPTIMIZER = text("optimizer")  #: the rule: this is an optimizer model
LEARNING_RATE = number("learning_rate", is_learning_rate)  #: the initial learning rate


def remove_notes(model: ir.Model) -> None:
    """Remove every note of Gradmote from a model, its graph and its nodes."""
    for where in (model, model.graph, *model.graph):
        for key in [k for k in where.metadata_props if k.startswith(_PREFIX)]:
            del where.metadata_props[key]


# ---- Stops of gradients in a user's model

#: The key of a text on an Identity of a user's own file: no gradient goes through it.
STOP_GRADIENT = "stop_gradient"


def note_stops(model: ir.Model) -> None:
    """Note the nodes that let no gradient through by the user's own metadata.

    Raises ModelError if one is not an Identity, which passes would replace.
    """
    for node in model.graph:
        if STOP_GRADIENT in node.metadata_props:
            if node.op_type != "Identity" or node.domain:
                raise ModelError(f"node '{node.name}', {node.op_type}, has {STOP_GRADIENT}", "put it on an Identity")
            NO_GRADIENT.write(node, "1")


# ---- Labels


def mark_label(value: ir.Value) -> ir.Value:
    """Mark an input as a label, so that tools can distinguish it from data, and return it.

    In a file, the names of labels are on the model: restore_labels().
    """
    value.meta[_LABEL] = True
    return value


def is_label(value: ir.Value) -> bool:
    """Return whether an input is a label."""
    return bool(value.meta.get(_LABEL))


def restore_labels(model: ir.Model) -> None:
    """Mark the inputs that the model's note LABELS names.

    Raises ModelError if they do not exist.
    """
    labels = LABELS.read(model, [])
    found = [value for value in model.graph.inputs if value.name in labels]
    if len(found) != len(labels):
        raise ModelError(f"the labels of the model are {labels}, which are not its inputs", _AGAIN)
    for value in found:
        mark_label(value)
