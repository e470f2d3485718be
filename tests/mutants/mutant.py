"""A mutant: one small fault in one file, its place, and how it is put there."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DRAWN = Path(__file__).with_name("mutants.json")


class Moved(Exception):
    """A mutant's place is not in the file any more."""


@dataclass(frozen=True)
class Place:
    """A range of a text that an operator would replace: `before`, at `start`, by `after`."""

    start: int
    operator: str
    before: str
    after: str

    def mutated(self, text: str) -> str:
        return text[: self.start] + self.after + text[self.start + len(self.before) :]


@dataclass(frozen=True)
class Mutant:
    """One entry of mutants.json. `context` is the line, without its indent, by which it is found if lines moved."""

    id: str
    room: str
    file: str
    line: int
    column: int
    operator: str
    before: str
    after: str
    context: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {shown(self.before)} -> {shown(self.after)}"


def shown(text: str, most: int = 60) -> str:
    """Return a text in one line, or its beginning."""
    line = " ".join(text.split()) or "nothing"
    return line if len(line) <= most else f"{line[: most - 3]}..."


def mutant_of(room: str, file: str, text: str, place: Place) -> Mutant:
    """Return the mutant at a place of a file's text. Its id stays the same as long as the line does.

    If several lines read the same, the id counts all except the first.
    """
    first = text.rfind("\n", 0, place.start) + 1
    context = text[first:].partition("\n")[0].strip()
    same = [line.strip() for line in text[:first].split("\n")].count(context)
    known = [file, context, place.start - first, place.before, place.after, *([same] if same else [])]
    name = f"{room}-{hashlib.sha256(json.dumps(known).encode()).hexdigest()[:6]}"
    line = text.count("\n", 0, place.start) + 1
    return Mutant(name, room, file, line, place.start - first, place.operator, place.before, place.after, context)


def place_in(mutant: Mutant, text: str) -> Place:
    """Return the place of the mutant in the text of its file: at its line, or at the nearest one that reads the same.

    Raise Moved if there is none.
    """
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    numbers = sorted(range(len(starts)), key=lambda number: abs(number + 1 - mutant.line))
    for number in numbers:
        start = starts[number] + mutant.column
        same_line = text[starts[number] :].partition("\n")[0].strip() == mutant.context
        if same_line and text.startswith(mutant.before, start):
            return Place(start, mutant.operator, mutant.before, mutant.after)
    raise Moved(f"{mutant.id}: {mutant.file} has no line like {mutant.context!r} any more: draw the mutants again")


def apply(mutants: Iterable[Mutant], root: Path) -> None:
    """Put the mutants into the files of a checkout."""
    by_file: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        by_file.setdefault(mutant.file, []).append(mutant)
    for file, those in by_file.items():
        text = (root / file).read_text()
        places = [place_in(mutant, text) for mutant in those]
        for place in sorted(places, key=lambda place: -place.start):
            text = place.mutated(text)
        (root / file).write_text(text)


def function_of(file: str, text: str, line: int) -> int:
    """Return the line at which the function around a line begins; 0 outside of functions."""
    if file.endswith(".py"):
        found = [n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        return max((n.lineno for n in found if n.lineno <= line <= (n.end_lineno or 0)), default=0)
    opening = re.compile(r"\{") if file.endswith((".c", ".h")) else re.compile(r" {0,2}\S.*\{$")
    lines = text.split("\n")[:line]
    return max((number for number, content in enumerate(lines, 1) if opening.match(content)), default=0)


def write_drawn(seed: int, mutants: Sequence[Mutant], path: Path = DRAWN) -> None:
    """Write mutants.json, with one line for each mutant."""
    lines = ",\n".join(f"    {json.dumps(asdict(mutant))}" for mutant in mutants)
    path.write_text(f'{{\n  "seed": {seed},\n  "mutants": [\n{lines}\n  ]\n}}\n')


def read_drawn(path: Path = DRAWN) -> tuple[int, list[Mutant]]:
    """Return the seed and the mutants of mutants.json."""
    read = json.loads(path.read_text())
    return read["seed"], [Mutant(**entry) for entry in read["mutants"]]
