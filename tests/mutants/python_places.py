"""Finds what can be mutated in Python, by the operators of cosmic-ray."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from .mutant import ROOT, Place

PINS = ".ci/requirements-mutants.txt"
PACKAGES = "build/mutants/packages"
#: The operators of cosmic-ray that are used. Others put in names that are not there, or make what fails at once.
OPERATORS = (
    *("AddNot", "NumberReplacer", "ZeroIterationForLoop", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
    *("ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *(f"ReplaceUnaryOperator_Delete_{name}" for name in ("Not", "USub")),
    *(f"ReplaceComparisonOperator_{pair}" for pair in ("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Eq_NotEq", "NotEq_Eq")),
    *(f"ReplaceComparisonOperator_{pair}" for pair in ("Is_IsNot", "IsNot_Is")),
    *(f"ReplaceBinaryOperator_{pair}" for pair in ("Add_Sub", "Sub_Add", "Mul_FloorDiv", "Div_Mul", "FloorDiv_Mul")),
    *(f"ReplaceBinaryOperator_{pair}" for pair in ("Mod_FloorDiv", "LShift_RShift", "RShift_LShift")),
    *(f"ReplaceBinaryOperator_{pair}" for pair in ("BitAnd_BitOr", "BitOr_BitAnd")),
)
#: Functions and methods whose calls only say something.
SAYING = {"print", "warn", "debug", "info", "warning", "error", "field"}


@dataclass(frozen=True)
class Change:
    """A change that an operator would make: to the node with this number, from `start` to `end`, in its way `index`."""

    operator: str
    number: int
    index: int
    start: int
    end: int


def changes(text: str) -> list[Change]:
    """Return all changes to a module that operators know, except those that no behaviour depends on."""
    library, provider = cosmic_ray("ast"), cosmic_ray("operators.provider").OperatorProvider()
    nodes, starts = list(library.ast_nodes(library.get_ast(text))), starts_of_lines(text)
    found = [
        Change(name, number, index, starts[first[0]] + first[1], starts[last[0]] + last[1])
        for name in OPERATORS
        for number, node in enumerate(nodes)
        for index, (first, last) in enumerate(provider[name]().mutation_positions(node))
    ]
    skipped = [span(node, text) for node in without_effect(ast.parse(text))]
    return [change for change in found if not any(start <= change.start < end for start, end in skipped)]


def place_of(change: Change, text: str) -> Place | None:
    """Return a change as the text that it replaces; None if it is not Python, or changes more than its range."""
    after, rest = changed(change, text), text[change.end :]
    if not (after.startswith(text[: change.start]) and after.endswith(rest) and parses(after)):
        return None
    made = after[change.start : len(after) - len(rest)].strip()
    return Place(change.start, change.operator, text[change.start : change.end], made)


def changed(change: Change, text: str) -> str:
    """Return the text after a change."""
    library, provider = cosmic_ray("ast"), cosmic_ray("operators.provider").OperatorProvider()
    tree = library.get_ast(text)
    node = list(library.ast_nodes(tree))[change.number]
    parent = node.parent
    made = provider[change.operator]().mutate(node, change.index)
    if made is not node:
        parent.children[[child is node for child in parent.children].index(True)] = made
    return str(tree.get_code())


def cosmic_ray(module: str) -> Any:
    """Return a module of cosmic-ray. End the program if it is not installed."""
    sys.path.append(str(ROOT / PACKAGES))
    try:
        return importlib.import_module(f"cosmic_ray.{module}")
    except ModuleNotFoundError as error:
        command = f".venv/bin/pip install --no-deps --target {PACKAGES} -r {PINS}"
        raise SystemExit(f"{error.name} is missing, which draws mutants of Python: {command}") from error
    finally:
        sys.path.pop()


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def without_effect(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that say something to people or to type checkers: annotations, texts of errors, __repr__()."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Assert)) or is_for_types(node) or is_saying(node):
            yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from node.decorator_list
            if node.name in ("__repr__", "__str__"):
                yield node
        yield from (found for name in ("annotation", "returns") if (found := getattr(node, name, None)))


def is_for_types(node: ast.AST) -> bool:
    """Return whether a node is `if TYPE_CHECKING`, or gives a name to a type."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.Assign) and isinstance(node.value, (ast.BinOp, ast.Subscript)) and at_margin(node)


def at_margin(node: ast.stmt) -> bool:
    """Return whether the statement gives a module's name, such as `Shape = tuple[int, ...] | None`."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return node.col_offset == 0 and isinstance(target, ast.Name) and target.id[:1].isupper() and not target.id.isupper()


def is_saying(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    return (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")) in SAYING


def span(node: ast.AST, text: str) -> tuple[int, int]:
    """Return the offsets at which a node begins and ends in the text. ast counts columns in bytes."""
    lines, starts = text.split("\n"), starts_of_lines(text)
    ends = [(node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)]  # type: ignore[attr-defined]
    start, end = (starts[line] + len(lines[line - 1].encode()[:column].decode()) for line, column in ends)
    return start, end


def starts_of_lines(text: str) -> list[int]:
    """Return the offset of each line's begin, by its number from 1; the first entry belongs to none."""
    return [0, *accumulate((len(line) + 1 for line in text.split("\n")), initial=0)]
