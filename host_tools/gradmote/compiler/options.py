"""The options of compile_image()."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import ModelError
from ..ir.program import Recomputation
from .sample_store import StoreOptions

#: The types of trained int8 weights in the state, and those of gradients in the backward pass; the
#: first is the default.
WEIGHTS = ("int8", "int16")
GRADIENTS = ("int16", "float")
#: The types of the optimizer's moments in the state; the first is the default.
MOMENTS = ("float32", "bf16")
#: The types in which values of the forward pass wait for the backward pass; the first is the default.
SAVED = ("float32", "bf16")
#: How attention runs: as separate instructions, or fused, in blocks of queries; the first is the default.
ATTENTION = ("whole", "blocks")


@dataclass
class Options:
    """The properties that the image should have.

    `batch` is the number of samples in one step; None means that the model fixes all its
    dimensions. `accumulate` keeps gradients, so that several micro-batches can be averaged
    (programs train and optimizer) instead of the fused program step. `dims` gives the sizes of
    symbolic dimensions other than the batch. `seed` is the initial seed of the random numbers, and
    of the choice of the store's samples. `properties` is the number of slots for the application's
    own numbers. `strip_names` leaves the names out of the image.

    With `overwrite_inputs` a program may put other data where inputs were, for a smaller arena;
    inputs must then be given again for each run, while labels last. `recompute` computes
    cheap activations a second time where that lowers the peak; gradmote.budget.recompute makes a
    Recomputation, with which any value of the forward pass may be. `saved` is the type in which
    values of a float model's forward pass wait for the backward pass, one of SAVED: with "bf16"
    those are rounded that make the arena smaller. `attention` is the way in which attention runs,
    one of ATTENTION: with "blocks" a few queries at a time, to the same bits, where that makes the
    arena smaller; some runtimes have no such instructions (GM_WITH_FUSED_ATTENTION). `stream_rows`
    runs layers row by row where that lowers the peak; None does so for quantized models alone,
    since some runtimes have no loops (GM_WITH_LOOPS). `store` keeps samples in the state, to train on again.

    `exact_plan` searches for the smallest scratch, up to a minute per program (needs
    gradmote[exact]); `tell` takes a line of progress where that takes more than two seconds.
    `image_version` is a number that the image's author increases, 0 to 2^32 - 1; firmware that
    protects against rollback refuses an image with a lower one than it has.

    `classes` are the names of the classes in the order of the scores of the first output; two for a
    single score. The image keeps them, and so does what reads it; None takes those of the model's file.

    `moments` is the type of the optimizer's moments in the state, one of MOMENTS: those of "bf16"
    take half the bytes, and are rounded at random. The other two are for quantized models.
    `weights` is the type in which the state has trained int8 weights: "int8", or "int16" for a byte
    of fraction behind each. `gradients` is the type of gradients in the backward pass, one of
    GRADIENTS. None is the default of each.
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
        """Raise ModelError for a type, or a way of attention, that there is not."""
        types = {"weights": WEIGHTS, "gradients": GRADIENTS, "moments": MOMENTS, "saved": SAVED}
        types |= {"attention": ATTENTION}
        for name, known in types.items():
            given = getattr(self, name)
            if given not in (None, *known):
                raise ModelError(f"{name} of {given} cannot be compiled", f"choose {' or '.join(known)}")
