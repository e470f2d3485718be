"""Reports on a compiled image: lines and tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..compiler.passes.quantized_models import reads_bytes
from ..compiler.profiles import differing
from ..formats.carry_over import StateEntry
from ..generated.optimizers import RULES
from ..generated.records import MOMENTS_BF16
from ..ir import copies
from ..ir.generated import instructions
from ..ir.generated.instructions import Clamp, ClipScale, FloatToBf16, Update
from ..ir.instruction import Buffer
from ..ir.program import Compiled, InFloat, Program
from ..terminal.printable import Bar, Rows

if TYPE_CHECKING:
    from ..compiler.compile import Tradeoff

# ---- The nodes of a quantized model that still compute in float32 ----------------------------------------------------

#: The most nodes with a line of their own.
MOST_LINES = 8


def in_float(compiled: Compiled) -> list[InFloat]:
    """Return the nodes of the inference model that compute in float32, largest results first."""
    found = next((p.in_float for p in compiled.programs if p.kind == "infer"), [])
    return sorted(found, key=lambda node: -node.bytes)


def describe_in_float(found: Sequence[InFloat]) -> list[str]:
    """Return a line for each node, or none if the whole model runs in int8."""
    lines = [f"in float32: {n.operator} {n.node}, {n.bytes:,} B of results: {n.reason}" for n in found[:MOST_LINES]]
    more = found[MOST_LINES:]
    return [*lines, f"in float32: {len(more)} smaller ones, {sum(n.bytes for n in more):,} B"] if more else lines


# ---- Whether a quantized model trains to the same state in both numerics profiles ------------------------------------


def describe_profiles(compiled: Compiled) -> list[str]:
    """Return one line for an image that trains a quantized model, otherwise none."""
    programs = [p for p in compiled.programs if p.kind in ("train", "step")]
    if not any(reads_bytes(i) for p in programs for i in p.instructions):
        return []
    others = sorted({i.opcode for i in differing(compiled)})
    if not others:
        return ["profiles  the state has the same bits on all boards"]
    return [f"profiles  the state differs between boards that round differently, because of {', '.join(others)}"]


# ---- The values of the forward pass that wait for the backward pass as bfloat16 --------------------------------------


@dataclass(frozen=True)
class Saved:
    """The values of one program that wait as bfloat16: their number, and their bytes while they wait."""

    program: str
    values: int
    bytes: int


def saved_values(compiled: Compiled) -> list[Saved]:
    """Return a Saved for each program that keeps values as bfloat16."""
    return [saved for program in compiled.programs for saved in saved_of(program)]


def saved_of(program: Program) -> Iterator[Saved]:
    """Yield the Saved of a program that keeps values as bfloat16; nothing for any other."""
    sizes = [2 * i.n for i in program.instructions if isinstance(i, FloatToBf16)]
    if sizes:
        yield Saved(program.kind, len(sizes), sum(sizes))


def describe_saved(saved: Saved) -> str:
    """Return one line about the values that wait as bfloat16."""
    are = "values wait" if saved.values > 1 else "value waits"
    return f"{saved.values} {are} as bfloat16, {saved.bytes:,} B instead of {2 * saved.bytes:,} B"


# ---- The copies that an image could not avoid ------------------------------------------------------------------------
# Most operators that only move elements become strides in the operators that read them. The copies here are the
# exceptions.


@dataclass(frozen=True)
class Copy:
    """One COPY instruction.

    `node` is the ONNX node whose elements it moves. `reason` is `row-major for READER` if the reader
    cannot use strides; otherwise it is an operator that is itself a copy (Concat, Pad, ...).
    """

    program: str
    node: str
    bytes: int
    reason: str


def kept_copies(compiled: Compiled) -> list[Copy]:
    """Return all copies in an image, in the order of its programs.

    Instructions that fill with a number do not count.
    """
    return [copy for program in compiled.programs for copy in copies_of(program)]


def copies_of(program: Program) -> Iterable[Copy]:
    """Yield the copies of one program."""
    for i in program.instructions:
        if isinstance(i, instructions.Copy) and i.reason != "fill":
            yield Copy(program.kind, i.origin, 4 * copies.elements(i), i.reason)


def by_reason(copies: Iterable[Copy]) -> str:
    """Return how many copies each reason has, for example `2 Concat, 1 row-major for Reshape`.

    The most frequent reason comes first.
    """
    reasons = [c.reason for c in copies]
    return ", ".join(f"{reasons.count(r)} {r}" for r in sorted(set(reasons), key=lambda r: (-reasons.count(r), r)))


# ---- How an image updates its parameters -----------------------------------------------------------------------------
# An update is fused if each row of the gradient is applied as soon as it is computed, so that the whole gradient never
# exists. Other updates read a whole gradient.


@dataclass(frozen=True)
class Updates:
    """The parameters by how they are updated.

    `fused` names the parameters whose whole gradient never exists. `whole` has the bytes of the gradients
    of all others. `reason` says what needs all gradients stored before the first update, so that none is
    fused; empty if nothing does.
    """

    fused: list[str]
    whole: dict[str, int]
    reason: str


def updates_of(compiled: Compiled) -> Updates:
    """Return how all parameters are updated, in the order of the state."""
    instructions = [i for p in compiled.programs for i in p.instructions]
    reasons = ["accumulate keeps them between micro-batches"] if accumulates(compiled) else []
    clips = any(isinstance(i, Clamp) and i.phase == "update" for i in instructions)
    takes_norm = any(isinstance(i, ClipScale) for i in instructions)
    reasons += ["clip_value looks at each of them before its update"] if clips else []
    reasons += ["clip_norm takes the norm of all of them first"] if takes_norm else []
    whole = whole_gradients(compiled)
    reasons += ["with a loss scale all are checked first"] if scales(compiled) else []
    sizes = {p.name: p.buffer.size for p in compiled.parameters if p.buffer in whole or accumulates(compiled)}
    return Updates([p.name for p in compiled.parameters if p.name not in sizes], sizes, ", ".join(reasons))


def accumulates(compiled: Compiled) -> bool:
    """Return whether the image keeps gradients between micro-batches."""
    return any(p.gradient is not None for p in compiled.parameters)


def scales(compiled: Compiled) -> bool:
    """Return whether a step divides its gradients by a loss scale."""
    steps = [i for p in compiled.programs if p.kind == "step" for i in p.instructions]
    return any(isinstance(i, Update) and i.scale and i.scale.buffer.region == "constant" for i in steps)


def whole_gradients(compiled: Compiled) -> set[Buffer]:
    """Return the buffers of the parameters changed by an UPDATE.

    An UPDATE reads a whole gradient.
    """
    return {i.p.buffer for p in compiled.programs for i in p.instructions if isinstance(i, Update)}


def describe_optimizer(compiled: Compiled) -> str:
    """Return the update rule and the learning rate in a few words, with the settings of groups if they have any."""
    found = [i for p in compiled.programs for i in p.instructions]
    rules = [ref.buffer.data for i in found if (ref := i.operands.get("rule")) is not None]
    kinds = {int.from_bytes(data[:4], "little") & ~MOMENTS_BF16 for data in rules if data is not None}
    names = [name for name, rule in RULES.items() if rule["kind"] in kinds]
    more = ", with groups of their own settings" if len(set(rules)) > 1 else ""
    return f"by {', '.join(names)}, rate {compiled.learning_rate:g}{more}"


def describe_updates(updates: Updates) -> str:
    """Return the updates in one line of text."""
    stored = sum(updates.whole.values())
    if updates.reason:
        return f"updates   not fused: all gradients are stored, {stored:,} B; {updates.reason}"
    total = len(updates.fused) + len(updates.whole)
    line = f"updates   {len(updates.fused)} of {total} parameters while the gradient is made"
    if not updates.whole:
        return line
    name = max(updates.whole, key=lambda n: updates.whole[n])
    return f"{line}; the largest gradient that is whole first: {name}, {updates.whole[name]:,} B"


# ---- Memory against time, from the search of --recompute -------------------------------------------------------------

TITLE = "Memory against time: each plan that no other one beats; -> is this image"
HINT = "Bytes of arena, and machine instructions of a step on a Cortex-M4F; more: than without --recompute."
#: The most rows in the table.
LONGEST = 16


def tradeoff_rows(front: Sequence[Tradeoff]) -> Rows:
    """Return a row for each plan, fastest first; of many, evenly spaced ones and the chosen one."""
    most = max(t.arena for t in front)
    step = -(-len(front) // LONGEST)
    shown = [t for k, t in enumerate(front) if t.taken or k % step == 0]
    rows = [
        ("->" if t.taken else "", f"{t.arena:,}", Bar(t.arena, most), f"{t.instructions:,.0f}", f"{t.more:+.1%}")
        for t in shown
    ]
    return ("", "arena#", "", "machine#", "more#"), rows


# ---- What an update carries over from the previous model -------------------------------------------------------------


def carry_over_rows(entries: Sequence[StateEntry]) -> Rows:
    """Return the rows for the terminal.

    Moments are only counted, because they have their parameters' names.
    """
    shown = [p for p in entries if p.role != "slot"]
    rows = [(p.name, " x ".join(map(str, p.shape)), "yes" if p.carried else "no", p.why) for p in shown]
    moments = [p for p in entries if p.role == "slot"]
    if moments:
        first = next((p for p in moments if not p.carried), None)
        rows.append((f"{len(moments)} of the optimizer", "", "no" if first else "yes", first.why if first else ""))
    return ("state", "shape", "carried over", "why not"), rows
