"""The pass that fuses attention into ATTENTION and ATTENTION_GRAD, which process blocks of queries of one head.

In the forward pass it looks for

    p = softmax(scale q k^T + attn_mask),  y = p v

where scale and attn_mask are optional, scale may be a divisor, and a mask may replace scores with another number. In
the backward pass it looks for

    dv = p^T dy,  ds = scale softmax_grad(dy v^T, p),  dq = ds k,  dk = ds^T q

and some of these gradients may be absent. Nothing else may read p, ds, or the intermediate values: tensors of
samples x heads x queries x keys. After fusion only a block of them is in memory. ATTENTION_GRAD recomputes p.
Results stay bitwise equal. If fusion does not save scratch in a program, its attention stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...ir.generated.instructions import (
    Add,
    Attention,
    AttentionGrad,
    Div,
    Gemm,
    Matmul,
    Mul,
    Select,
    Softmax,
    SoftmaxGrad,
)
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import Compiled, Program
from ...ir.strides import contiguous, reshaped
from .fuse_add import is_plain
from .schedule import peak

#: The most scores in a block, 64 KB. Larger blocks leave the fastest caches and are not faster.
MOST_SCORES = 16384
#: Product kernels process this many rows at once.
FEWEST_ROWS = 4

Scaling = Mul | Div
Masking = Add | Select
Shape = tuple[int, int, int, int]  # samples, heads, rows, columns
Wanted = TypeVar("Wanted", bound=Instruction)


def run(compiled: Compiled) -> None:
    """Fuse the attention of every program that then needs less scratch, if the options ask for it."""
    for program in compiled.programs if compiled.attention == "blocks" else []:
        shorter = fused(program)
        if len(shorter) < len(program.instructions) and peak(program, shorter) < peak(program, program.instructions):
            program.instructions = shorter


def fused(program: Program) -> list[Instruction]:
    """Return a program's instructions with all attention fused."""
    trial = replace(program)
    for softmax in [i for i in program.instructions if isinstance(i, Softmax)]:
        found = Search(trial).find(softmax)
        if found is not None:
            trial.instructions = found.replaced(trial.instructions)
    return trial.instructions


# ---- Operands and products


class Matrices(NamedTuple):
    """An operand of samples x heads matrices: its address, and its strides along samples, heads, rows and columns.

    The stride of an axis of one element is 0.
    """

    ref: Ref
    strides: Shape

    @property
    def transposed(self) -> Matrices:
        """Return the matrices transposed."""
        outer, inner, row, column = self.strides
        return Matrices(self.ref, (outer, inner, column, row))

    def has_rows(self, columns: int) -> bool:
        """Return whether the elements of a row are contiguous."""
        return self.strides[3] == (1 if columns > 1 else 0)


def matrices(ref: Ref, shape: Shape, strides: Sequence[int]) -> Matrices:
    """Return an operand with this shape and these strides."""
    outer, inner, row, column = (stride if size > 1 else 0 for size, stride in zip(shape, strides, strict=True))
    return Matrices(ref, (outer, inner, row, column))


class Product(NamedTuple):
    """A product y (m, n) = a b for each sample and head, with k columns of a, and its sizes m, n and k."""

    a: Matrices
    b: Matrices
    y: Matrices
    sizes: tuple[int, int, int]


def product(maker: Instruction, batch: tuple[int, int]) -> Product | None:
    """Return a MATMUL or a plain GEMM with a batch of samples and heads; None for other instructions.

    An instruction may merge samples and heads into one axis.
    """
    if isinstance(maker, Matmul):
        own, strides = (maker.d0, maker.d1), matmul_strides(maker)
    elif isinstance(maker, Gemm) and is_plain(maker) and not maker.accumulate:
        own, strides = (1, maker.batch), gemm_strides(maker)
    else:
        return None
    if own == (1, math.prod(batch)):
        strides = [[s[1] * batch[1], *s[1:]] for s in strides]
    elif own != batch:
        return None
    m, n, k = maker.m, maker.n, maker.k
    a = matrices(maker.a, (*batch, m, k), strides[0])
    b = matrices(maker.b, (*batch, k, n), strides[1])
    return Product(a, b, matrices(maker.y, (*batch, m, n), strides[2]), (m, n, k))


