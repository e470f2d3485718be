"""The options of build_artifacts()."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ModelError
from ..frontend import Inputs
from ..frontend.ties import Ties
from ..ir.metadata import is_loss_scale
from ..losses import Loss
from ..optimizers import Optimizer
from ..optimizers.optimizer import require_optimizer
from .schemes import Scheme, resolve


@dataclass(frozen=True)
class ArtifactOptions:
    """Options that choose what is trained in a model, and how, and how the model is read.

    `scheme` selects the parameters to train; None trains nothing. `keep` names frozen weights that
    still belong to the checkpoint, so that they can be exchanged without new models. `outputs` names
    the model's outputs to keep, and `additional_outputs` values that training and eval models also
    return. `loss_inputs` names the inputs of the loss; all outputs by default. `untie` gives each node
    that uses a shared weight its own copy, and does not join weights that an exporter took apart. `tie`
    has pairs of names of equal weights; each pair trains as one under the first name. `inputs` has
    shapes of the model's inputs, and values of those that never change.

    `batch_norm` is "frozen" (by default), "fold", "batch" or "exported", as rewrite.batch_norm explains. If nothing
    trains, "frozen" folds too, which leaves the least to compute. `running_variance` is for "batch":
    the variance divides by n ("population", as ONNX) or n - 1 ("sample", as PyTorch).

    `loss_scale` is a power of two by which the loss is multiplied before it is differentiated; an image
    divides by it in the update. This keeps gradients from underflowing; if none would, the result is
    bitwise equal.

    `input_gradients` names inputs whose gradients the training model returns too, which no image can.

    `float_head` makes the quantized weights of the last layer float32, and its result too, which is
    then not rounded.
    """

    scheme: Scheme | None = None
    loss: Loss | None = None
    optimizer: Optimizer | None = None
    keep: Sequence[str] = ()
    outputs: Sequence[str] | None = None
    additional_outputs: Sequence[str] = ()
    loss_inputs: Sequence[str] | None = None
    batch_norm: str | None = None
    running_variance: str = "population"
    loss_scale: float = 1.0
    untie: bool = False
    tie: Sequence[tuple[str, str]] = ()
    inputs: Inputs | None = None
    float_head: bool = False
    input_gradients: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raise ModelError for a loss scale that is not a power of two from 2^-64 to 2^64.

        Other factors would change bits. Raise it for `untie` with `tie`, too.
        """
        if self.untie and self.tie:
            raise ModelError("both untie and tie", "name the pairs to tie alone: nothing else is joined by their names")
        if not is_loss_scale(self.loss_scale):
            raise ModelError(
                f"the loss scale {self.loss_scale} is not a power of two from 2^-64 to 2^64", "try 1024, or 65536"
            )

    @classmethod
    def training(
        cls, train: Sequence[str] | None, freeze: Sequence[str] | None, scheme: Scheme | str | None, **others: Any
    ) -> ArtifactOptions:
        """Return options whose scheme is given by names or patterns, or as a Scheme or its text.

        train / freeze: None, None are all weights; train [] trains nothing. Raises ModelError if both forms
        are given, and for an optimizer that is none.
        """
        chosen = resolve(scheme, train, freeze)
        if hasattr(others.get("optimizer"), "to_optimizer"):  # a block of gradmote.onnxblock
            others["optimizer"] = others["optimizer"].to_optimizer()
        if others.get("optimizer") is not None:
            require_optimizer(others["optimizer"])
        return cls(None if train == [] else chosen, **others)

    @property
    def ties(self) -> Ties:
        """Return the options for equal weights."""
        return Ties(self.untie, tuple((one, other) for one, other in self.tie))

    @property
    def trained(self) -> Scheme | None:
        """Return the scheme of what trains; None without a loss, because nothing trains then."""
        return None if self.loss is None else self.scheme
