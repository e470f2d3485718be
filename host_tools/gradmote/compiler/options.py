"""The options of compile_image(), and the check of those that only apply to quantized or only to float models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..artifacts.artifacts import Artifacts
from ..errors import ModelError
from ..ir.program import Recomputation
from .sample_store import StoreOptions

#: The types of trained int8 weights in the state, and those of gradients in the backward pass; the first is the
#: default.
WEIGHTS = ("int8", "int16")
GRADIENTS = ("int16", "float")
#: The types of the optimizer's moments in the state; the first is the default.
MOMENTS = ("float32", "bf16")
#: The types in which forward values wait for the backward pass; the first is the default.
SAVED = ("float32", "bf16")
#: How attention runs: as separate instructions, or fused, in blocks of queries; the first is the default.
ATTENTION = ("whole", "blocks")


@dataclass
class Options:
    """The properties that the image should have.

    `batch` is the number of samples in one step; None means that the model fixes all its dimensions. `accumulate`
    keeps gradients, so that several micro-batches can be averaged (programs train and optimizer) instead of the
    fused program step. `dims` gives the sizes of symbolic dimensions other than the batch. `seed` is the initial
    seed of the random numbers, and of the choice of the store's samples. `properties` is the number of slots for
    the application's own numbers. `strip_names` omits names from the image.

    With `overwrite_inputs` a program may overwrite inputs with other data, for a smaller arena; inputs must then be
    given again for each run, while labels last. `recompute` recomputes cheap activations if that lowers the peak;
    gradmote.budget.recompute makes a Recomputation, which may recompute any value of the forward pass. `saved` is
    the type in which forward values of a float model wait for the backward pass, one of SAVED: "bf16" rounds those
    that make the arena smaller. `attention` is how attention runs, one of ATTENTION: "blocks" processes a few
    queries at a time, bitwise equal, if that makes the arena smaller; some runtimes lack these instructions
    (GM_WITH_FUSED_ATTENTION). `stream_rows` runs layers row by row if that lowers the peak; None does so for
    quantized models only, since some runtimes have no loops (GM_WITH_LOOPS). `store` keeps samples in the state, to
    train on again.

    `exact_plan` searches for the smallest scratch, up to a minute per program (needs gradmote[exact]); `tell`
    receives a line of progress if that takes more than two seconds. `image_version` is a number that the image's
    author increases, 0 to 2^32 - 1; firmware with rollback protection refuses an image with a lower version than
    its current one.

    `classes` are the names of the classes in the order of the scores of the first output; two for a single score.
    The image stores them, and tools that read it show them; None: those in the model's file.

    `moments` is the type of the optimizer's moments in the state, one of MOMENTS: "bf16" halves their bytes, with
    random rounding. The other two are for quantized models. `weights` is the type of trained int8 weights in the
    state: "int8", or "int16" for a byte of fraction after each. `gradients` is the type of gradients in the
    backward pass, one of GRADIENTS. None is the default of each.
    """

    batch: int | None = 1
    accumulate: bool = False
    dims: Mapping[str, int] | None = None
    seed: int = 0
    properties: int = 4
    strip_names: bool = False
    overwrite_inputs: bool = False
    recompute: bool | Recomputation = True
    stream_rows: bool | None = None
    store: StoreOptions | None = None
    exact_plan: bool = False
    tell: Callable[[str], object] = lambda _: None
    image_version: int = 0
    saved: str | None = None
    attention: str | None = None
    weights: str | None = None
    gradients: str | None = None
    moments: str | None = None
    classes: Sequence[str] | None = None

    def __post_init__(self) -> None:
        """Raise ModelError for an unknown type, or an unknown kind of attention."""
        types = {"weights": WEIGHTS, "gradients": GRADIENTS, "moments": MOMENTS, "saved": SAVED}
        types |= {"attention": ATTENTION}
        for name, known in types.items():
            given = getattr(self, name)
            if given not in (None, *known):
                raise ModelError(f"{name} of {given} cannot be compiled", f"choose {' or '.join(known)}")


#: Nodes of models with quantized values, or only with quantized constants.
_QUANTIZED = ("Quantize", "QuantizeLinear", "DequantizeLinear")


def check_quantized_options(artifacts: Artifacts, options: Options) -> None:
    """Raise ModelError if int16 gradients, or bfloat16 moments or saved values, are requested but cannot apply.

    with_masters() checks int16 weights, optimizer_slots() checks for moments.
    """
    training = artifacts.models.training
    is_quantized = training is not None and any(node.op_type in _QUANTIZED for node in training.graph)
    if options.moments == "bf16" and training is None:
        raise ModelError("moments of bf16, but nothing trains", "leave --moments (moments=) out")
    if options.gradients == "int16" and not is_quantized:
        what = "nothing trains" if training is None else "the model is not quantized"
        raise ModelError(f"gradients of int16, but {what}", "leave --gradients (gradients=) out")
    if options.saved == "bf16" and (training is None or is_quantized):
        what = "nothing trains" if training is None else "a quantized model keeps one byte per element anyway"
        raise ModelError(f"saved values of bf16, but {what}", "leave --saved (saved=) out")
