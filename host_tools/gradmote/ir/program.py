"""The flat program: instructions over buffers, between the ONNX graph and the image."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..generated.records import RECORDS
from .instruction import Buffer, Instruction, Ref

#: The kinds of programs that make gradients.
TRAINING = ("step", "train")
#: The words of the control record, in order.
CONTROL_FIELDS = [name for name, _, _ in RECORDS["control"]]
#: The entry of the state in which 16-bit gradients keep the gains from which their exponents start.
GAINS = "gradient_gains"


@dataclass
class Uses:
    """The ascending indices of the instructions that read a buffer, and of those that write it."""

    buffer: Buffer
    readers: list[int] = field(default_factory=list)
    writers: list[int] = field(default_factory=list)

    @property
    def first(self) -> int:
        """Return the index of the first instruction that reads or writes the buffer."""
        readers, writers = self.readers, self.writers
        return min(readers[0], writers[0]) if readers and writers else (readers or writers)[0]

    @property
    def last(self) -> int:
        """Return the index of the last instruction that reads or writes the buffer."""
        readers, writers = self.readers, self.writers
        return max(readers[-1], writers[-1]) if readers and writers else (readers or writers)[-1]

    @property
    def is_given(self) -> bool:
        """Return whether the buffer is read before anything writes it, as an input is."""
        return self.readers[:1] == [self.first]


class _FoundUses(dict[Buffer, Uses]):
    """The uses found so far of each buffer; a new buffer starts with none."""

    def __missing__(self, buffer: Buffer) -> Uses:
        self[buffer] = found = Uses(buffer)
        return found


@dataclass
class Binding:
    """An input or output of a program that the caller sees."""

    name: str
    role: str  # a value of the specification's enum `role`
    dtype: str  # a value of its enum `dtype`
    shape: tuple[int, ...]
    ref: Ref


@dataclass(frozen=True)
class Streamed:
    """A part of a program that runs row by row, from the first layer to the last one.

    `whole` is the number of bytes of the tensors that are not stored whole any more, and `kept` the
    number of bytes kept of them.
    """

    first: str
    last: str
    instructions: int
    iterations: int
    whole: int
    kept: int


@dataclass(frozen=True)
class Overlay:
    """Permission for a buffer to overlay rows of another one, `under`, which a loop reads for the last time.

    The loop writes the buffer's rows after it has read the rows under them. This holds if the buffer starts at most
    `furthest` bytes after the start of `under`; `furthest` may be negative.
    """

    under: Buffer
    furthest: int

    def shared(self, size: int) -> int:
        """Return the most bytes that a buffer of this size can share with the one under it."""
        return max(0, min(size, size + self.furthest, self.under.size))


@dataclass(frozen=True)
class InFloat:
    """A node of a quantized model that computes in float32, and why; elements and bytes are those of its results."""

    operator: str
    node: str
    reason: str
    elements: int
    bytes: int


@dataclass
class Program:
    """One stream of instructions, in the order in which they run."""

    kind: str  # a value of the specification's enum `program`
    instructions: list[Instruction] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)  # layer -> shape of its output
    gradients: dict[str, Ref] = field(default_factory=dict)  # parameter -> address of its gradient
    streamed: list[Streamed] = field(default_factory=list)
    #: Buffers of rows that a loop uses -> whether they hold something between iterations.
    rows: dict[Buffer, bool] = field(default_factory=dict)
    #: Buffers that may overlay others, though both are needed at the same time.
    overlays: dict[Buffer, Overlay] = field(default_factory=dict)
    in_float: list[InFloat] = field(default_factory=list)  # of a quantized model
    #: Inputs and outputs whose first dimension counts independent samples, if the program can count fewer of them.
    rows_of: frozenset[str] = frozenset()

    def uses(self) -> dict[Buffer, Uses]:
        """Return the readers and writers of each buffer, in order of first use."""
        found = _FoundUses()
        for index, instruction in enumerate(self.instructions):
            for ref in instruction.reads:
                found[ref.buffer].readers.append(index)
            for ref in instruction.writes:
                found[ref.buffer].writers.append(index)
        return dict(found)

    def insert(self, at: int, new: list[Instruction], uses: dict[Buffer, Uses]) -> None:
        """Insert instructions in front of instruction `at`.

        `uses` is the program's own table, which is kept up to date.
        """
        self.instructions[at:at] = new
        for used in uses.values():
            if used.last >= at:
                used.readers = [k + len(new) if k >= at else k for k in used.readers]
                used.writers = [k + len(new) if k >= at else k for k in used.writers]
        for index, instruction in enumerate(new, at):
            for ref in instruction.reads:
                insort(uses.setdefault(ref.buffer, Uses(ref.buffer)).readers, index)
            for ref in instruction.writes:
                insort(uses.setdefault(ref.buffer, Uses(ref.buffer)).writers, index)

    def bound(self) -> set[Buffer]:
        """Return the buffers that the caller reads after the program ends."""
        return {b.ref.buffer for b in self.bindings if b.role in ("output", "loss")}

    def buffers(self) -> list[Buffer]:
        """Return every buffer that the program uses, in order of first use."""
        return list(dict.fromkeys([*self.uses(), *(binding.ref.buffer for binding in self.bindings)]))


@dataclass(frozen=True)
class Recomputation:
    """A way to compile training programs, instead of recomputing only cheap activations.

    `fused` says whether updates may be fused with the makers of their gradients. If not, a whole gradient can be
    made before that of the layer's input, and the activation that both read is dropped between them. `masked` says
    whether activations may be replaced by a bit an element. `rewrite` takes a complete, scheduled program, and
    returns the instructions to run instead; these must write the same bits.
    """

    fused: bool
    masked: bool
    rewrite: Callable[[Program], list[Instruction]]


@dataclass
class StateTensor:
    """A named tensor of the state, with elements of a type of the specification's enum `dtype`."""

    name: str
    shape: tuple[int, ...]
    buffer: Buffer
    dtype: str = field(default="f32", kw_only=True)


