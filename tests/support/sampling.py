"""Chooses which tests a plain run samples, and which run only at night, as set in tests/sampling.toml.

A plain run keeps a sample of each parameter matrix in that file, and draws fewer random examples. GRADMOTE_WHOLE=1
runs all of them. The sample rotates from day to day; GRADMOTE_SEED repeats that of another run. If it is given,
Hypothesis uses it too; otherwise Hypothesis draws the same examples each time, so that no change fails by new ones.
"""

from __future__ import annotations

import os
import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

import pytest
import tomllib

SAMPLING = Path(__file__).resolve().parents[1] / "sampling.toml"
#: The most examples of Hypothesis in a plain run.
EXAMPLES = 20
#: How a matrix is cut -> the size of the value combinations that the sample covers.
STRENGTH = {"values": 1, "pairs": 2}

Row = tuple[Any, ...]
#: Values of a parameter; or "boards" and "board": the values that name boards of the day, and one of them.
Group = list[str] | str
T = TypeVar("T")


def is_whole() -> bool:
    """Return whether everything is run."""
    return os.environ.get("GRADMOTE_WHOLE") == "1"


def given_seed() -> int | None:
    """Return GRADMOTE_SEED. Raises pytest.UsageError if it is not a number."""
    given = os.environ.get("GRADMOTE_SEED")
    if given is not None and not given.isdecimal():
        raise pytest.UsageError(f"GRADMOTE_SEED={given} is no whole number - a plain run prints its own")
    return None if given is None else int(given)


def new_seed() -> int:
    """Return the number that chooses the sample of this run: GRADMOTE_SEED, or the day's number."""
    given = given_seed()
    return date.today().toordinal() if given is None else given


@cache
def table() -> dict[str, Any]:
    return tomllib.loads(SAMPLING.read_text())


def draws(name: str) -> int:
    """Return how many cases a test draws. GRADMOTE_<NAME> sets another number."""
    given = os.environ.get(f"GRADMOTE_{name.upper()}")
    plain, whole = table()["draws"][name]
    return int(given) if given else whole if is_whole() else plain


def at_most(most: int) -> int:
    """Return how many examples Hypothesis draws for a test that has `most` in a whole run."""
    return most if is_whole() else min(most, EXAMPLES)


# ---- Matrices of parameters ----------------------------------------------------------------------------------------


def leave_to_nights(
    config: pytest.Config, items: list[pytest.Item], seed: int, resting_files: Collection[str] = ()
) -> None:
    """Keep only the sample of the collected tests; all of them if the command line names single tests."""
    if is_whole() or any("::" in argument for argument in config.args):
        return
    items[:], cut = sampled(items, seed, resting_files)
    config.hook.pytest_deselected(items=cut)


