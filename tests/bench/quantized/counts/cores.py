"""The cores whose machine instructions are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bench.mlp_on_cortex_m4 import FIRMWARE
from boards import read_board


@dataclass(frozen=True)
class Core:
    """folder: of an emulated board. flags: of the compiler, if the board has another core that runs this one's code;
    then only kernels are counted."""

    name: str
    folder: str
    flags: Sequence[str] = ()

    def board(self) -> Any:
        return board_in(self.folder)

    def runs_images(self) -> bool:
        return not self.flags


@cache
def board_in(folder: str) -> Any:
    return read_board(FIRMWARE / "boards" / "mps2" / folder / "board.toml")


#: No emulated board with a Cortex-M0 has room for these kernels.
CORES = {
    core.name: core
    for core in (
        Core("cortex-m0", "mps2_an385", ("-mcpu=cortex-m0", "-mthumb", "-mfloat-abi=soft")),
        Core("cortex-m3", "mps2_an385"),
        Core("cortex-m4f", "mps2_an386"),
        Core("cortex-m7", "mps2_an500"),
        Core("cortex-m33", "mps2_an505"),
        Core("cortex-m55", "mps3_an547"),
    )
}
