"""Draws mutants by a seed, spread over the rooms and their files."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

from . import curly_places, python_places
from .checks import is_live
from .mutant import ROOT, Mutant, Place, mutant_of
from .rooms import files_of, shares

#: Places of a file that are tried before the next file has its turn.
TRIES = 8
Choice = TypeVar("Choice", Place, python_places.Change)


def draw(seed: int, count: int) -> list[Mutant]:
    """Return mutants of all rooms, and print each."""
    parts = ((room, files_of(pattern, ROOT), share, f"{seed} {pattern}") for room, pattern, share in shares(count))
    return [mutant for room, files, share, order in parts for mutant in of_files(room, files, share, seed, order)]


def of_files(room: str, files: Sequence[str], share: int, seed: int, order: str) -> list[Mutant]:
    """Return as many mutants of the files, in turn, one of each file before a second one.

    order: the seed of the order of the files.
    """
    files = list(files)
    random.Random(order).shuffle(files)
    drawn = {file: mutants_of(room, file, random.Random(f"{seed} {file}")) for file in files}
    found: list[Mutant] = []
    while drawn and len(found) < share:
        for file in list(drawn)[: share - len(found)]:
            mutant = next(drawn[file], None)
            if mutant is None:
                del drawn[file]
            elif mutant not in found:
                found.append(mutant)
                drawn[file] = drawn.pop(file)  # the last in turn
                print(f"{mutant.id:18} {mutant}", flush=True)
    return found


def mutants_of(room: str, file: str, rng: random.Random) -> Iterator[Mutant]:
    """Yield mutants of a file, by chance, that compile to something else."""
    text = (ROOT / file).read_text()
    for number, place in enumerate(places(file, text, rng)):
        if number == TRIES:
            return
        if place and is_live(file, place.mutated(text)):
            yield mutant_of(room, file, text, place)


def places(file: str, text: str, rng: random.Random) -> Iterator[Place | None]:
    """Yield places of a file in an order of chance; None for a change that turns out to be none."""
    if file.endswith(".py"):
        changes = by_chance(python_places.changes(text), rng)
        return (python_places.place_of(change, text) for change in changes)
    return by_chance(curly_places.places(text), rng)


def by_chance(found: Sequence[Choice], rng: random.Random) -> Iterator[Choice]:
    """Yield all of them: an operator by chance, then one of its places, so that no operator is crowded out."""
    left: dict[str, list[Choice]] = {}
    for choice in found:
        left.setdefault(choice.operator, []).append(choice)
    while left:
        operator = rng.choice(sorted(left))
        yield left[operator].pop(rng.randrange(len(left[operator])))
        if not left[operator]:
            del left[operator]
