"""The base class of all instructions; ir/generated/instructions.py has a subclass for each opcode."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from inspect import get_annotations
from typing import Any, ClassVar, TypeVar

from ..errors import GradmoteError
from ..generated.opcodes import COUNTS, OPCODES

if sys.version_info >= (3, 11):
    from typing import dataclass_transform
else:

    def dataclass_transform(**_: bool) -> Any:
        """Return a decorator that changes nothing: it is for type checkers."""
        return lambda decorated: decorated


#: The bytes of an element, by type.
ELEMENT_BYTES = {"f32": 4, "i32": 4, "i8": 1, "u8": 1, "i16": 2, "bf16": 2}
#: The sizes of an operand with their strides; a stride is None in an extent without gaps.
Extent = tuple[tuple[str, "str | None"], ...]
AnyInstruction = TypeVar("AnyInstruction", bound="Instruction")


@dataclass(frozen=True, eq=False)
class Buffer:
    """A range of bytes with one address.

    Two buffers are the same only if they are the same object. A buffer never changes, because
    instructions share it: constants with equal bytes have one buffer.
    """

    name: str
    size: int  # bytes
    #: One of parameter, statistic, slot, control, store (these five are the state), gradient, input, scratch and
    #: constant. Inputs that a program may overwrite are scratch.
    region: str
    data: bytes | None = None  # initial value of the state, None for zeros; value of constants


@dataclass(frozen=True)
class Ref:
    """An address inside a buffer."""

    buffer: Buffer
    offset: int = 0  # bytes


@dataclass_transform(kw_only_default=True, eq_default=False)
class Fields:
    """The base class of classes with annotated fields, passed by keyword.

    Type checkers treat them as dataclasses. Real dataclasses would generate and compile an __init__ for
    each opcode whenever the compiler starts.
    """

    _allowed: ClassVar[frozenset[str]] = frozenset()
    _needed: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        """Add the class's own fields to the inherited ones."""
        own = {name for name, kind in get_annotations(cls).items() if "ClassVar" not in kind}
        cls._allowed |= own
        cls._needed |= {name for name in own if name not in cls.__dict__}

    def __init__(self, **fields: Any) -> None:
        """Set the fields; raise TypeError if one is missing or unknown."""
        if not self._needed <= fields.keys() <= self._allowed:
            missing, unknown = sorted(self._needed - fields.keys()), sorted(fields.keys() - self._allowed)
            raise TypeError(f"{type(self).__name__} lacks the fields {missing} and has no fields {unknown}")
        self.__dict__.update(fields)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check the fields."""


class Instruction(Fields):
    """The base class of all instructions.

    A subclass has the operands (None: absent) and the parameters of one opcode as fields. Code that
    knows the opcode uses these; code for all opcodes iterates over `operands` and `params`. Two
    instructions are the same only if they are the same object.
    """

    opcode: ClassVar[str] = ""
    inplace: ClassVar[tuple[str, ...]]  # operands whose bytes the output may reuse
    refuses: ClassVar[str | None]  # the error with which data may end the program here
    extents: ClassVar[dict[str, Extent]]  # operand -> its sizes and strides
    param_names: ClassVar[tuple[str, ...]]
    _required: ClassVar[list[str]]
    _read: ClassVar[list[str]]
    _only_read: ClassVar[list[str]]
    _written: ClassVar[list[str]]
    _work: ClassVar[tuple[str, ...]]

    origin: str = ""  # the ONNX node that it came from
    layer: str = ""  # the node of the user's model; "" for loss, checks and the optimizer
    phase: str = "forward"  # forward, backward or update
    reason: str = ""  # the reader that needs a COPY
    after: Buffer | None = None  # a buffer to wait for, though the instruction does not read it

    def __init_subclass__(cls) -> None:
        """Look up the facts about the opcode in the specification."""
        super().__init_subclass__()
        spec = OPCODES.get(cls.opcode)
        if spec is not None:
            operands: dict[str, tuple[str, str, Extent, bool]] = spec["operands"]
            cls.inplace, cls.refuses, cls._work = spec["inplace"], spec["refuses"], spec["work"]
            cls.extents = {name: extent for name, (_, _, extent, _) in operands.items()}
            cls.param_names = tuple(spec["params"])
            cls._required = [name for name, (_, _, _, optional) in operands.items() if not optional]
            cls._read = [name for name, (access, *_) in operands.items() if access in ("r", "rw")]
            cls._only_read = [name for name, (access, *_) in operands.items() if access == "r"]
            cls._written = [name for name, (access, *_) in operands.items() if access in ("w", "rw")]

    def __post_init__(self) -> None:
        """Raise GradmoteError if a required operand is absent."""
        for name in self._required:
            if getattr(self, name) is None:
                raise GradmoteError(f"{self.opcode} ({self.origin}) lacks operand {name}")

    def __repr__(self) -> str:
        """Return the class, operands and parameters, for developers."""
        return f"{type(self).__name__}({self.operands}, {self.params})"

    @property
    def operands(self) -> dict[str, Ref | None]:
        """Return the operands by name, in the order of the specification."""
        return {name: getattr(self, name) for name in self.extents}

    @property
    def params(self) -> dict[str, Any]:
        """Return the parameters by name, in the order of the specification."""
        return {name: getattr(self, name) for name in self.param_names}

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field, and discard cached facts about the operands."""
        own = self.__dict__
        own.pop("reads", None)
        own.pop("writes", None)
        own[name] = value

    @cached_property
    def reads(self) -> list[Ref]:
        """Return the operands that are read.

        An output that only the accumulating form reads counts only if `accumulate` is set.
        """
        own = self.__dict__
        names = self._read if own.get("accumulate", True) else self._only_read
        return [ref for name in names if (ref := own.get(name)) is not None]

    @cached_property
    def writes(self) -> list[Ref]:
        """Return the operands that are written."""
        own = self.__dict__
        return [ref for name in self._written if (ref := own.get(name)) is not None]

    @property
    def work(self) -> int:
        """Return the number of inner-loop iterations, as the runtime counts them."""
        total = 1
        for name in self._work:
            total *= self.number(name)
        return total

    def number(self, name: str) -> int:
        """Return a size or stride by its name in an extent: a parameter, or a count such as `one`."""
        return COUNTS.get(name) or int(getattr(self, name))

    def elements(self, name: str) -> int:
        """Return the number of elements from the first to the last one of an operand that may be touched."""
        elements, inner = 1, 1
        for dim, stride in reversed(self.extents[name]):
            count = self.number(dim)
            elements += (count - 1) * (inner if stride is None else self.number(stride))
            inner *= count
        return elements

    def redirect(self, old: Buffer, new: Buffer) -> None:
        """Move every operand in one buffer to another buffer, at the same offset."""
        for name, ref in self.operands.items():
            if ref is not None and ref.buffer is old:
                setattr(self, name, Ref(new, ref.offset))

    def in_place_of(self: AnyInstruction, other: Instruction) -> AnyInstruction:
        """Return this instruction with the origin, layer and phase of the one that it replaces."""
        self.origin, self.layer, self.phase = other.origin, other.layer, other.phase
        self.reason, self.after = other.reason, other.after
        return self
