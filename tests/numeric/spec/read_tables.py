"""The tables of runtime_c/spec/*.toml: records, instructions, update rules, error codes."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "runtime_c" / "spec"

#: What the words that stand for numbers in extents mean.
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "sixteen": 16}


@dataclass(frozen=True)
class Operand:
    """One operand of an instruction.

    axes: a dim and the name of its stride for each axis; the stride is None if elements are contiguous.
    """

    name: str
    access: str
    type: str
    axes: tuple[tuple[str, str | None], ...]
    optional: bool

    @property
    def strided(self) -> bool:
        """Whether the extent is written with strides."""
        return self.axes[0][1] is not None

    @property
    def written(self) -> bool:
        """Whether the instruction writes it."""
        return "w" in self.access


@dataclass(frozen=True)
class Opcode:
    """One row of opcodes.toml."""

    name: str
    code: int
    operands: tuple[Operand, ...]
    params: dict[str, str]
    windows: tuple[tuple[tuple[str, str | None], ...], ...]
    work: tuple[str, ...]
    inplace: frozenset[str]
    folds: frozenset[str]


def load(name: str) -> dict[str, Any]:
    """Return one of the files."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text())


def axes_of(extent: str) -> tuple[tuple[str, str | None], ...]:
    """Return the axes of an extent such as "m*n" or "m@a_row, k@a_col"."""
    if "@" not in extent:
        return tuple((term, None) for term in extent.split("*"))
    return tuple((axis.split("@")[0].strip(), axis.split("@")[1].strip()) for axis in extent.split(","))


def operand_of(text: str) -> Operand:
    """Return the operand that a line such as "bias: r f32 n ?" describes."""
    name, rest = text.split(":")
    access, kind, extent = rest.strip().rstrip("?").strip().split(" ", 2)
    return Operand(name.strip(), access, kind, axes_of(extent), text.rstrip().endswith("?"))


def _opcode(row: dict[str, Any]) -> Opcode:
    return Opcode(
        name=row["name"],
        code=row["code"],
        operands=tuple(map(operand_of, row["operands"])),
        params=dict(_pair(text) for text in row["params"]),
        windows=tuple(map(axes_of, row.get("windows", ()))),
        work=tuple(row["work"].split("*")),
        inplace=frozenset(row.get("inplace", ())),
        folds=frozenset(row.get("folds", ())),
    )


def _pair(text: str) -> tuple[str, str]:
    name, kind = text.split(":")
    return name.strip(), kind.strip()


@cache
def opcodes() -> dict[int, Opcode]:
    """Return every opcode by its code; a row with `like` has all of that row that it does not say itself."""
    rows = {row["name"]: row for row in load("opcodes")["opcode"]}
    whole = [rows[row["like"]] | row if "like" in row else row for row in rows.values()]
    return {row["code"]: _opcode(row) for row in whole}


@cache
def rules() -> dict[int, dict[str, Any]]:
    """Return every update rule by its kind."""
    return {row["kind"]: row for row in load("optimizers")["optimizer"]}


@cache
def codes() -> dict[str, int]:
    """Return the number of every error's name."""
    return {row["name"]: row["code"] for row in load("errors")["error"]}


@cache
def constants() -> dict[str, int]:
    """Return the constants of records.toml."""
    return dict(load("records")["constants"])


@cache
def enums() -> dict[str, list[str]]:
    """Return the names of each enum of records.toml, in the order of their numbers."""
    return dict(load("records")["enums"])


def name_of(enum: str, number: int) -> str | None:
    """Return the name of a number in an enum of records.toml, or None if the enum does not have it."""
    names = enums()[enum]
    return names[number] if 0 <= number < len(names) else None


@cache
def enum_fields(record: str) -> dict[str, str]:
    """Return the enum of each field of a record that has one: its comment begins with "enum"."""
    (row,) = [row for row in load("records")["record"] if row["name"] == record]
    found = (re.match(r"(\w+):[^#]*# enum (\w+)", text) for text in row["fields"])
    return {match[1]: match[2] for match in found if match}


@cache
def fields(record: str) -> tuple[tuple[str, str, int, int], ...]:
    """Return name, type, count and byte offset of each field of a record."""
    (row,) = [row for row in load("records")["record"] if row["name"] == record]
    found, at = [], 0
    for text in row["fields"]:
        name, rest = text.split("#")[0].split(":")
        kind, *count = rest.split()
        number = int(count[0]) if count else 1
        found.append((name.strip(), kind, number, at))
        at += number * (size_of(kind) if kind == "section" else 4)
    return tuple(found)


@cache
def size_of(record: str) -> int:
    """Return the bytes of a record."""
    return sum(count * (size_of(kind) if kind == "section" else 4) for _, kind, count, _ in fields(record))
