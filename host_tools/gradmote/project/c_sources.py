"""Writes the C library as files for the user's own build: one source with its headers, or the runtime's folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..formats.files import copy_part, new_folder, write_part
from ..formats.kernel_selection import needs_of
from ..sources.parts import build_module, origin
from .cmsis_pack import write_pack
from .create import require_new

#: The file that has the options, and the line after which those of some models go.
OPTIONS, GUARD = Path("include") / "gm_config.h", "#define GM_CONFIG_H\n"
#: What CMake, ESP-IDF and Zephyr read.
FOR_BUILDS = ("cmake", "zephyr", "CMakeLists.txt", "Kconfig", "Kconfig.options", "idf_component.yml")
#: What makes a crate of the one source.
FOR_RUST = ("Cargo.toml", "build.rs", "examples", "rustfmt.toml", "src", "tests")
EXAMPLE = Path(__file__).parent / "templates" / "c_example"


def write_sources(
    folder: str | os.PathLike[str], images: Sequence[str | os.PathLike[str]] = (), tree: bool = False
) -> Path:
    """Write the library into a new or empty folder, and return its path.

    It is gradmote.c, gradmote.h and gradmote.hpp, which are a crate of Rust, an unpacked CMSIS-Pack and a library of
    NuttX too, or with `tree` the runtime's folders; with what CMake, ESP-IDF and Zephyr read, and an example. images:
    compiled models, whose kernels alone are compiled then; by default all. Raises DataError for a folder that is not
    empty, and ImageError for a damaged image; nothing is written then.
    """
    target = Path(folder).resolve()
    require_new(target)
    selection = selected(images) if images else ""
    with new_folder(target) as made:
        write_folders(made, selection) if tree else write_one_source(made, selection)
        for name in FOR_BUILDS:
            copy_part(origin() / "runtime_c" / name, made / name)
        for name in () if tree else FOR_RUST:
            copy_part(origin() / "bindings" / "rust" / name, made / name)
        copy_part(EXAMPLE, made / "examples" / "cmake")
        copy_part(origin() / "LICENSE", made / "LICENSE")
    return target


def selected(images: Sequence[str | os.PathLike[str]]) -> str:
    """Return the definitions that leave out all kernels that these images do not need."""
    flags = [flag.removeprefix("-D").replace("=", " ") for flag in needs_of(*images).flags()]
    lines = [f"#ifndef {flag.split()[0]}\n#define {flag}\n#endif\n" for flag in flags]
    names = ", ".join(Path(image).name for image in images)
    return f"\n/* Only what these models need: {names}. */\n{''.join(lines)}"


def write_one_source(folder: Path, selection: str) -> None:
    """Write gradmote.c and its headers, as a CMSIS-Pack and a library of NuttX too."""
    parts = build_module("amalgamate")
    header = with_selection(parts.one_header(), selection)
    for name, text in (("h", header), ("c", parts.one_source()), ("hpp", parts.cpp_header())):
        write_part(folder / f"gradmote.{name}", text.encode())
    copy_part(origin() / "runtime_c" / "nuttx", folder / "nuttx")
    write_pack(folder)


def write_folders(folder: Path, selection: str) -> None:
    """Write the runtime's folders."""
    for name in ("src", "kernels", "generated", "include"):
        copy_part(origin() / "runtime_c" / name, folder / name)
    config = folder / OPTIONS
    write_part(config, with_selection(config.read_text(), selection).encode())


def with_selection(text: str, selection: str) -> str:
    """Return a text that has the options, with these definitions in front of them."""
    return text.replace(GUARD, GUARD + selection, 1)
