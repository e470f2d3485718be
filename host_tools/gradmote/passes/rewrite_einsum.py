"""Einsum becomes what it is made of. One operand: ReduceSum, Transpose. Two operands, after labels that only one has,
and the output has not, were summed away:

    A (batch.., rows, inner)  B (batch.., inner, columns)  ->  MatMul  ->  (batch.., a's own.., b's own..)  ->  output
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import Builder, attribute, describe, take_over
from ..operators.selection import UNKNOWN, known_dims, product


def run(graph: ir.Graph, keep: Set[str]) -> None:
    for node in list(graph):
        if node.op_type == "Einsum" and not node.domain:
            result = Rewrite(Builder(graph), node).run()
            take_over(graph, node.outputs[0], result)
    graph.sort()


@dataclass(frozen=True)
class Term:
    """An operand or result with a label for each axis."""

    value: ir.Value
    labels: str


class Rewrite:
    def __init__(self, builder: Builder, node: ir.Node) -> None:
        self.builder, self.node = builder, node
        self.name = str(node.outputs[0].name)
        self.terms, self.output = self.parse(attribute(node, "equation").replace(" ", ""))
        self.sizes = self.label_sizes()

    def parse(self, equation: str) -> tuple[list[Term], str]:
        """Operands and the output's labels; without an arrow these are all that occur once, in alphabetical order."""
        given, arrow, output = equation.partition("->")
        parts = given.split(",")
        if not arrow:
            output = "".join(c for c in sorted(set(given) - {","}) if given.count(c) == 1)
        if len(parts) > 2 or "." in equation or any(len(set(p)) != len(p) for p in (*parts, output)):
            raise UnsupportedOperator(
                f"Einsum {equation}",
                "use one or two operands, no ellipsis, and each label once an operand",
                describe(self.node),
            )
        return [Term(v, labels) for v, labels in zip(self.node.inputs, parts, strict=True) if v is not None], output

    def label_sizes(self) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for term in self.terms:
            for label, dim in zip(term.labels, known_dims(term.value), strict=True):
                if sizes.setdefault(label, dim) != dim:
                    raise UnsupportedOperator(
                        f"Einsum with sizes {sizes[label]} and {dim} for {label}",
                        "expand one operand first",
                        describe(self.node),
                    )
        return sizes

    def run(self) -> ir.Value:
        terms = [self.without_own_sums(t) for t in self.terms]
        result = terms[0] if len(terms) == 1 else self.matrix_product(*terms)
        return self.identity(self.ordered(result, self.output))

    def without_own_sums(self, term: Term) -> Term:
        """Sums over labels that neither the output nor another operand has."""
        others = "".join(t.labels for t in self.terms if t is not term) + self.output
        axes = [i for i, label in enumerate(term.labels) if label not in others]
        if not axes:
            return term
        axes_value = self.builder.constant(axes, f"{self.name}.axes")
        value = self.builder.op("ReduceSum", term.value, axes_value, name=f"{self.name}.sum", keepdims=0)
        return Term(value, "".join(label for label in term.labels if label in others))

    def matrix_product(self, a: Term, b: Term) -> Term:
        shared = [label for label in a.labels if label in b.labels]
        batch = "".join(label for label in shared if label in self.output)
        inner = "".join(label for label in shared if label not in self.output)
        rows, columns = ("".join(x for x in t.labels if x not in shared) for t in (a, b))
        left = self.reshaped(self.ordered(a, batch + rows + inner), batch, [rows, inner])
        right = self.reshaped(self.ordered(b, batch + inner + columns), batch, [inner, columns])
        made = self.builder.op("MatMul", left, right, name=f"{self.name}.product")
        return Term(self.reshaped(made, batch + rows + columns, []), batch + rows + columns)

    def ordered(self, term: Term, labels: str) -> ir.Value:
        if term.labels == labels:
            return term.value
        perm = [term.labels.index(label) for label in labels]
        return self.builder.op("Transpose", term.value, name=f"{self.name}.ordered", perm=perm)

    def reshaped(self, value: ir.Value, single: str, groups: Sequence[str]) -> ir.Value:
        """Labels of `single` as they are, then each group as one axis."""
        shape = [self.sizes[label] for label in single]
        shape += [product([self.sizes[label] for label in group]) for group in groups]
        if shape.count(UNKNOWN) > 1:
            raise UnsupportedOperator(
                "Einsum over several dimensions that are not fixed",
                "only the batch may be symbolic",
                describe(self.node),
            )
        return self.builder.op(
            "Reshape",
            value,
            self.builder.constant(np.array(shape, np.int64), f"{self.name}.shape"),
            name=f"{self.name}.reshaped",
        )

    def identity(self, value: ir.Value) -> ir.Value:
        """A value of its own, where the result is an operand as it stands."""
        return self.builder.op("Identity", value, name=f"{self.name}.same") if value in self.node.inputs else value