@dataclass
class Parameter(StateTensor):
    """A trained tensor, with its float32 gradient buffer if gradients are kept."""

    gradient: Buffer | None


class Statistic(StateTensor):
    """A running mean or variance, which a training step updates without a gradient."""


class Slot(StateTensor):
    """A moment tensor of a parameter, or the bias corrections that all parameters share."""


@dataclass
class Store:
    """The sample store of one image.

    `elements` is the number of elements of one sample. `aside` saves the input's first sample while
    other samples are trained on; it is None if programs overwrite inputs anyway.
    """

    capacity: int
    classes: int
    dtype: str
    elements: int
    buffer: Buffer
    aside: Buffer | None

    @property
    def stride(self) -> int:
        """Return the bytes from one sample to the next."""
        return 4 * self.elements if self.dtype == "f32" else (self.elements + 3) // 4 * 4


@dataclass(frozen=True)
class Start:
    """The counters and numbers from which training resumes. control: words of the control record, by name."""

    control: Mapping[str, int | float]
    properties: Mapping[str, int | float | str]


@dataclass
class Compiled:
    """All programs of one image with the buffers that they share."""

    programs: list[Program]
    parameters: list[Parameter]
    statistics: list[Statistic]
    slots: list[Slot]
    control: Buffer
    inputs: list[Binding]  # inputs and labels; each has one address in all programs
    batch: int
    learning_rate: float
    frozen_digest: bytes = b""  # SHA-256 of the frozen weights
    seed: int = 0
    properties: int = 4  # slots for the application's own numbers
    scheme: str = ""  # what is trained, as schemes.Scheme writes it
    store: Store | None = None  # samples to train on again
    #: Whether cheap activations may be recomputed, or how to recompute any value.
    recompute: bool | Recomputation = True
    stream_rows: bool | None = None  # whether layers may run row by row; None: only int8 layers
    start: Start | None = None  # what training resumes from
    image_version: int = 0  # a version number that the image's author increases
    saved: str | None = None  # the type in which forward values wait for the backward pass
    attention: str | None = None  # "blocks": fused, in blocks of queries
    classes: tuple[str, ...] = ()  # the names of the classes, in the order of the first output's scores

    @property
    def overwrites_inputs(self) -> bool:
        """Return whether a program may overwrite inputs with other data."""
        return any(b.ref.buffer.region == "scratch" for b in self.inputs)

    def state(self) -> list[StateTensor]:
        """Return the named tensors of the state, in storage order."""
        return [*self.parameters, *self.statistics, *self.slots]


def control_ref(control: Buffer, name: str) -> Ref:
    """Return a reference to the word `name` of the control record."""
    return Ref(control, 4 * CONTROL_FIELDS.index(name))
