"""Blocks of code that an emulator executed, and how often each ran directly after each other one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Block:
    """Machine instructions that run one after the other: `size` of them from `start` on.

    `end` is what the emulator takes for their end. It is two bytes too much where the next instruction crosses a page,
    and therefore begins a block of its own.
    """

    start: int
    end: int
    size: int


@dataclass
class Region:
    """All that ran between two calls of the function at the mark.

    `edges` has how often the second block ran directly after the first. The first block of the
    region is reached from the block before it.
    """

    edges: dict[tuple[Block, Block], int] = field(default_factory=dict)

    @property
    def instructions(self) -> int:
        """The number of machine instructions that ran."""
        return sum(count * block.size for (_, block), count in self.edges.items())


def read_regions(lines: Iterable[str]) -> list[Region]:
    """Return the regions in the lines that edges_plugin.c writes.

    Raises ValueError, KeyError or IndexError where they are anything else.
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
