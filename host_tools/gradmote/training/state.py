"""The class CheckpointState: parameters, properties, and everything else in a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from ..formats import properties_trailer
from ..formats.any_checkpoint import load_any
from ..formats.checkpoint import Checkpoint
from ..formats.files import write_atomically
from .inputs import as_array
from .twin import Twin, no_data


class Parameter:
    """One tensor of a state, trained or frozen."""

    def __init__(self, twin: Twin, name: str) -> None:
        """Refer to the tensor of that name in the state; nothing is copied."""
        self._twin = twin
        self._name = name

    @property
    def name(self) -> str:
        """Return its name in the ONNX model."""
        return self._name

    @property
    def data(self) -> np.ndarray:
        """Return a float32 copy, in the ONNX model's shape.

        Assigning copies the array, and raises DataError for another dtype or shape.
        """
        return self._twin.parameter(self._name)

    @data.setter
    def data(self, value: np.ndarray) -> None:
        self._twin.set_parameter(self._name, as_array(value))

    @property
    def grad(self) -> np.ndarray | None:
        """Return a copy of the gradients' sum since lazy_reset_grad(), zeros at first.

        None for a frozen parameter, and as long as the state has no Module.
        """
        return self._twin.gradient(self._name)

    @property
    def requires_grad(self) -> bool:
        """Return whether updates change it.

        False for the names given to generate_artifacts as frozen_params.
        """
        return self._name not in self._twin.frozen_names

    def __repr__(self) -> str:
        """Return the name and whether updates change it."""
        return f"Parameter(name={self.name}, requires_grad={self.requires_grad})"


class Parameters:
    """The parameters by name, first the trained ones, then the frozen ones.

    Iterating yields (name, Parameter) pairs.
    """

    def __init__(self, twin: Twin) -> None:
        """Refer to the parameters of the state; nothing is copied."""
        self._twin = twin

    def __getitem__(self, name: str) -> Parameter:
        """Return the parameter of that name.

        Raises KeyError, like onnxruntime, if there is none, and DataError if a nominal checkpoint has no data for it.
        """
        return self._found(name, "Please load the parameter states first")

    def __setitem__(self, name: str, value: np.ndarray) -> None:
        """Assign to the data of the parameter of that name; raises the errors of [name]."""
        self._found(name, "Please load all the parameter states first").data = value

    def __contains__(self, name: object) -> bool:
        """Return whether a parameter has that name."""
        return name in self._names()

    def __iter__(self) -> Iterator[tuple[str, Parameter]]:
        """Return an iterator over (name, Parameter) pairs."""
        return ((name, Parameter(self._twin, name)) for name in self._names())

    def __len__(self) -> int:
        """Return the number of parameters, including frozen ones."""
        return len(self._names())

    def __repr__(self) -> str:
        """Return the list of names as text."""
        return repr(self._names())

    def _found(self, name: str, words: str) -> Parameter:
        if name not in self:
            raise KeyError(f"Parameter {name} not found.")
        if name in self._twin.missing:
            raise no_data(name, words)
        return Parameter(self._twin, name)

    def _names(self) -> list[str]:
        return [*self._twin.names, *self._twin.frozen_names]


class Properties:
    """The application's own ints, floats and strings by name.

    Iterating yields (name, value) pairs.
    """

    def __init__(self, values: dict[str, int | float | str]) -> None:
        """Keep the values in this dictionary."""
        self._values = values

    def __getitem__(self, name: str) -> int | float | str:
        """Return the value of that name.

        Raises KeyError, like onnxruntime, if there is none.
        """
        if name not in self:
            raise KeyError(f"Property {name} not found.")
        return self._values[name]

    def __setitem__(self, name: str, value: int | float | str) -> None:
        """Set a value.

        Raises DataError for types other than int, float (finite) and str.
        """
        value = value.item() if isinstance(value, np.generic) else value
        properties_trailer.check(name, value)
        self._values[name] = value

    def __contains__(self, name: object) -> bool:
        """Return whether a property has that name."""
        return name in self._values

    def __iter__(self) -> Iterator[tuple[str, int | float | str]]:
        """Return an iterator over (name, value) pairs; properties may be set during the iteration."""
        return iter(list(self._values.items()))

    def __len__(self) -> int:
        """Return the number of properties."""
        return len(self._values)

    def __repr__(self) -> str:
        """Return the list of names as text."""
        return repr(list(self._values))


class CheckpointState:
    """The state of one training run.

    load_checkpoint() makes one; a Module takes it and works on it.
    """

    def __init__(self, start: Checkpoint) -> None:
        """Begin with the contents of a checkpoint."""
        self._twin = Twin(start)
        self._parameters = Parameters(self._twin)
        self._properties = Properties(dict(start.properties))

    @classmethod
    def load_checkpoint(cls, checkpoint_uri: str | os.PathLike[str]) -> CheckpointState:
        """Read a checkpoint from generate_artifacts, from save_checkpoint, or from a device.

        It may be nominal, and it may come from onnxruntime-training.

        Raises CheckpointError for a file that is damaged or not a checkpoint.
        """
        return cls(load_any(checkpoint_uri))

    @classmethod
    def save_checkpoint(
        cls, state: CheckpointState, checkpoint_uri: str | os.PathLike[str], include_optimizer_state: bool = False
    ) -> None:
        """Write the state; the file appears completely or not at all.

        include_optimizer_state: also write moments, counters and learning rate, in the form that a device
        with the same model reads. Properties that do not fit a device's slots follow after the checkpoint.
        Raises CheckpointError if no Optimizer is attached.
        """
        properties = dict(state.properties)
        twin = state._twin
        data = twin.save_with_optimizer(properties) if include_optimizer_state else twin.save()
        write_atomically(checkpoint_uri, data + (properties_trailer.pack(properties) if properties else b""))

    @property
    def parameters(self) -> Parameters:
        """Return the parameters, trained and frozen."""
        return self._parameters

    @property
    def properties(self) -> Properties:
        """Return the application's own values."""
        return self._properties
