"""The class Optimizer, which updates the parameters of a Module."""

from __future__ import annotations

import os
from dataclasses import replace

from ..errors import ModelError
from ..ir.metadata import LEARNING_RATE
from .model_files import read_optimizer_model
from .module import Module


class Optimizer:
    """The optimizer model of a Module.

    The learning rate starts at the value given to generate_artifacts (1e-3 for an OptimType), or at the
    one in the state's checkpoint. Raises ModelError if the optimizer updates other parameters than the
    module's, or the module already has an optimizer.
    """

    def __init__(self, optimizer_uri: str | os.PathLike[str], module: Module) -> None:
        """Read the optimizer model and attach it to the module's state."""
        self._twin = module._twin
        artifacts = self._twin.artifacts
        assert artifacts is not None  # a Module attaches its models
        if artifacts.models.optimizer is not None:
            raise ModelError("the module has an optimizer already", "make another Module from a checkpoint")
        model = read_optimizer_model(optimizer_uri, self._twin)
        shapes = {value.name: tuple(value.shape or ()) for value in model.graph.inputs}
        for name, array in artifacts.parameters.items():
            if shapes.get(name) != array.shape:
                raise ModelError(
                    f"the optimizer model does not update '{name}' of shape {list(array.shape)}",
                    "use files of one generate_artifacts call",
                )
        models = replace(artifacts.models, optimizer=model)
        self._twin.attach(replace(artifacts, models=models, learning_rate=LEARNING_RATE.read(model, 1e-3)))

    def step(self) -> None:
        """Update the parameters once with the sum of the gradients since lazy_reset_grad().

        Raises RuntimeFault if there are no gradients.
        """
        self._twin.step_on_sum()

    def set_learning_rate(self, learning_rate: float) -> None:
        """Set the rate for the next updates.

        Raises DataError unless it is finite and not negative.
        """
        self._twin.learning_rate = learning_rate

    def get_learning_rate(self) -> float:
        """Return the rate of the next update, rounded to float32."""
        return self._twin.learning_rate
