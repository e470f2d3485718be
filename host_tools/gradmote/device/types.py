"""The records in which boards and twins describe themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradmote.formats.carry_over import Piece

PROGRAMS = ("infer", "eval", "train", "optimizer", "step")
ROLES = ("input", "label", "output", "loss")
DTYPES = ("float32", "int32")
PROFILES = ("strict", "fused")
STORE_DTYPES = ("int8", "f32")


@dataclass(frozen=True)
class TargetInfo:
    """A target and its model. Sizes are in bytes; without a model all of the model's are 0."""

    name: str
    version: str  #: of the C runtime
    profile: str  #: numerics, "fused" or "strict"
    status: int  #: 0 while a model is open, else the code that says why not
    programs: tuple[str, ...]
    batch: int  #: samples in one step
    image_size: int
    arena_required: int
    state_size: int
    parameters_size: int
    gradients_size: int
    model_id: bytes  #: 16 bytes; zeros where there is no model


@dataclass(frozen=True)
class Tensor:
    """One input, label or output, as one program sees it."""

    name: str
    dtype: str  #: "float32" or "int32"
    shape: tuple[int, ...]  #: the ONNX model's own
    size: int  #: bytes
    lasts: bool  #: False: a run writes over it


@dataclass(frozen=True)
class Metrics:
    """The state of training after a run."""

    loss: float  #: of the last eval, train or step; NaN before the first
    train_steps: int
    optimizer_steps: int
    skipped_steps: int
    learning_rate: float  #: of the next update
    instructions: int  #: of the image, in the last run
    seconds: float  #: that the last run took on its own clock; NaN where it has none


@dataclass(frozen=True)
class Memory:
    """The division of a board's memory, in bytes."""

    ram: int
    static_ram: int
    stack_size: int
    stack_used: int
    arena_available: int
    arena_required: int
    code: int
    image: int


@dataclass(frozen=True)
class StoreInfo:
    """The size and fill of a target's sample store."""

    capacity: int  #: samples
    classes: int  #: labels are 0 .. classes - 1
    dtype: str  #: how samples are kept, "int8" or "f32"
    elements: int  #: of one sample
    kept: int  #: samples in the store
    idle: bool  #: whether the target trains on them when it has nothing else to do


@dataclass(frozen=True)
class ClassInfo:
    """The samples of one class, as a store counts them."""

    seen: int  #: samples learnt
    kept: int  #: of them in the store


@dataclass(frozen=True)
class Update:
    """The fate of the old model's state after an update.

    kept: whether the target has a checkpoint of the new model.
    """

    pieces: tuple[Piece, ...]  #: of both models; none where all of the state is of the same model, and stays
    kept: bool


@dataclass(frozen=True)
class Saves:
    """The checkpoints that a target keeps of itself while it trains."""

    every: int  #: updates from one to the next; 0: none
    slots: int  #: places in flash that take turns
    saves: int  #: kept since the model was opened
    error: int  #: code that says why the last one failed; 0: it did not


def program_index(name: str) -> int:
    """Return the number of a program; raise ValueError for a name that is none of PROGRAMS."""
    return PROGRAMS.index(name)


def program_names(bits: int) -> tuple[str, ...]:
    """Return the names of the programs whose bit is set."""
    return tuple(name for i, name in enumerate(PROGRAMS) if bits >> i & 1)
