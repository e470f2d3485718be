"""An emulated part whose flash moves from one machine to the next, as after a power failure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from boards import boards as board_folders

from gradmote.device import BoardTarget
from gradmote.device.boards import board
from gradmote.device.client import Client
from gradmote.device.emulated_firmware import default_firmware
from gradmote.device.emulator import emulator_command, keep_on_one_cpu
from gradmote.device.flash.elf import Segment, read_segments
from gradmote.device.listening import Listening, start_emulator
from gradmote.device.protocol import Frame, encode, message_id
from support.debugger import Debugger, address_of, stores

#: The register that contains the program counter.
PROGRAM_COUNTER = {"arm-none-eabi-": 15, "riscv64-unknown-elf-": 32}


class EmulatedPart:
    """A new machine with a board's firmware, and `files` in its flash. It runs until the end of a `with` block, when
    its power fails.

    elf: a firmware of that board, instead of its usual one.
    """

    def __init__(self, name: str, files: Sequence[Segment] = (), elf: Path | None = None) -> None:
        self.known, self.elf = board(name), elf or default_firmware(name)
        self.built = next(found for found in board_folders() if found.name == name)
        line, debugger = Listening(), Listening()
        self._debugger_port, self.url = debugger.port, line.url
        command = [*emulator_command(self.known), "-S", *debugger.options("debugger"), "-gdb", "chardev:debugger"]
        command += [*line.options("line"), "-serial", "chardev:line", "-display", "none", "-monitor", "none"]
        self._process = start_emulator(command, [line, debugger])
        line.close()
        debugger.close()
        try:
            keep_on_one_cpu(self._process.pid)
            self._start(files)
        except BaseException:
            self.cut_power()
            raise

    def _start(self, files: Sequence[Segment]) -> None:
        debugger = self.debugger()
        for segment in [*read_segments(self.elf), *files]:
            debugger.write(segment.address, segment.data)
        debugger.monitor("system_reset")
        debugger.detach()
        self.connect()

    def connect(self) -> None:
        """Connect like a new host."""
        self.target = BoardTarget(Client.connect(self.url))

    def debugger(self) -> Debugger:
        return Debugger(self._debugger_port)

    def reset(self, debugger: Debugger) -> None:
        """Reset the machine, wherever the program is."""
        debugger.monitor("system_reset")
        debugger.detach()
        self.target.close()
        self.connect()

    @property
    def plays_flash(self) -> bool:
        """Whether its flash is RAM, which no controller guards."""
        return any(path.name == "ram_as_flash.c" for path in self.built.own_sources())

    @property
    def slot_size(self) -> int:
        """The bytes of a slot: a checkpoint and its record of 8 words, rounded up to whole erase units."""
        unit = self.built.table["memory"]["erase_unit"]
        return -(-(self.target.board.request("INFO")["checkpoint_size"] + 32) // unit) * unit

    def files_in_flash(self, slots: int) -> list[Segment]:
        """Return the image and the first slots of checkpoints, as a machine without power keeps them."""
        image, start = self.target.image(), self.known.image_address
        checkpoints, size = start + self.known.image_area, slots * self.slot_size
        debugger = self.debugger()
        kept = debugger.read(checkpoints, size)
        debugger.detach()
        return [Segment(start, image), Segment(checkpoints, kept)]

    def begin_save(self) -> Debugger:
        """Request a save, and stop the processor before its first change of flash. From then on it stops before each
        change, and before it answers. A change is a store or, if RAM emulates flash, a call of the function that
        makes it."""
        debugger = self.debugger()
        debugger.break_at([*self._changes_of_flash(), self.address_of_the_answer])
        client = self.target.board
        client._sequence = (client._sequence + 1) % 256
        client._link.write(encode(Frame(message_id("SAVE"), client._sequence, b"")))
        debugger.run()
        return debugger

    def _changes_of_flash(self) -> list[int]:
        names = ("board_flash_erase", "board_flash_program")
        if self.plays_flash:
            return [address_of(self.built.compiler, self.elf, name) for name in names]
        return stores(self.built.compiler, self.elf, names)

    @cached_property
    def address_of_the_answer(self) -> int:
        return address_of(self.built.compiler, self.elf, "board_uart_put")

    def has_answered(self, debugger: Debugger) -> bool:
        return debugger.register(PROGRAM_COUNTER[self.built.compiler]) == self.address_of_the_answer

    def cut_power(self) -> None:
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> EmulatedPart:
        return self

    def __exit__(self, *error: object) -> None:
        self.target.close()
        self.cut_power()
