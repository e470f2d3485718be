"""The result of gradmote.sklearn.compile(): the image, and the way from coefficients to a checkpoint and back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import ModelProto, numpy_helper

from gradmote_runtime import Session

from ..compiler.compile import Result
from ..errors import CheckpointError, DataError, ModelError
from ..formats.checkpoint import load, unpack
from ..formats.parameters import with_tensors
from .exporting import exported
from .predictors import Predictor, replace_numbers

#: A session, a .gmck file, or its bytes.
Learned = Session | str | os.PathLike[str] | bytes


@dataclass(frozen=True)
class Made:
    """A compiled estimator.

    onnx: the estimator as it infers. result: the image with the facts known from its compilation. parameters: the
    names of what trains. classes: a classifier's labels in the order of the scores.
    """

    onnx: ModelProto
    result: Result
    parameters: tuple[str, ...]
    classes: np.ndarray | None

    @property
    def image(self) -> bytes:
        """The image, the bytes of a .mote file."""
        return self.result.image

    def session(self, profile: str = "fused", threads: int = 1) -> Session:
        """Open a session of the image. The arguments are those of gradmote.Session."""
        return Session(self.image, profile, threads)

    def __repr__(self) -> str:
        """Return the result's line: the fields themselves fill pages."""
        return f"<Made: {self.result!r}>"

    def _repr_html_(self) -> str:
        """Return the memory map and the layers for a notebook."""
        return self.result._repr_html_()

    def labels(self, y: Sequence[Any] | np.ndarray) -> np.ndarray:
        """Return the estimator's targets as the image's label takes them.

        That is float32 (N, targets) for regression. Classes become int32 indices (N), or float32 (N, 1) of 0 and 1 if
        there are two, or float32 (N, classes) if the loss that was passed takes these. Raises DataError for a class
        that the estimator has not seen.
        """
        wanted = np.asarray(y)
        if self.classes is None:
            return wanted.astype(np.float32).reshape(len(wanted), -1)
        unknown = ~np.isin(wanted, self.classes)
        if unknown.any():
            raise DataError(
                f"the estimator has no class {wanted[unknown].tolist()[0]!r}", f"it has {self.classes.tolist()}"
            )
        indices = np.searchsorted(self.classes, wanted)
        with self.session() as session:
            label = session.labels()[0]
        if label["dtype"] == "int32":
            return indices.astype(np.int32)
        width = label["shape"][1]
        return np.eye(width, dtype=np.float32)[indices] if width > 1 else indices.astype(np.float32).reshape(-1, 1)

    def checkpoint(self, estimator: Any) -> bytes:
        """Return the checkpoint from which a board or session goes on with the estimator's coefficients.

        Moments and counters begin as in the image. Raises ModelError for another estimator than the compiled one.
        """
        model, _ = self.same(estimator)
        arrays = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer if t.name in self.parameters}
        with self.session() as session:
            return with_tensors(session.save(), arrays, {})

    def update(self, estimator: Any, learned: Learned) -> None:
        """Put what was learned into the estimator's coefficients, in their types and shapes.

        Raises ModelError for another estimator than the compiled one, and CheckpointError for the checkpoint of
        another model. Nothing else of the estimator changes.
        """
        _, predictor = self.same(estimator)
        tensors = self.read(learned)
        for name in self.parameters:
            replace_numbers(predictor.estimator, name, tensors[name])

    def same(self, estimator: Any) -> tuple[ModelProto, Predictor]:
        """Return the estimator's model and last step.

        Raises ModelError unless it is the compiled estimator, or one that differs in coefficients alone.
        """
        model, predictor = exported(estimator)
        own, given = (dict(parts(each, self.parameters)) for each in (self.onnx, model))
        differs = next((name for name in {**own, **given} if own.get(name) != given.get(name)), None)
        if differs is not None:
            raise ModelError(f"this estimator differs from the compiled one in {differs}", "compile it too")
        return model, predictor

    def read(self, learned: Learned) -> Mapping[str, np.ndarray]:
        """Return the parameters in a checkpoint. Raises CheckpointError unless it is one of this image."""
        if isinstance(learned, Session):
            found = unpack(learned.save())
        else:
            found = unpack(learned) if isinstance(learned, bytes) else load(learned)
        own = {t.name: tuple(t.dims) for t in self.onnx.graph.initializer if t.name in self.parameters}
        if {name: found.tensors[name].shape for name in found.parameters} != own:
            raise CheckpointError("the checkpoint belongs to another model", "pass one that was saved from this image")
        return found.tensors


def parts(model: ModelProto, parameters: Sequence[str]) -> Iterator[tuple[str, object]]:
    """Yield what must be equal in two models that differ only in what trains: steps, constants, shapes and classes."""
    yield "its steps", [(node.op_type, *node.input, *map(str, node.attribute)) for node in model.graph.node]
    for tensor in model.graph.initializer:
        numbers = b"" if tensor.name in parameters else numpy_helper.to_array(tensor).tobytes()
        yield tensor.name, (list(tensor.dims), numbers)
    yield "its classes", {note.key: note.value for note in model.metadata_props}
