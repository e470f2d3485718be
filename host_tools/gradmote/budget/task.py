"""The part of a compilation that stays the same in a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import onnx
import onnx_ir as ir

from ..artifacts.artifact_options import ArtifactOptions
from ..artifacts.artifacts import Artifacts
from ..artifacts.build import Forwards, make
from ..artifacts.schemes import Layer, Scheme, layers
from ..compiler.compile import Result, compile_image, model_for
from ..compiler.options import Options
from ..frontend import Source, load_model
from ..generated.optimizers import RULES
from ..losses import Loss
from ..optimizers import Optimizer
from ..rewrite.batch_norm import FROZEN
from .choice import Choice
from .recompute import Wish, compile_towards

INT8, FLOAT = np.dtype("int8"), np.dtype("float32")


@dataclass
class Task:
    """A model with a loss, and the choice to compile without a limit.

    more: other options of build_artifacts(), such as batch_norm. options.batch must be a number: the
    samples of one update.
    """

    model: Source
    loss: Loss
    optimizer: Optimizer
    options: Options = field(default_factory=Options)
    scheme: Scheme = field(default_factory=Scheme)
    more: ArtifactOptions = field(default_factory=ArtifactOptions)
    _forwards: Forwards = field(default_factory=Forwards, repr=False)
    _made: dict[tuple[str, str], Artifacts] = field(default_factory=dict, repr=False)

    def wanted(self) -> Choice:
        """Return the choice that gives up nothing."""
        batch = self.options.batch or 1
        recompute = self.options.recompute is True
        return Choice(self.scheme, self.optimizer, batch, batch, self.options.overwrite_inputs, recompute)

    def layers(self) -> list[Layer]:
        """Return the model's layers in order, with the parameters of each."""
        return layers(self.forward)

    @cached_property
    def forward(self) -> ir.Graph:
        """Return the model's graph in normal form."""
        more = self.more
        return load_model(self.source, more.outputs, more.batch_norm or FROZEN, more.ties).graph

    def least_state(self, choice: Choice, shares: Mapping[str, float]) -> int:
        """Return the least bytes of state for a choice: completely trained parameters, and their moments.

        shares: the trained share of each trained parameter.
        """
        moment = 4 if self.options.moments is None else 2  # bfloat16 at the smallest
        each = moment * RULES[choice.optimizer.rule]["slots"]
        whole = [self.forward.initializers[name].const_value for name, share in shares.items() if share >= 1]
        return sum(data.nbytes + each * data.size for data in whole if data is not None)

    @cached_property
    def source(self) -> onnx.ModelProto:
        """Return the model, with a batch that may be that of the options or any part of it."""
        return model_for(self.model, self.options, self.more.outputs)

    def compiled(self, choice: Choice, ram: int | None = None) -> Result:
        """Return the image of a choice.

        ram: the bytes of arena to reach by a choice with more time. Raises ModelError if the model does not allow the
        scheme.
        """
        if not choice.more:
            return compile_image(self.artifacts(choice), self.options_of(choice))
        return compile_towards(self.artifacts(choice), self.options_of(choice), Wish(ram, choice.more))

    def options_of(self, choice: Choice) -> Options:
        """Return the compiler's options for a choice.

        Raises ModelError if the model does not allow the scheme.
        """
        weights, moments = self.types_of(choice)
        return replace(
            self.options,
            weights=weights,
            moments=moments,
            batch=choice.micro_batch,
            accumulate=self.options.accumulate or choice.micro_batches > 1,
            overwrite_inputs=choice.overwrite_inputs,
            recompute=choice.recompute,
        )

    def types_of(self, choice: Choice) -> tuple[str | None, str | None]:
        """Return the types of weights and moments for a choice; None if it has no such integers.

        A type that the whole model lacks is passed on, and the compiler refuses it.
        """
        whole = self.wanted()
        has_weights = INT8 in self.trained_types(choice) or INT8 not in self.trained_types(whole)
        has_moments = self.has_short_moments(choice) or not self.has_short_moments(whole)
        return self.options.weights if has_weights else None, self.options.moments if has_moments else None

    def trained_types(self, choice: Choice) -> set[np.dtype]:
        """Return the types of the parameters that a choice trains."""
        return {array.dtype for array in self.artifacts(choice).parameters.values()}

    def has_short_moments(self, choice: Choice) -> bool:
        """Return whether a choice has moments."""
        return RULES[choice.optimizer.rule]["slots"] > 0

    def artifacts(self, choice: Choice) -> Artifacts:
        """Return the artifacts for a choice, built once for each scheme and rule."""
        key = (str(choice.scheme), choice.optimizer.rule)
        if key not in self._made:
            wanted = replace(self.more, loss=self.loss, optimizer=choice.optimizer, scheme=choice.scheme)
            self._made[key] = make(self.source, wanted, self._forwards)
        return self._made[key]
