"""The blocks that make whole models: ForwardBlock and TrainingBlock."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import onnx
from onnx import numpy_helper

from ..artifacts.artifacts import Artifacts
from ..artifacts.build import build_artifacts
from ..artifacts.file_form import evaluation_in_file, training_in_file
from ..errors import ModelError
from ..ir.graph import Builder
from ..ir.write import to_proto
from .base_model import current, opened
from .block import Block, loss_value

log = logging.getLogger(__name__)


class ForwardBlock(Block):
    """A block whose result becomes the output of the current model."""

    _model: onnx.ModelProto | None = None

    @abstractmethod
    def build(self, *args: Any, **kwargs: Any) -> Any:
        """Append to `self.base`, and return the name of the model's output, or several."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Append to the current model, and give it the outputs that build() returned."""
        if args and isinstance(args[0], Builder):
            return loss_value(self, args[0], args[1:])
        result = super().__call__(*args, **kwargs)
        names = [result] if isinstance(result, str) else list(result)
        self._model = with_outputs(self.infer_shapes_on_base(), names)
        current().CopyFrom(self._model)
        return result

    def to_model_proto(self) -> onnx.ModelProto:
        """Return the model. Raises ModelError before the block was called."""
        return built(self._model, "Please build the forward models first before trying to retrieve it.")


class TrainingBlock(Block):
    """A block whose first result is the loss of a model that trains.

    Parameters train if requires_grad() names them; otherwise nothing trains, as in onnxruntime.
    """

    _made: Artifacts | None = None

    @abstractmethod
    def build(self, *args: Any, **kwargs: Any) -> Any:
        """Append the loss to `self.base`, and return its name, then further outputs."""

    def requires_grad(self, argument_name: str, value: bool = True) -> None:
        """Make a parameter trained or, with False, a frozen one in the checkpoint.

        The training model also returns the gradient of an input that is named here, but then no Module takes it.
        """
        choice = self.__dict__.setdefault("_choice", {})
        choice[argument_name] = value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Make training and eval models from the current model, with the loss on the values of these names."""
        if args and isinstance(args[0], Builder):
            return loss_value(self, args[0], args[1:])
        model = current()
        result = self._names(model, args, kwargs)
        self._made = build_artifacts(
            model,
            self._chosen(model, True),
            lambda builder, *outputs: loss_value(Call(self, kwargs), builder, outputs),
            keep=self._chosen(model, False),
            loss_inputs=list(args),
            additional_outputs=[] if isinstance(result, str) else list(result)[1:],
            input_gradients=[name for name in self._choices(True) if name in inputs_of(model)],
        )
        if not self._made.parameters:
            log.warning("no parameter of the training model trains: name some with requires_grad() first")
        model.CopyFrom(self.to_model_proto()[0])
        return result

    def _choices(self, trains: bool) -> list[str]:
        """Return what requires_grad() was called with."""
        return [name for name, chosen in self.__dict__.get("_choice", {}).items() if chosen == trains]

    def _chosen(self, model: onnx.ModelProto, trains: bool) -> list[str]:
        """Return the parameters that requires_grad() was called with."""
        return [name for name in self._choices(trains) if name not in inputs_of(model)]

    def _names(self, model: onnx.ModelProto, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of build(), from a call on a copy of the model."""
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        with opened(copy):
            return Block.__call__(self, *args, **kwargs)

    def parameters(self) -> tuple[list[onnx.TensorProto], list[onnx.TensorProto]]:
        """Return the trained and the frozen parameters. Raises ModelError before the block was called."""
        made = built(self._made, "Please build the training model first before trying to retrieve the parameters.")
        trained, frozen = (
            [numpy_helper.from_array(array, name) for name, array in arrays.items()]
            for arrays in (made.parameters, made.frozen)
        )
        return trained, frozen

    def to_model_proto(self) -> tuple[onnx.ModelProto, onnx.ModelProto]:
        """Return the training model and the eval model. Raises ModelError before the block was called."""
        words = "Please build the training and eval models first before trying to retrieve them."
        models = built(self._made, words).models
        evaluation = evaluation_in_file(models.evaluation)
        return to_proto(training_in_file(models.training or evaluation)), to_proto(evaluation)


class Call(Block):
    """A block with the keyword arguments of its call."""

    def __init__(self, block: Block, arguments: dict[str, Any]) -> None:
        """Keep block and arguments."""
        super().__init__()
        self._block, self._arguments = block, arguments

    def build(self, *names: str) -> Any:
        """Call the block."""
        return Block.__call__(self._block, *names, **self._arguments)


def inputs_of(model: onnx.ModelProto) -> list[str]:
    """Return the names of a model's inputs, without those that are initializers too."""
    weights = {tensor.name for tensor in model.graph.initializer}
    return [value.name for value in model.graph.input if value.name not in weights]


def built(made: Any, otherwise: str) -> Any:
    """Return what a call of the block made.

    Raises ModelError with onnxruntime's words if it was not called.
    """
    if made is None:
        raise ModelError(otherwise, "call the block first, inside onnxblock.base(model)")
    return made


def with_outputs(model: onnx.ModelProto, names: Sequence[str]) -> onnx.ModelProto:
    """Return the model with values of these names as its outputs.

    Raises ModelError for a value of unknown type.
    """
    known = {value.name: value for value in (*model.graph.value_info, *model.graph.output)}
    missing = [name for name in names if name not in known]
    if missing:
        raise ModelError(f"the model has no value called {', '.join(missing)}", "return what a block returned")
    kept = [known[name].SerializeToString() for name in names]
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto.FromString(data) for data in kept)
    return model
