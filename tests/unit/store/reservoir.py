"""A slow model of what the store must hold and draw, written with lists from docs/SPEC.md and docs/NUMERICS.md."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import numpy as np

MASK = 0xFFFFFFFF


def mix(x: int) -> int:
    x ^= x >> 16
    x = x * 0x7FEB352D & MASK
    x ^= x >> 15
    x = x * 0x846CA68B & MASK
    return x ^ x >> 16


@dataclass
class Reservoir:
    """places: (label, scale, sample) or None. full: classes that have been a largest one of a full store."""

    capacity: int
    classes: int
    dtype: str
    seed: int = 0
    draws: int = 0
    places: list[tuple[int, bytes, bytes] | None] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    full: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.places = [None] * self.capacity
        self.seen = [0] * self.classes

    def below(self, n: int) -> int:
        step_key = mix(mix(self.seed) + self.draws & MASK)
        stream_key = mix(step_key ^ mix(MASK))
        self.draws += 1
        return mix(mix(step_key) ^ stream_key) * n >> 32

    def of(self, *labels: int) -> list[int]:
        """Places of these classes."""
        return [n for n, place in enumerate(self.places) if place is not None and place[0] in labels]

    def learn(self, label: int, x: np.ndarray) -> None:
        self.seen[label] += 1
        place = self.choose(label)
        if place is not None:
            self.places[place] = (label, *self.form(x))

    def choose(self, label: int) -> int | None:
        if None in self.places:
            return self.places.index(None)
        sizes = [len(self.of(c)) for c in range(self.classes)]
        largest = [c for c in range(self.classes) if sizes[c] == max(sizes)]
        self.full |= set(largest)
        if label not in self.full:
            candidates = self.of(*largest)
            return candidates[self.below(len(candidates))]
        n = self.below(self.seen[label])
        return self.of(label)[n] if n < sizes[label] else None

    def form(self, x: np.ndarray) -> tuple[bytes, bytes]:
        """(scale, sample) in bytes."""
        if self.dtype == "f32":
            return b"", x.astype("<f4").tobytes()
        scale = np.float32(np.abs(x).max()) / np.float32(127)
        q = np.zeros(len(x), np.int8) if scale == 0 else np.clip(np.rint(x / scale), -127, 127).astype(np.int8)
        return struct.pack("<f", scale), q.tobytes() + bytes(-len(q) % 4)

    def forget(self, label: int) -> None:
        self.places = [None if place is not None and place[0] == label else place for place in self.places]
        self.seen[label] = 0
        self.full.discard(label)

    def draw(self, batch: int) -> list[int]:
        """Places of the samples of one replayed batch."""
        present = [c for c in range(self.classes) if self.of(c)]
        rows = []
        for _ in range(batch):
            mine = self.of(present[self.below(len(present))])
            rows.append(mine[self.below(len(mine))])
        return rows

    def values(self, place: int) -> np.ndarray:
        found = self.places[place]
        assert found is not None
        _, scale, sample = found
        if self.dtype == "f32":
            return np.frombuffer(sample, "<f4")
        return np.frombuffer(sample, np.int8).astype(np.float32) * np.frombuffer(scale, "<f4")[0]
