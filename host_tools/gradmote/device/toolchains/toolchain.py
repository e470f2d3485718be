"""The toolchain of a board, which compiles sources, links objects and measures the result."""

from __future__ import annotations

import os
import re
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradmote.errors import DeviceError
from gradmote.formats.files import make_folder

_LINES_SHOWN = 12
#: Compilers newer than the tested ones may have new warnings.
_NO_ERROR = "-Werror"
#: What GNU ld and lld print if a section does not fit.
_OVERFLOW = re.compile(r"region .*FLASH.*overflowed by (\d+) bytes")


@dataclass(frozen=True)
class Step:
    """One object file to compile.

    source: its path below the sources' folder, or its whole path. object: its path below the
    objects' folder.
    """

    source: str
    object: str
    flags: tuple[str, ...]


class Toolchain(ABC):
    """A compiler and a linker for one board.

    Attributes:
        board: The board, as site_scons/boards.py reads it from its board.toml.
        name: The compiler's name in messages.
    """

    def __init__(self, board: Any, name: str) -> None:
        """Name the board and the compiler."""
        self.board, self.name = board, name

    @abstractmethod
    def version(self) -> str:
        """Return the compiler's name and version."""

    @abstractmethod
    def library(self) -> tuple[list[Path], list[Path]]:
        """Return additional sources and header folders, which replace a C library."""

    @abstractmethod
    def compile_command(self, step: Step, target: Path) -> list[str]:
        """Return the command that compiles one source."""

    @abstractmethod
    def link_command(self, objects: Sequence[str], flags: Sequence[str], elf: Path, scratch: Path) -> list[str]:
        """Return the command that links objects, and writes a map next to the ELF file."""

    @abstractmethod
    def footprint(self, elf: Path, objects: Sequence[Path]) -> dict[str, Any]:
        """Return the board memory that a firmware takes.

        Raises DeviceError if it can take more stack than is set aside.
        """

    def environment(self) -> Mapping[str, str]:
        """Return the variables that the compiler needs besides those of this process."""
        return {}

    def compile_all(
        self, steps: Sequence[Step], sources: Path, folder: Path, on_line: Callable[[str], None] = lambda line: None
    ) -> list[str]:
        """Compile as many sources at a time as the host has cores, and return the objects' paths.

        The paths are relative to `folder`. Raises DeviceError if the compiler fails.
        """

        def compile_one(step: Step) -> str:
            target = folder / step.object
            make_folder(target.parent)
            self.run(self.compile_command(step, target), sources)
            on_line(f"compile {step.source}")
            return step.object

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            try:
                return list(pool.map(compile_one, steps))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def link(self, objects: Sequence[str], flags: Sequence[str], elf: Path) -> None:
        """Link objects in the ELF file's folder. Raises DeviceError if the linker fails."""
        self.run(self.link_command(objects, flags, elf, elf.parent), elf.parent)

    def run(self, command: Sequence[str], folder: Path) -> None:
        """Run a command in a folder. Raises DeviceError with its last lines if it fails."""
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            check=False, env={**os.environ, **self.environment()},
        )  # fmt: skip
        if done.returncode:
            self._require_flash(done.stderr)
            printed = "".join(f"\n  {line}" for line in done.stderr.splitlines()[-_LINES_SHOWN:])
            raise DeviceError(
                f"cannot build the firmware of {self.board.name}: {self.name} failed{printed}",
                f"is the compiler whole? it says: {self.version()}",
            )

    def _require_flash(self, printed: str) -> None:
        """Raise DeviceError if the linker reports that the firmware is larger than the board's flash."""
        over = [int(size) for size in _OVERFLOW.findall(printed)]
        if over:
            raise DeviceError(
                f"the firmware of {self.board.name} with these kernels is {max(over):,} B larger than its "
                f"{self.board.table['memory']['flash']:,} B of flash for code",
                "a board with more flash: gradmote boards; or a model with fewer kinds of operators: gradmote kernels "
                "model.mote",
            )


def steps_of(toolchain: Toolchain, sources: Sequence[tuple[Path, Path, Sequence[str]]], root: Path) -> list[Step]:
    """Return the steps for sources, and for those that replace a C library.

    Each source comes with the path of its object and its flags. `root` is the folder of the
    sources.
    """
    more, headers = toolchain.library()
    includes = [f"-I{path}" for path in headers]
    plain = [flag for flag in sources[0][2] if not flag.startswith("-D")] if sources else []
    own = [(path, Path("library") / path.with_suffix(".o").name, plain) for path in more]
    return [_step(path, target, [*flags, *includes], root) for path, target, flags in [*sources, *own]]


def _step(source: Path, target: Path, flags: Sequence[str], root: Path) -> Step:
    name = source.relative_to(root) if source.is_relative_to(root) else source
    return Step(str(name), f"./{target.as_posix()}", tuple(flag for flag in flags if flag != _NO_ERROR))