def matmul_strides(maker: Matmul) -> list[list[int]]:
    """Return the strides of a, b and y along samples, heads, rows and columns."""
    a, b = ([maker.a0, maker.a1, maker.a_row, maker.a_col], [maker.b0, maker.b1, maker.b_row, maker.b_col])
    return [a, b, [maker.y0, maker.y1, maker.y_row, 1]]


def gemm_strides(maker: Gemm) -> list[list[int]]:
    """Return the strides of a, b and y along one sample, the batch, rows and columns."""
    a, b = ([0, maker.a_batch, maker.a_row, maker.a_col], [0, maker.b_batch, maker.b_row, maker.b_col])
    return [a, b, [0, maker.m * maker.n, maker.n, 1]]


def batch_of(*makers: Matmul | Gemm) -> tuple[int, int]:
    """Return the samples and heads of products; some may merge them into one axis."""
    return max((maker.d0, maker.d1) if isinstance(maker, Matmul) else (1, maker.batch) for maker in makers)


# ---- Elementwise instructions


def sizes(instruction: Scaling | Masking) -> list[int]:
    """Return the sizes of an elementwise instruction's axes."""
    return [instruction.d0, instruction.d1, instruction.d2, instruction.d3]


def strides_of(instruction: Scaling | Masking, name: str) -> list[int]:
    """Return the strides of operand a, b or c."""
    return [getattr(instruction, f"{name}{axis}") for axis in range(4)]


def is_whole(instruction: Scaling | Masking, name: str) -> bool:
    """Return whether an operand is read in the order of the result: row-major, each element once."""
    dims = sizes(instruction)
    return all(d == 1 or s == c for d, s, c in zip(dims, strides_of(instruction, name), contiguous(dims), strict=True))


def is_single(instruction: Scaling | Masking, name: str) -> bool:
    """Return whether an operand is a single number."""
    return all(d == 1 or s == 0 for d, s in zip(sizes(instruction), strides_of(instruction, name), strict=True))