def sampled(
    items: Sequence[pytest.Item], seed: int, resting_files: Collection[str] = ()
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests to run, and those left to nights."""
    files: dict[str, dict[str, list[pytest.Item]]] = {}
    resting = {*resting_tests(seed), *resting_files}
    cut: set[pytest.Item] = set()
    for item in items:
        function = item.nodeid.partition("[")[0]
        file = function.partition("::")[0]
        if resting & {file, function}:
            cut.add(item)
        elif how_to_cut(function):
            files.setdefault(file, {}).setdefault(function, []).append(item)
    kept = {item for functions in files.values() for item in sample_of_file(functions, seed)}
    cut |= {item for functions in files.values() for rows in functions.values() for item in rows} - kept
    return [item for item in items if item not in cut], [item for item in items if item in cut]


def resting_tests(seed: int) -> Iterator[str]:
    """Yield the tests in the file's [turns] whose turn it is not: functions, or whole files."""
    for name, turn in table().get("turns", {}).items():
        due = of_the_turn(turn["tests"], turn["count"], seed, name)
        yield from (test for entry in turn["tests"] if entry not in due for test in entry)


def share_of_days(function: str) -> float:
    """Return on which share of days a test runs: 1 if it does not take turns."""
    places = {function, function.partition("::")[0]}
    turns = table().get("turns", {}).values()
    shares = [turn["count"] / len(turn["tests"]) for turn in turns for entry in turn["tests"] if places & set(entry)]
    return min(shares, default=1.0)


def of_the_turn(values: Sequence[T], count: int, seed: int, key: str) -> list[T]:
    """Return `count` of some values; the next day those after them, in an order that is shuffled after each round.

    Each key has orders of its own. In fixed orders two matrices of two values would always show the same pairs.
    """
    chosen: list[T] = []
    position = seed * min(count, len(values))
    while len(chosen) < min(count, len(values)):
        turn, place = divmod(position, len(values))
        value = random.Random(f"{key} {turn}").sample(values, len(values))[place]
        chosen += [value] if value not in chosen else []
        position += 1
    return chosen


def how_to_cut(function: str) -> Any:
    """Return how to cut a test's matrix, from its own line in the file, or from its file's line; "" if not at all."""
    return table()["matrices"].get(line_of(function), "")


def line_of(function: str) -> str:
    """Return the name of the line in the file that cuts a test's matrix: its own, or else its file's."""
    return function if function in table()["matrices"] else function.partition("::")[0]


def sample_of_file(functions: dict[str, list[pytest.Item]], seed: int) -> Iterator[pytest.Item]:
    """Yield the tests to run in one file. functions: the tests of each."""
    together = [item for items in functions.values() for item in items]
    for function, items in functions.items():
        how = how_to_cut(function)
        if isinstance(how, dict):
            line = line_of(function)
            yield from of_the_day(items, {name: due(together, name, count, seed, line) for name, count in how.items()})
        elif how != "nights":
            rows = covering([row_of(item) for item in items], STRENGTH[how], f"{seed} {function}")
            yield from (items[index] for index in rows)


def due(items: Sequence[pytest.Item], parameter: str, how: int | list[Group], seed: int, line: str) -> set[str]:
    """Return the parameter values whose day it is: a number of all, or one of each group and all outside of groups."""
    values = sorted({value for item in items if (value := value_of(item, parameter))})
    key = f"{line} {parameter}"
    if isinstance(how, int):
        return set(of_the_turn(values, how, seed, key))
    groups = [members(group, values) for group in how]
    turns = (those_due(group, found, seed, f"{key} {found}") for group, found in zip(how, groups))
    return set(values).difference(*groups).union(*turns)


def members(group: Group, values: Sequence[str]) -> list[str]:
    """Return the values of a group: the listed ones, or all that name one of the file's [boards]."""
    return group if isinstance(group, list) else [value for value in values if board_of(value)]


def those_due(group: Group, values: Sequence[str], seed: int, key: str) -> list[str]:
    """Return the values of a group whose day it is: one, or those of the boards that have firmware on this day."""
    if isinstance(group, list):
        return of_the_turn(values, 1, seed, key)
    boards = of_the_turn(table()["boards"]["names"], table()["boards"]["count"], seed, "boards")
    found = [value for value in values if board_of(value) in boards]
    return found if group == "boards" else of_the_turn(found, 1, seed, key)


def board_of(value: str) -> str:
    """Return the board in [boards] that a value names, as in "Cortex-M3, mps2-an385"; "" if it names none."""
    return next((name for name in table()["boards"]["names"] if name in value.split(", ")), "")


def of_the_day(items: Sequence[pytest.Item], values: dict[str, set[str]]) -> list[pytest.Item]:
    """Return the tests whose parameters have these values, as far as they have these parameters."""
    return [item for item in items if all((value_of(item, name) or "") in {"", *due} for name, due in values.items())]


def value_of(item: pytest.Item, parameter: str) -> str:
    """Return a text that distinguishes a parameter's value from others; "" if the test does not have it."""
    callspec = getattr(item, "callspec", None)
    if callspec is None or parameter not in callspec.params:
        return ""
    value = callspec.params[parameter]
    return "-".join(map(str, parts_of(getattr(value, "name", value), callspec.indices[parameter])))


def row_of(item: pytest.Item) -> Row:
    """Return the parameters of a test; the items of a tuple count one by one."""
    callspec = getattr(item, "callspec", None)
    values = sorted(callspec.params.items()) if callspec else ()
    return tuple(part for name, value in values for part in parts_of(value, callspec.indices[name]))


def parts_of(value: Any, index: int) -> Iterable[Any]:
    """Yield what distinguishes a parameter from others with its name; for objects, their index."""
    if isinstance(value, tuple) and all(isinstance(part, (str, int)) for part in value):
        return value
    return (value if isinstance(value, (str, int, float)) else index,)


def covering(rows: Sequence[Row], strength: int, key: str) -> list[int]:
    """Return the indices of a few rows that have each value of each column or, with strength 2, each pair of values.

    Selects rows greedily, first those that have the most missing values, in an order drawn from `key`.
    """
    order = list(range(len(rows)))
    random.Random(key).shuffle(order)
    things = {index: set(combinations(enumerate(rows[index]), min(strength, len(rows[index])))) for index in order}
    missing = set().union(*things.values())
    chosen = []
    while missing:
        best = max(order, key=lambda index: len(things[index] & missing))
        chosen.append(best)
        missing -= things[best]
        order = [index for index in order if things[index] & missing]
    return sorted(chosen)
