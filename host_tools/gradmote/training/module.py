"""The class Module: training and evaluation steps on a state."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..artifacts.files import check_parameters, inference_model, joined, parameter_names
from ..errors import CheckpointError, DataError, ModelError
from ..formats.files import Output
from ..ir.metadata import STATISTICS
from ..ir.write import to_bytes
from .checked_call import CheckedCall
from .inputs import Input, as_array, check, like_inputs, user_inputs
from .model_files import read_models
from .state import CheckpointState


class FlatParameters(np.ndarray):
    """A flat float32 array that also has the .numpy() of onnxruntime's OrtValue."""

    def numpy(self) -> np.ndarray:
        """Return the same data as a plain array."""
        return self.view(np.ndarray)


class Module:
    """The training model while `training` is True, otherwise the eval model.

    Parameters and gradients are in the state. train_model_uri, eval_model_uri: files from
    generate_artifacts of Gradmote or of onnxruntime. device: only "cpu". session_options: accepted for
    compatibility with onnxruntime, without effect, because there is nothing here to tune with them.
    Raises ModelError for other models, CheckpointError if the state's parameters are not the model's.
    """

    def __init__(
        self,
        train_model_uri: str | os.PathLike[str],
        state: CheckpointState,
        eval_model_uri: str | os.PathLike[str] | None = None,
        device: str = "cpu",
        session_options: Any = None,
    ) -> None:
        """Check the models against the state's parameters, and attach them to the state."""
        if device.split(":")[0] != "cpu":
            raise ModelError(f"there is no device '{device}'", "leave it out: this computer's processor computes")
        self.training = True
        self._twin = state._twin
        self._train_model, self._eval_model = read_models(train_model_uri, eval_model_uri, self._twin)
        updates = len(parameter_names(self._train_model)) + len(STATISTICS.read(self._train_model, []))
        self._outputs = [str(o.name) for o in self._train_model.graph.outputs][:-updates]
        self._train_inputs = user_inputs(self._train_model)
        self._eval_inputs = user_inputs(self._eval_model) if self._eval_model and eval_model_uri is not None else None
        try:
            check_parameters(self._train_model, {n: self._twin.shape(n) for n in self._twin.names})
        except ModelError as error:
            raise CheckpointError(f"the checkpoint belongs to another model: {error.message}", error.hint) from error
        self._twin.attach(joined(self._train_model, self._twin.loaded(), self._eval_model))
        self._known: dict[bool, CheckedCall] = {}  # the last call of each mode

    def __call__(self, *user_inputs: Any) -> Any:
        """Run one step; return the loss, or (loss, additional outputs ...).

        In training mode gradients are accumulated. Results are arrays, or onnxruntime's OrtValues if all
        inputs are OrtValues.

        user_inputs: data, then labels, in the order of input_names(); any batch size. Raises DataError for
        inputs that do not fit, and RuntimeFault for labels out of range and numbers that are not finite; the
        parameters are then unchanged.
        """
        known = self._known.get(self.training)
        if known is not None and known.opened is self._twin.current and known.fits(user_inputs):
            return known.run(user_inputs)
        return self._checked_call(user_inputs)

    def _checked_call(self, given: Sequence[Any]) -> Any:
        """Check the inputs, run one step, and remember the call, so that the next one like it needs no check."""
        arrays = [as_array(v) for v in given]
        inputs = self._inputs()
        opened = self._twin.at(check(inputs, arrays))
        names = [i.name for i in inputs]
        call = CheckedCall(opened, "train" if self.training else "eval", names, arrays, self._outputs[1:])
        if all(type(value) is np.ndarray for value in given):
            self._known[self.training] = call
        return like_inputs(call.results(), given)

    def train(self, mode: bool = True) -> Module:
        """Switch to the training model, or with False to the eval model, and return the module."""
        self.training = mode
        return self

    def eval(self) -> Module:
        """Switch to the eval model, and return the module."""
        return self.train(False)

    def lazy_reset_grad(self) -> None:
        """Make the next training step start from zero gradients."""
        self._twin.lazy_reset_grad()

    # ---- Parameters as one buffer

    def get_contiguous_parameters(self, trainable_only: bool = False) -> FlatParameters:
        """Return a copy of the parameters as one flat float32 array, in the order of the state's parameters.

        trainable_only: leave out the frozen ones.
        """
        self._refuse_quantized(trainable_only)
        flat = np.concatenate([self._twin.parameter(n).ravel() for n in self._names(trainable_only)])
        return flat.view(FlatParameters)

    def get_parameters_size(self, trainable_only: bool = True) -> int:
        """Return how many numbers the parameters have.

        trainable_only: leave out the frozen ones.
        """
        return sum(int(np.prod(self._twin.shape(n))) for n in self._names(trainable_only))

    def copy_buffer_to_parameters(self, buffer: Any, trainable_only: bool = True) -> None:
        """Overwrite the parameters from a flat float32 array, which completes a nominal checkpoint.

        trainable_only: the array has no frozen ones, like that of get_contiguous_parameters(True).

        Raises DataError, and changes nothing, if the length or dtype does not match.
        """
        flat = as_array(buffer)
        self._refuse_quantized(trainable_only)
        size = self.get_parameters_size(trainable_only)
        if flat.dtype != np.float32 or flat.size != size:
            raise DataError(f"the parameters are {size} float32 numbers; {flat.size} {flat.dtype} were given")
        flat, at = flat.ravel(), 0
        for name in self._names(trainable_only):
            shape = self._twin.shape(name)
            size = int(np.prod(shape))
            self._twin.set_parameter(name, flat[at : at + size].reshape(shape))
            at += size

    # ---- Models

    def export_model_for_inferencing(
        self, inference_model_uri: str | os.PathLike[str], graph_output_names: Sequence[str]
    ) -> None:
        """Write an ONNX model that ends at the named values, with the current parameters."""
        output = Output(inference_model_uri)
        tensors = {n: self._twin.parameter(n) for n in self._names(False)} | self._twin.statistics()
        model = inference_model(self._eval_model or self._train_model, graph_output_names, tensors)
        output.write(to_bytes(model))

    def input_names(self) -> list[str]:
        """Return the names of data and labels, in the order of a call's arguments."""
        return [i.name for i in self._inputs()]

    def output_names(self) -> list[str]:
        """Return the names of a call's results: the loss, then additional_output_names."""
        self._inputs()
        return list(self._outputs)

    # ---- Internals

    def _refuse_quantized(self, trainable_only: bool) -> None:
        """Raise DataError if some parameter is not float32, because no single array can hold them all."""
        others = [n for n in self._names(trainable_only) if self._twin.dtype(n) != np.float32]
        if others:
            raise DataError(
                f"parameter '{others[0]}' is {self._twin.dtype(others[0])}, and one flat array is of float32",
                "read and set the parameters of a quantized model one by one: state.parameters[name].data",
            )

    def _names(self, trainable_only: bool) -> list[str]:
        return self._twin.names if trainable_only else [*self._twin.names, *self._twin.frozen_names]

    def _inputs(self) -> list[Input]:
        inputs = self._train_inputs if self.training else self._eval_inputs
        if inputs is None:
            raise ModelError("this Module has no eval model", "pass eval_model_uri, or call train()")
        return inputs
