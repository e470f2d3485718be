"""The build of a firmware by the compiler alone, from the sources that the package carries.

It does what scons does in a checkout.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradmote.device.kernel_selection import needs_of
from gradmote.errors import DataError, DeviceError
from gradmote.formats.files import Output, build_folder, make_folder, write_together
from gradmote.project.sources import build_module, origin

from ...version import __version__

_LINES_SHOWN = 12
_SOURCES = (".c", ".h", ".ld", ".toml", ".py")
#: The file beside the firmware that holds the hash of its sources.
_BUILT = "built.json"


@dataclass(frozen=True)
class Step:
    """One object file to compile.

    source: its path below origin(), or its whole path where it was fetched.
    """

    source: str
    object: str
    flags: tuple[str, ...]


def build(
    name: str,
    folder: Path,
    image: bytes | None,
    key: Path | None,
    on_line: Callable[[str], None] = lambda line: None,
    rollback_protect: bool = False,
) -> Path:
    """Build firmware.elf and footprint.json in a folder, and return the former's path.

    Files that were built from the same sources are kept. Raises DeviceError where the compiler is
    missing or fails.

    Args:
        name: The board's name.
        folder: The folder for the files.
        image: The image whose kernels go in; all kernels without one.
        key: The file of the public key that images must be signed by; None for any image.
        on_line: Called with a line for each compiled source.
        rollback_protect: Whether the firmware also refuses images of a lower version.
    """
    board = _demanding(board_of(name), key, rollback_protect)
    require_compiler(name)
    kernels = needs_of(image).flags() if image is not None else []
    outputs = [Output(make_folder(folder) / file) for file in ("firmware.elf", "footprint.json", _BUILT)]
    digest = _digest(board, kernels)
    if not _is_built(folder, digest):
        elf, footprint = _built(board, kernels, on_line)
        contents = [elf, json.dumps(footprint, indent=1).encode(), json.dumps({"sources": digest}).encode()]
        write_together([(output, data, None) for output, data in zip(outputs, contents, strict=True)])
    return outputs[0].path


def require_compiler(name: str) -> None:
    """Raise DeviceError where the board's compiler or its C library is missing."""
    board = board_of(name)
    if not board.compiler:
        hint = f"gradmote flash --board {name} --tool platformio"
        raise DeviceError(f"PlatformIO alone builds the firmware of {name}", hint)
    compiler = f"{board.compiler}gcc"
    hint = f"install it: apt-get install {board.compiler_packages}"
    if shutil.which(compiler) is None:
        raise DeviceError(f"{compiler}, which compiles the firmware of {name}, is not installed", hint)
    for specs in board.specs():
        found = subprocess.run([compiler, f"-print-file-name={specs}"], capture_output=True, text=True, check=True)
        if not os.path.isabs(found.stdout.strip()):
            raise DeviceError(f"the C library of {compiler} ({specs}) is not installed", hint)


def board_of(name: str) -> Any:
    """Return the board as its board.toml describes it; raise DeviceError where there is none."""
    found = {board.name: board for board in build_module("boards").boards()}
    if name not in found:
        raise DeviceError(f"there is no board {name}", f"boards are {', '.join(sorted(found))}")
    return found[name]


def _demanding(board: Any, key: Path | None, rollback_protect: bool = False) -> Any:
    tools = build_module("boards")
    try:
        return tools.demanding(board, key, rollback_protect, build_folder())
    except tools.REFUSALS as error:
        raise DataError(str(error)) from error


# ---- The check for a finished build ---------------------------------------------------------------------------------


def _is_built(folder: Path, digest: str) -> bool:
    try:
        return (folder / "firmware.elf").is_file() and json.loads((folder / _BUILT).read_text())["sources"] == digest
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _digest(board: Any, kernels: Sequence[str]) -> str:
    """Return a hash of everything that the firmware is made of."""
    version = subprocess.run([f"{board.compiler}gcc", "--version"], capture_output=True, check=True).stdout
    found = hashlib.sha256(repr((__version__, version, [*_steps(board, kernels)], board.link_flags())).encode())
    for part in ("firmware", "runtime_c", "site_scons"):
        for path in sorted((origin() / part).rglob("*.*")):
            found.update(path.read_bytes() if path.suffix in _SOURCES else b"")
    return found.hexdigest()


# ---- Building -------------------------------------------------------------------------------------------------------


def _steps(board: Any, kernels: Sequence[str]) -> Iterator[Step]:
    """Yield the objects of firmware and runtime, in the folders that footprint.py expects."""
    tools, runtime = build_module("boards"), build_module("runtime_sources")
    defines = [f"-D{name}={value}" for name, value in board.defines().items()]
    own = [*board.flags(), *kernels, *defines, *_includes(board.includes())]
    for path in board.sources():
        yield _step(path, tools.object_of(path), [*own, *tools.more_flags(path)])
    shared = [*board.runtime_flags(), *kernels, *_includes(runtime.INCLUDES)]
    for path in runtime.runtime_sources():
        yield _step(path, "runtime" / path.relative_to(runtime.RUNTIME), shared)


def _step(source: Path, target: Path, flags: Sequence[str]) -> Step:
    name = source.relative_to(origin()) if source.is_relative_to(origin()) else source
    return Step(str(name), f"./{target.with_suffix('.o')}", tuple(flags))


def _includes(folders: Sequence[Path]) -> list[str]:
    return [f"-I{path}" for path in folders]


def _built(board: Any, kernels: Sequence[str], on_line: Callable[[str], None]) -> tuple[bytes, dict[str, Any]]:
    """Return (the bytes of firmware.elf, the memory of the board that it takes)."""
    steps = list(_steps(board, kernels))
    with tempfile.TemporaryDirectory(prefix="gradmote-") as name:
        folder = Path(name)
        _compile_all(board, steps, folder, on_line)
        objects = [step.object for step in steps]
        elf = folder / "firmware.elf"
        _run(board, [*objects, *board.link_flags(), "-Wl,-Map=firmware.map", "-o", elf.name], folder)
        measure = build_module("footprint")
        found = measure.footprint(board, elf, [folder / path for path in objects])
        try:
            measure.require_stack(found)
        except RuntimeError as error:
            raise DeviceError(str(error), "please report it, with the version of the compiler") from error
        return elf.read_bytes(), found


def _compile_all(board: Any, steps: Sequence[Step], folder: Path, on_line: Callable[[str], None]) -> None:
    """Run the compiler on as many sources at a time as the host has cores."""

    def compile_one(step: Step) -> None:
        target = folder / step.object
        make_folder(target.parent)
        _run(board, ["-c", *step.flags, step.source, "-o", str(target)], origin())
        on_line(f"compile {step.source}")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            list(pool.map(compile_one, steps))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _run(board: Any, arguments: Sequence[str], folder: Path) -> None:
    command = [f"{board.compiler}gcc", *arguments]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        printed = "".join(f"\n  {line}" for line in done.stderr.splitlines()[-_LINES_SHOWN:])
        hint = f"is the compiler whole? apt-get install {board.compiler_packages}"
        raise DeviceError(f"cannot build the firmware of {board.name}: {command[0]} failed{printed}", hint)