def number(ref: Ref) -> float | None:
    """Return the number at an address, or None if it is not constant."""
    if ref.buffer.region != "constant" or ref.buffer.data is None:
        return None
    return float(np.frombuffer(ref.buffer.data, np.float32)[ref.offset // 4])


# ---- Attention found in a program


@dataclass
class Found:
    """Attention found in a program.

    `operands` are the matrix operands of the fused instructions; gradients are added as they are found, and `fill`
    with
    the mask. Fusion removes the `forward` and `backward` instructions; the last of `forward` makes y.
    """

    batch: tuple[int, int]
    queries: int
    keys: int
    depth: int
    scaling: Scaling | None
    masking: Masking | None
    operands: dict[str, Matrices]
    forward: list[Instruction]
    backward: list[Instruction] = field(default_factory=list)
    fill: Ref | None = None

    @property
    def shape(self) -> Shape:
        """Return the shape of all scores."""
        return (*self.batch, self.queries, self.keys)

    def scores(self, ref: Ref) -> Matrices:
        """Return all scores, row-major."""
        return matrices(ref, self.shape, contiguous(self.shape))

    def agrees(self, name: str, given: Matrices) -> bool:
        """Return whether these matrices are the operand of this name; record them if the name is new."""
        rows = given.has_rows(self.keys if name == "dk_columns" else self.depth) or name == "k"
        return rows and self.operands.setdefault(name, given) == given

    def replaced(self, instructions: list[Instruction]) -> list[Instruction]:
        """Return the instructions with ATTENTION at the maker of y, and ATTENTION_GRAD at the backward pass's start."""
        new: dict[Instruction, Instruction] = {self.forward[-1]: self.attention().in_place_of(self.forward[-1])}
        begin = next((i for i in instructions if i in self.backward), None)
        if begin is not None:
            new[begin] = self.gradient().in_place_of(begin)
        gone = {*self.forward, *self.backward} - new.keys()
        return [new.get(i, i) for i in instructions if i not in gone]

    def attention(self) -> Attention:
        """Return the fused forward pass."""
        return Attention(**self.fields(("q", "k", "v", "y"), 1))

    def gradient(self) -> AttentionGrad:
        """Return the fused backward pass."""
        columns = self.operands.get("dk_columns")
        made = AttentionGrad(**self.fields(("dy", "q", "k", "v", "dq", "dk", "dv"), 2))
        if columns is not None:
            made.dk_columns, (made.dk0, made.dk1, made.dk_row, _) = columns
        return made

    def fields(self, names: Sequence[str], blocks: int) -> dict[str, Any]:
        """Return all operands and parameters for an instruction with this many blocks of scores in memory."""
        (samples, heads), rows = self.batch, rows_of(self)
        block = Buffer(f"{self.forward[-1].origin}.block", 4 * blocks * rows * self.keys, "scratch")
        made: dict[str, Any] = {"samples": samples, "heads": heads, "queries": self.queries, "keys": self.keys}
        made |= {"depth": self.depth, "rows": rows, "block": Ref(block), "fill": self.fill}
        made |= {"scale": self.scaling and self.scaling.b, "divides": isinstance(self.scaling, Div)}
        for name in (*names, "attn_mask"):
            ref, strides = self.operands.get(name, (None, (0, 0, 0, 0)))
            axes = ("0", "1", "_row", "_col") if name == "k" else ("0", "1", "_row")
            made |= {name: ref, **{f"{name.removeprefix('attn_')}{axis}": s for axis, s in zip(axes, strides)}}
        return made


def rows_of(found: Found) -> int:
    """Return the queries per block; the two blocks of ATTENTION_GRAD take no more bytes than y."""
    scores = min(math.prod(found.batch) * found.queries * found.depth // 2, MOST_SCORES)
    return min(found.queries, max(FEWEST_ROWS, scores // found.keys // FEWEST_ROWS * FEWEST_ROWS))


def attention(
    scoring: Matmul | Gemm, scaling: Scaling | None, masking: Masking | None, softmax: Softmax, mixing: Matmul | Gemm
) -> Found | None:
    """Return the forward pass that these instructions form, or None if their operands do not form attention."""
    batch = batch_of(scoring, mixing)
    first, last = product(scoring, batch), product(mixing, batch)
    if first is None or last is None:
        return None
    queries, keys, depth = first.sizes
    operands = {"q": first.a, "k": first.b.transposed, "v": last.b, "y": last.y}
    chain = [i for i in (scoring, scaling, masking, softmax, mixing) if i is not None]
    found = Found(batch, queries, keys, depth, scaling, masking, operands, chain)
    fits = last.sizes == (queries, depth, keys) and all(operands[name].has_rows(depth) for name in ("q", "v", "y"))
    whole = first.y == found.scores(scoring.y) and last.a == found.scores(softmax.y)
    over_keys = softmax.inner == 1 and softmax.classes == keys
    scaled = scaling is None or (is_whole(scaling, "a") and is_single(scaling, "b"))
    return found if fits and whole and over_keys and scaled and (masking is None or take_mask(found, masking)) else None


def take_mask(found: Found, masking: Masking) -> bool:
    """Add the mask; return False if ATTENTION cannot read it."""
    name, scores = ("c", "b") if isinstance(masking, Select) else mask_and_scores(found, masking)
    ref, strides = masking.operands[name], reshaped(sizes(masking), strides_of(masking, name), found.shape)
    if ref is None or strides is None or not is_whole(masking, scores):
        return False
    mask = found.operands["attn_mask"] = matrices(ref, found.shape, strides)
    if isinstance(masking, Select):
        fill = number(masking.a) if is_single(masking, "a") else None
        if fill is None:
            return False
        found.fill = Ref(Buffer(f"{masking.origin}.fill", 8, "constant", np.array([fill, 0], np.float32).tobytes()))
    return mask.has_rows(found.keys)


def mask_and_scores(found: Found, add: Add) -> tuple[str, str]:
    """Return the names of the two operands of an ADD: the mask, and the scores that `forward` makes."""
    is_scores = any(add.a.buffer in (w.buffer for w in maker.writes) for maker in found.forward)
    return ("b", "a") if is_scores else ("a", "b")


def take_gradient(found: Found, maker: Instruction, name: str, scores: Ref) -> bool:
    """Add the product dq = ds k, dk = ds^T q or dv = p^T dy; return False if the instruction is not one."""
    made = product(maker, found.batch)
    left, rows, columns = found.scores(scores), found.queries, found.keys
    if name != "dq":
        left, rows, columns = left.transposed, columns, rows
    if made is None or name in found.operands or made.a != left or made.sizes != (rows, found.depth, columns):
        return False
    if not found.agrees({"dq": "k", "dk": "q", "dv": "dy"}[name], made.b) or not found.agrees(name, made.y):
        return False
    found.backward.append(maker)
    return True


def take_columns(found: Found, maker: Instruction, ds: Ref) -> bool:
    """Add the product dk^T = q^T ds; return False if the instruction is another one."""
    made = product(maker, found.batch)
    if made is None or {"dk", "dk_columns"} & found.operands.keys() or made.b != found.scores(ds):
        return False
    if made.sizes != (found.depth, found.keys, found.queries) or not found.agrees("q", made.a.transposed):
        return False
    found.backward.append(maker)
    return found.agrees("dk_columns", made.y)


def take_scores_gradient(found: Found, maker: Instruction, dp: Ref) -> bool:
    """Add the product dp = dy v^T; return False if the instruction is another one."""
    made = product(maker, found.batch)
    if made is None or made.y != found.scores(dp) or made.sizes != (found.queries, found.keys, found.depth):
        return False
    found.backward.append(maker)
    return found.agrees("dy", made.a) and found.agrees("v", made.b.transposed)


def is_scaled_alike(scaling: Scaling, gradient: Instruction, ds: Ref) -> bool:
    """Return whether an instruction scales a gradient by the factor of the scores."""
    if not isinstance(gradient, (Mul, Div)) or type(gradient) is not type(scaling):
        return False
    alike = gradient.a == ds and gradient.b == scaling.b
    return alike and is_whole(gradient, "a") and is_single(gradient, "b")


def is_dropped_alike(found: Found, gradient: Instruction, ds: Ref) -> bool:
    """Return whether an instruction zeroes the gradients of masked scores."""
    if not isinstance(gradient, Select) or not isinstance(found.masking, Select):
        return False
    mask, zero = found.masking, is_single(gradient, "a") and number(gradient.a) == 0.0
    alike = (
        gradient.c == mask.c and strides_of(gradient, "c") == strides_of(mask, "c") and sizes(gradient) == sizes(mask)
    )
    return alike and zero and gradient.b == ds and is_whole(gradient, "b")


# ---- The search


class Search:
    """Finds attention in a program."""

    def __init__(self, program: Program) -> None:
        """Collect the facts that all searches share."""
        self.instructions, self.uses, self.bound = program.instructions, program.uses(), program.bound()

    def find(self, softmax: Softmax) -> Found | None:
        """Return the attention of a SOFTMAX, or None."""
        found = self.forward(softmax)
        return found if found is not None and self.backward(found, softmax) and self.is_ready(found) else None

    def forward(self, softmax: Softmax) -> Found | None:
        """Return the forward pass around a SOFTMAX, or None."""
        mixing = next((i for i in self.readers(softmax.y) if isinstance(i, (Matmul, Gemm))), None)
        masking = self.maker(softmax.x, (Add, Select))
        for value in {Add: ("a", "b"), Select: ("b",)}.get(type(masking), ("x",)):
            scores = (masking or softmax).operands[value]
            scaling = self.maker(scores, (Mul, Div))
            scoring = self.maker(scaling.a if scaling is not None else scores, (Matmul, Gemm))
            if scoring is not None and mixing is not None:
                return attention(scoring, scaling, masking, softmax, mixing)
        return None

    def backward(self, found: Found, softmax: Softmax) -> bool:
        """Add the backward pass; return whether nothing else reads the removed values."""
        if not self.is_own(softmax.y):
            return False
        for reader in self.readers(softmax.y):
            if isinstance(reader, SoftmaxGrad) and reader.inner == 1 and reader.y == softmax.y:
                if not self.scores_gradient(found, reader):
                    return False
            elif reader is not found.forward[-1] and not take_gradient(found, reader, "dv", softmax.y):
                return False
        return True

    def scores_gradient(self, found: Found, softmax_grad: SoftmaxGrad) -> bool:
        """Add ds, its chain from dy, and the products from ds to dq and dk; return whether these are all readers."""
        scoring = self.maker(softmax_grad.dy, (Matmul, Gemm))
        if scoring is None or not take_scores_gradient(found, scoring, softmax_grad.dy):
            return False
        ds = self.masked_and_scaled(found, softmax_grad)
        return ds is not None and all(
            take_gradient(found, reader, "dq", ds)
            or take_gradient(found, reader, "dk", ds)
            or take_columns(found, reader, ds)
            for reader in self.readers(ds)
        )

    def masked_and_scaled(self, found: Found, softmax_grad: SoftmaxGrad) -> Ref | None:
        """Return ds, and add the instructions from SOFTMAX_GRAD to it; None if another instruction comes between."""
        found.backward.append(softmax_grad)
        ds = softmax_grad.dx
        if isinstance(found.masking, Select):
            reader = self.only_reader(ds)
            if reader is None or not is_dropped_alike(found, reader, ds):
                return None
            found.backward.append(reader)
            ds = reader.writes[0]
        if found.scaling is not None:
            reader = self.only_reader(ds)
            if reader is None or not is_scaled_alike(found.scaling, reader, ds):
                return None
            found.backward.append(reader)
            ds = reader.writes[0]
        return ds if self.is_own(ds) else None

    def is_ready(self, found: Found) -> bool:
        """Return whether the inputs of the fused instructions are complete at their position, and stay unchanged."""
        position = {i: k for k, i in enumerate(self.instructions)}
        until = dict.fromkeys(("q", "k", "v", "attn_mask"), position[found.forward[-1]])
        until["dy"] = min((position[i] for i in found.backward), default=0)
        read = [(found.operands[name].ref, at) for name, at in until.items() if name in found.operands]
        read += [(found.scaling.b, until["q"])] if found.scaling is not None else []
        return all(k < at for ref, at in read for k in self.uses[ref.buffer].writers)

    def maker(self, ref: Ref | None, kind: tuple[type[Wanted], ...]) -> Wanted | None:
        """Return the maker of a value that one instruction reads, if it is of this kind; else None."""
        if ref is None or self.only_reader(ref) is None:
            return None
        made = self.instructions[self.uses[ref.buffer].writers[0]]
        return made if isinstance(made, kind) else None

    def only_reader(self, ref: Ref) -> Instruction | None:
        """Return the only reader of a value local to the program, or None."""
        readers = self.readers(ref)
        return readers[0] if len(readers) == 1 and self.is_own(ref) else None

    def is_own(self, ref: Ref) -> bool:
        """Return whether a value starts a scratch buffer that one instruction writes and the caller does not read."""
        used = self.uses[ref.buffer]
        once = len(used.writers) == 1 and not used.is_given and not ref.offset
        return once and ref.buffer.region == "scratch" and ref.buffer not in self.bound

    def readers(self, ref: Ref) -> list[Instruction]:
        """Return the readers of a buffer, in order."""
        return [self.instructions[k] for k in self.uses[ref.buffer].readers]
