"""The build of a firmware with only a compiler, from the sources in the package.

It does the same as scons in a checkout.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from gradmote.errors import DataError, DeviceError
from gradmote.formats.files import Output, build_folder, make_build_folder, write_together
from gradmote.formats.kernel_selection import needs_of
from gradmote.sources.parts import build_module, digest_of_sources, origin

from ...version import __version__
from ..toolchains.find import toolchain_for
from ..toolchains.gnu import gnu_toolchain
from ..toolchains.toolchain import Step, Toolchain, steps_of
from .watch import SILENT, Watch

_NO_BOUND = "{} does not report how much stack the firmware can take; `mem` in the console shows how much it took"
#: The folder of gradmote's build folder in which firmwares are kept.
FOLDER = "packaged"
_ELF = "firmware.elf"
#: The file next to the firmware that contains the hash of its sources.
_BUILT = "built.json"
#: How many firmwares to keep, of some 500 KB each.
_KEPT = 64


def build(
    name: str, image: bytes | None, key: Path | None, watch: Watch = SILENT, rollback_protect: bool = False
) -> Path:
    """Build firmware.elf and footprint.json, and return the path of firmware.elf.

    The name of their folder is a hash of everything that goes into them, so that simultaneous builds
    do not collide, and finished ones are reused. Raises DeviceError if the compiler is missing or
    fails.

    Args:
        name: The board's name.
        image: The image whose kernels the firmware contains; without one it contains all kernels.
        key: The file of the public key that must have signed each image; None accepts any image.
        watch: Gets a line for each compiled source, and the number of sources.
        rollback_protect: Whether the firmware also refuses images of a lower version.
    """
    kernels = needs_of(image).flags() if image is not None else []
    toolchain = toolchain_for(_demanding(board_of(name), key, rollback_protect).with_kernels(kernels))
    digest = _digest(toolchain, kernels)
    folder = make_build_folder(FOLDER, f"{name.replace('-', '_')}-{digest[:12]}")
    outputs = [Output(folder / file) for file in (_ELF, "footprint.json", _BUILT)]
    if not _is_built(folder, digest):
        elf, footprint = _built(toolchain, kernels, watch)
        contents = [elf, json.dumps(footprint, indent=1).encode(), json.dumps({"sources": digest}).encode()]
        write_together([(output, data, None) for output, data in zip(outputs, contents, strict=True)])
    os.utime(folder)
    _forget_oldest(folder.parent)
    return outputs[0].path


def require_compiler(name: str) -> None:
    """Raise DeviceError if the board's compiler or its C library is missing."""
    toolchain_for(board_of(name))


def has_gcc(name: str) -> bool:
    """Return whether the GCC on PATH can build the board's firmware."""
    return gnu_toolchain(board_of(name)) is not None


def board_of(name: str) -> Any:
    """Return the board described by its board.toml; raise DeviceError if there is none."""
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
        return (folder / _ELF).is_file() and json.loads((folder / _BUILT).read_text())["sources"] == digest
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _digest(toolchain: Toolchain, kernels: Sequence[str]) -> str:
    """Return a hash of everything that goes into the firmware."""
    steps = _steps(toolchain, kernels)
    made_of = (__version__, toolchain.version(), steps, toolchain.board.link_flags())
    found = hashlib.sha256(repr(made_of).encode())
    found.update(digest_of_sources().encode())
    return found.hexdigest()


def _forget_oldest(folder: Path) -> None:
    """Remove the builds that were not used for the longest time, if there are too many."""
    built = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for old in built[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


# ---- Building -------------------------------------------------------------------------------------------------------


def _steps(toolchain: Toolchain, kernels: Sequence[str]) -> list[Step]:
    """Return the objects of firmware and runtime, in the folders that footprint.py expects."""
    board, tools, runtime = toolchain.board, build_module("boards"), build_module("runtime_sources")
    defines = [f"-D{name}={value}" for name, value in board.defines().items()]
    own = [*board.flags(), *board.left_out(kernels), *kernels, *defines, *_includes(board.includes())]
    shared = [*board.runtime_flags(kernels), *_includes(runtime.INCLUDES)]
    sources = [(path, tools.object_of(path), [*own, *tools.more_flags(path)]) for path in board.sources()]
    for path in runtime.runtime_sources():
        target = Path("runtime") / path.relative_to(runtime.RUNTIME).with_suffix(".o")
        sources.append((path, target, shared))
    return steps_of(toolchain, sources, origin())


def _includes(folders: Sequence[Path]) -> list[str]:
    return [f"-I{path}" for path in folders]


def _built(toolchain: Toolchain, kernels: Sequence[str], watch: Watch) -> tuple[bytes, dict[str, Any]]:
    """Return (the bytes of firmware.elf, the board memory that it takes)."""
    with tempfile.TemporaryDirectory(prefix="gradmote-") as name:
        folder = Path(name)
        steps = _steps(toolchain, kernels)
        objects = toolchain.compile_all(steps, origin(), folder, _counted(watch, len(steps)))
        elf = folder / "firmware.elf"
        toolchain.link(objects, toolchain.board.link_flags(), elf)
        found = toolchain.footprint(elf, [folder / path for path in objects])
        if not found["stack_way"]:
            logging.getLogger(__name__).warning(_NO_BOUND.format(toolchain.version()))
        return elf.read_bytes(), found


def _counted(watch: Watch, total: int) -> Callable[[str], None]:
    """Return a callback for the line of each compiled source, which also counts them."""
    numbers = count(1)

    def on_line(line: str) -> None:
        watch.line(line)
        watch.moved(next(numbers), total)

    return on_line
