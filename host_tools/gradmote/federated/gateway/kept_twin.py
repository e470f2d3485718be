"""A twin that outlives its process, like a board with its flash."""

from __future__ import annotations

import struct
from pathlib import Path

from ...device.requests import Progress
from ...device.twin_target import TwinTarget
from ...errors import GradmoteError
from ...formats.files import write_atomically

_ROUND = struct.Struct("<I")


class KeptTwin(TwinTarget):
    """A twin that keeps its base, and what it has learned since, in two files.

    Each file contains the number of the round, u32, and a checkpoint. A file that is damaged, or for another
    model, counts as missing; then the server's checkpoint brings the twin to the base.
    """

    def __init__(self, path: Path, profile: str = "fused") -> None:
        """Begin without an image. path: of the files, without their suffixes."""
        super().__init__(profile)
        self._base, self._learned = path.with_suffix(".base"), path.with_suffix(".learnt")

    def load_image(self, image: bytes, progress: Progress | None = None) -> None:
        """Open an image, and continue from the files if they are for its model."""
        super().load_image(image, progress)
        base, learned = _read(self._base), _read(self._learned)
        try:
            if base is not None:
                self.load(base[1])
                super().begin_round(base[0])
            if learned is not None and learned[0] == self.round():
                self.load(learned[1])
        except GradmoteError:
            super().load_image(image)

    def begin_round(self, number: int) -> None:
        """Make the parameters the base of that round, and keep it."""
        super().begin_round(number)
        self._keep(self._base)

    def end_round(self, delta: bytes, bits: int = 0, seed: int = 0) -> int:
        """Apply a delta to the base, and keep the new base."""
        number = super().end_round(delta, bits, seed)
        self._keep(self._base)
        return number

    def keep_learned(self) -> None:
        """Keep what the twin has learned in this round."""
        self._keep(self._learned)

    def restore(self) -> None:
        """Return to the state at the beginning of the round, if it was kept."""
        base = _read(self._base)
        if base is None:
            self.reset()
        elif base[0] == self.round():
            self.load(base[1])

    def _keep(self, path: Path) -> None:
        write_atomically(path, _ROUND.pack(self.round()) + self.save())


def _read(path: Path) -> tuple[int, bytes] | None:
    """Return (the number of the round, the checkpoint), or None if the file has none."""
    data = path.read_bytes() if path.is_file() else b""
    return (*_ROUND.unpack_from(data), data[_ROUND.size :]) if len(data) > _ROUND.size else None
