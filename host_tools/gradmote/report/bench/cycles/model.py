"""The cycle model next to an emulator: what ran between the readings of its clock, and its cycles."""

from __future__ import annotations

import shutil
from pathlib import Path

from ....errors import DeviceError
from .costs import Costs
from .disassembly import Program
from .executed import Region, read_regions
from .plugin import plugin_for
from .timings import Core

#: The function that reads the clock, called by cost_main.c and micro_main.c around each measurement.
MARK = "board_ticks"


class CycleModel:
    """A model of one run of a firmware on an emulated board.

    Args:
        elf: The firmware.
        objdump: The tool that shows its code.
        emulator: The path of the emulator that will run it.
        core: The timings to model: for the board's core, or another one that could run the same code.
    """

    def __init__(self, elf: Path, objdump: str, emulator: str, core: Core) -> None:
        """Build the plugin unless it exists.

        Raises DeviceError if it cannot be built, or objdump is missing.
        """
        if shutil.which(objdump) is None:
            raise DeviceError(f"{objdump} is not installed", "it comes with GCC for the board, not with ziglang")
        self.core = core
        self.program = Program(elf, objdump, core.architecture)
        self._plugin = plugin_for(emulator)
        self._told = elf.with_suffix(".regions")

    def emulator_options(self) -> list[str]:
        """Return the options that make the emulator count what runs."""
        plugin, told = (str(path).replace(",", ",,") for path in (self._plugin, self._told))
        return ["-plugin", f"{plugin},mark={self.program.address_of(MARK):x},out={told}"]

    def spans(self) -> list[int]:
        """Return the cycles between each first and second reading of the clock, after the run.

        Raises DeviceError if the emulator wrote no output, or the model does not know the code, and
        DataError if the core has no such instructions.
        """
        costs = Costs(self.program, self.core)
        return [costs.cycles(region) for region in self.regions()]

    def regions(self) -> list[Region]:
        """Return what ran between each first and second reading of the clock."""
        try:
            with self._told.open() as lines:
                return read_regions(lines)[1::2]
        except (OSError, ValueError, KeyError, IndexError) as error:
            hint = f"run it by hand: qemu-system-arm {' '.join(self.emulator_options())}"
            raise DeviceError("the emulator's plugin reported nothing about what ran", hint) from error
