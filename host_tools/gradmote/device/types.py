"""The records in which boards and twins describe themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradmote.formats.carry_over import StateEntry

PROGRAMS = ("infer", "eval", "train", "optimizer", "step")
ROLES = ("input", "label", "output", "loss")
DTYPES = ("float32", "int32", "int8", "uint8", "int16")
#: The bytes of an element.
ITEM_SIZES = {"float32": 4, "int32": 4, "int8": 1, "uint8": 1, "int16": 2}
PROFILES = ("strict", "fused")
STORE_DTYPES = ("int8", "f32", "bytes")


@dataclass(frozen=True)
class TargetInfo:
    """A target and its model. Sizes are in bytes; the model's are 0 without a model."""

    name: str
    version: str  #: the C runtime's version
    profile: str  #: the numerics profile, "fused" or "strict"
    status: int  #: 0 while a model is open, else the error code for why none is
    programs: tuple[str, ...]
    batch: int  #: the number of samples in one step
    image_size: int
    arena_required: int
    state_size: int
    parameters_size: int
    gradients_size: int
    model_id: bytes  #: 16 bytes; zeros without a model


@dataclass(frozen=True)
class Tensor:
    """One input, label or output, as seen by one program."""

    name: str
    dtype: str  #: one of DTYPES
    shape: tuple[int, ...]  #: as in the ONNX model
    size: int  #: in bytes
    lasts: bool  #: False if a run overwrites it

    @property
    def elements(self) -> int:
        """Return the number of elements."""
        return self.size // ITEM_SIZES[self.dtype]


@dataclass(frozen=True)
class Metrics:
    """The state of training after a run."""

    loss: float  #: the loss of the last eval, train or step; NaN before the first
    train_steps: int
    optimizer_steps: int
    skipped_steps: int
    learning_rate: float  #: the rate of the next update
    instructions: int  #: how many image instructions the last run executed
    seconds: float  #: the time of the last run by the target's own clock; NaN if it has none


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

    capacity: int  #: the most samples that it keeps
    classes: int  #: the number of classes; labels are 0 .. classes - 1
    dtype: str  #: the form in which samples are kept: "int8", "f32", or "bytes" as they are
    elements: int  #: the numbers in one sample
    kept: int  #: how many samples the store has
    idle: bool  #: whether the target trains on them while it is idle


@dataclass(frozen=True)
class ClassInfo:
    """The samples of one class, as counted by the store."""

    seen: int  #: how many samples were learned
    kept: int  #: how many of them the store has


@dataclass(frozen=True)
class Update:
    """The effect of an update on the old model's state.

    kept: whether the target has a checkpoint of the new model.
    """

    entries: tuple[StateEntry, ...]  #: entries of both state tables; empty if the whole state stays
    kept: bool


@dataclass(frozen=True)
class Saves:
    """The checkpoints that a target keeps of itself while it trains."""

    every: int  #: updates from one checkpoint to the next; 0 if it keeps none
    slots: int  #: areas of flash, written in turn
    saves: int  #: how many it has kept since the model was opened
    error: int  #: the error code of the last one; 0 if it succeeded


def program_index(name: str) -> int:
    """Return the number of a program; raise ValueError for a name not in PROGRAMS."""
    return PROGRAMS.index(name)


def program_names(bits: int) -> tuple[str, ...]:
    """Return the names of the programs whose bit is set."""
    return tuple(name for i, name in enumerate(PROGRAMS) if bits >> i & 1)
