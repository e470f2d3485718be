"""Boards of firmware/boards/arduino on top of stand-ins for their cores: tests/support/arduino_stand_in."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

from boards import Board, boards

from amalgamate import one_header, one_source
from gradmote.device.link import Link, open_link
from runtime_sources import NUMERICS_FLAGS, host_profile_flags

STAND_IN = Path(__file__).with_name("arduino_stand_in")
BOARDS = {board.name: board for board in boards() if board.framework == "arduino"}

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
#: Symbols of a part's linker scripts and HAL have 32 bits. Vectors, which no board has, compile slowly.
HOST = ["-fno-pie", "-O1", "-g", "-DGM_ARCH=0"]


def compile_flags(board: Board) -> list[str]:
    """Return the flags that PlatformIO adds to the framework's own in any language, with the stand-in's folder."""
    defines = [f"-D{name}={value}" for name, value in board.defines().items()]
    return [*defines, *(f"-I{path}" for path in board.includes()), f"-I{stand_in(board)}"]


def stand_in(board: Board) -> Path:
    """Return the folder that replaces the board's core."""
    core = board.table["sources"][0]
    return STAND_IN / Path(core).stem


def compile_sources(board: Board, compiler: str, flags: list[str], folder: Path) -> list[Path]:
    """Compile everything that the board has besides the runtime. compiler: the prefix of its tools' names."""
    objects = []
    for path in board.sources():
        objects.append(folder / f"{path.parent.name}-{path.name}.o")
        tool, language = ("g++", ["-std=gnu++11"]) if path.suffix == ".cpp" else ("gcc", board.flags())
        command = [f"{compiler}{tool}", *language, *flags, *compile_flags(board), *WARNINGS]
        run([*command, "-c", path, "-o", objects[-1]])
    return objects


def compile_runtime(compiler: str, flags: list[str], folder: Path) -> Path:
    """Compile the runtime as one object."""
    (folder / "gradmote.h").write_text(one_header())
    (folder / "gradmote.c").write_text(one_source())
    run([compiler, *NUMERICS_FLAGS, *flags, "-c", folder / "gradmote.c", "-o", folder / "gradmote.o"])
    return folder / "gradmote.o"


def build_for_host(board: Board, runtime: Path, folder: Path) -> Path:
    """Build the firmware as a program for this computer."""
    flags = [*host_profile_flags(str(board.table["profile"])), *HOST]
    objects = compile_sources(board, "", flags, folder)
    core = [f"-I{stand_in(board)}", STAND_IN / "host.cpp", stand_in(board) / "core.cpp"]
    run(["g++", *HOST, "-no-pie", *WARNINGS, *core, *objects, runtime, "-o", folder / "board"])
    return folder / "board"


def run(command: list[object]) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stderr}"


class Running:
    """The program, until the end of a `with` block. flash: the file that represents its flash."""

    def __init__(self, program: Path, flash: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as port:
            self.url, handed = f"socket://127.0.0.1:{port.getsockname()[1]}", port.fileno()
            command = [program, str(handed), flash]
            self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, pass_fds=[handed])

    def link(self) -> Link:
        """Return its serial line; it serves only one."""
        return open_link(self.url)

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        _, said = self.process.communicate()
        assert said == "", said
