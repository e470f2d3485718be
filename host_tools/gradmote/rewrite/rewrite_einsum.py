"""The pass that rewrites Einsum as sums, transpositions and matrix products.

One operand needs ReduceSum and Transpose. For two operands, labels that occur in only one and not in
the output are summed away first:

    A (batch.., rows, inner)  B (batch.., inner, columns)  ->  MatMul
    ->  (batch.., a's own.., b's own..)  ->  output

More operands are multiplied one after the other, from the left. An ellipsis stands for labels of
its own. If an operand has a label twice, its diagonal is taken: every (size + 1)th element of both
axes merged into one.
"""

from __future__ import annotations

import string
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import Builder, attribute, describe, sort_nodes, take_over
from ..operators.selection import UNKNOWN, known_dims, product


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every Einsum."""
    for node in list(graph):
        if node.op_type == "Einsum" and not node.domain:
            result = Rewrite(Builder(graph), node).run()
            take_over(graph, node.outputs[0], result)
    sort_nodes(graph)


@dataclass(frozen=True)
class Term:
    """An operand or result with a label for each axis."""

    value: ir.Value
    labels: str


class Rewrite:
    """The rewrite of one Einsum node, whose nodes `builder` appends."""

    def __init__(self, builder: Builder, node: ir.Node) -> None:
        """Parse the equation, take diagonals, and drop dimensions of 1 that broadcast."""
        self.builder, self.node = builder, node
        self.name = str(node.outputs[0].name)
        terms, self.output = self.parse(attribute(node, "equation").replace(" ", ""))
        terms = [self.diagonal(t) for t in terms]
        self.sizes = self.label_sizes(terms)
        self.terms = [self.without_ones(t) for t in terms]

    def parse(self, equation: str) -> tuple[list[Term], str]:
        """Return the operands and the output's labels.

        Without an arrow, the output has the ellipsis, then all labels that occur once, in
        alphabetical order.
        """
        given, arrow, output = equation.partition("->")
        values, parts = [v for v in self.node.inputs if v is not None], given.split(",")
        spreads = [len(known_dims(v)) - len(p) + 3 if "..." in p else 0 for v, p in zip(values, parts, strict=True)]
        free = [c for c in string.ascii_letters if c not in equation][: max(spreads)]
        if not arrow:
            output = "..." + "".join(c for c in sorted(set(given) - {",", "."}) if given.count(c) == 1)
        labels = [part.replace("...", "".join(free[len(free) - n :])) for part, n in zip(parts, spreads, strict=True)]
        return [Term(v, a) for v, a in zip(values, labels, strict=True)], output.replace("...", "".join(free))

    def diagonal(self, term: Term) -> Term:
        """Return the term with the diagonal of each label that occurs twice."""
        twice = next((label for label in term.labels if term.labels.count(label) > 1), None)
        if twice is None:
            return term
        axes = [i for i, label in enumerate(term.labels) if label == twice][:2]
        rest = [i for i in range(len(term.labels)) if i not in axes]
        dims = known_dims(term.value)
        size = self.common_size(twice, {dims[a] for a in axes})
        moved = self.builder.op("Transpose", term.value, name=f"{self.name}.paired", perm=[*axes, *rest])
        square = self.shaped(moved, [size * size, *(dims[a] for a in rest)])
        limits = [self.builder.constant([v], f"{self.name}.limit") for v in (0, size * size, 0, size + 1)]
        value = self.builder.op("Slice", square, *limits, name=f"{self.name}.diagonal")
        value.shape = ir.Shape([size, *(term.value.shape[a] for a in rest)])
        return self.diagonal(Term(value, twice + "".join(term.labels[a] for a in rest)))

    def label_sizes(self, terms: Sequence[Term]) -> dict[str, int]:
        """Return the size of each label."""
        found: dict[str, set[int]] = {}
        for term in terms:
            for label, dim in zip(term.labels, known_dims(term.value), strict=True):
                found.setdefault(label, set()).add(dim)
        return {label: self.common_size(label, dims) for label, dims in found.items()}

    def common_size(self, label: str, dims: set[int]) -> int:
        """Return the one size of a label; a size of 1 broadcasts to it.

        Raises UnsupportedOperator if there are several sizes.
        """
        sizes = dims - {1} if len(dims) > 1 else dims
        if len(sizes) > 1:
            raise UnsupportedOperator(
                f"Einsum with sizes {sorted(sizes)} for {label}", "give each label one size", describe(self.node)
            )
        return sizes.pop()

    def without_ones(self, term: Term) -> Term:
        """Return the term without dimensions of 1 that are larger in another operand."""
        dims = known_dims(term.value)
        axes = [i for i, label in enumerate(term.labels) if dims[i] == 1 != self.sizes[label]]
        if not axes:
            return term
        value = self.builder.op("Squeeze", term.value, self.axes(axes), name=f"{self.name}.squeezed")
        return Term(value, "".join(label for i, label in enumerate(term.labels) if i not in axes))

    def axes(self, axes: Sequence[int]) -> ir.Value:
        """Return a constant of these axes."""
        return self.builder.constant(axes, f"{self.name}.axes")

    def run(self) -> ir.Value:
        """Append the nodes, and return the Einsum's value."""
        first, *others = self.terms
        while others:
            second, *others = others
            later = self.output + "".join(t.labels for t in others)
            first = self.matrix_product(first, second, later)
        return self.identity(self.ordered(self.summed(first, self.output), self.output))

    def summed(self, term: Term, kept: str) -> Term:
        """Return the term summed over all labels that are not kept."""
        axes = [i for i, label in enumerate(term.labels) if label not in kept]
        if not axes:
            return term
        value = self.builder.op("ReduceSum", term.value, self.axes(axes), name=f"{self.name}.sum", keepdims=0)
        return Term(value, "".join(label for label in term.labels if label in kept))

    def matrix_product(self, a: Term, b: Term, later: str) -> Term:
        """Return the product of two terms, summed over the labels that `later` lacks."""
        a, b = self.summed(a, b.labels + later), self.summed(b, a.labels + later)
        shared = [label for label in a.labels if label in b.labels]
        batch = "".join(label for label in shared if label in later)
        inner = "".join(label for label in shared if label not in later)
        rows, columns = ("".join(x for x in t.labels if x not in shared) for t in (a, b))
        left = self.reshaped(self.ordered(a, batch + rows + inner), batch, [rows, inner])
        right = self.reshaped(self.ordered(b, batch + inner + columns), batch, [inner, columns])
        made = self.builder.op("MatMul", left, right, name=f"{self.name}.product")
        return Term(self.reshaped(made, batch + rows + columns, []), batch + rows + columns)

    def ordered(self, term: Term, labels: str) -> ir.Value:
        """Return the term's value with its axes in the order of `labels`."""
        if term.labels == labels:
            return term.value
        perm = [term.labels.index(label) for label in labels]
        return self.builder.op("Transpose", term.value, name=f"{self.name}.ordered", perm=perm)

    def reshaped(self, value: ir.Value, single: str, groups: Sequence[str]) -> ir.Value:
        """Return the value with an axis for each label of `single`, then one for each group."""
        shape = [self.sizes[label] for label in single]
        shape += [product([self.sizes[label] for label in group]) for group in groups]
        return self.shaped(value, shape)

    def shaped(self, value: ir.Value, shape: Sequence[int]) -> ir.Value:
        """Append a Reshape; raise UnsupportedOperator if several sizes are unknown."""
        if list(shape).count(UNKNOWN) > 1:
            raise UnsupportedOperator(
                "Einsum over several dimensions that are not fixed",
                "only the batch may be symbolic",
                describe(self.node),
            )
        sizes = self.builder.constant(np.array(shape, np.int64), f"{self.name}.shape")
        return self.builder.op("Reshape", value, sizes, name=f"{self.name}.reshaped")

    def identity(self, value: ir.Value) -> ir.Value:
        """Return an Identity if the result is an unchanged operand, else the value."""
        return self.builder.op("Identity", value, name=f"{self.name}.same") if value in self.node.inputs else value
