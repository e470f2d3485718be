"""Blocks of code that an emulator executed, and how often each ran directly after each other block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Block:
    """Consecutive machine instructions: `size` of them from `start` on.

    `end` is where they end according to the emulator. It is two bytes too high if the next instruction crosses a
    page, and therefore begins a new block.
    """

    start: int
    end: int
    size: int


@dataclass
class Region:
    """Everything that ran between two calls of the function at the mark.

    `edges` has how often the second block ran directly after the first. The region's first block follows
    the last block before the region.
    """

    edges: dict[tuple[Block, Block], int] = field(default_factory=dict)

    @property
    def instructions(self) -> int:
        """The number of executed machine instructions."""
        return sum(count * block.size for (_, block), count in self.edges.items())


def read_regions(lines: Iterable[str]) -> list[Region]:
    """Return the regions in the lines written by edges_plugin.c.

    Raises ValueError, KeyError or IndexError if they are something else.
    """
    blocks: dict[str, Block] = {}
    regions: list[Region] = []
    for line in lines:
        kind, *values = line.split()
        if kind == "R":
            regions.append(Region())
        elif kind == "B":
            number, start, end, size = values
            blocks[number] = Block(int(start, 16), int(end, 16), int(size))
        else:
            before, after, count = values
            regions[-1].edges[blocks[before], blocks[after]] = int(count)
    return regions
