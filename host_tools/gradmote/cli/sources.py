"""The command `gradmote sources`, which writes the C library for the user's own build."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .output import say


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    models: Annotated[
        list[Path] | None,
        typer.Option(
            "--for",
            metavar="MODEL",
            exists=True,
            dir_okay=False,
            help="A compiled model (.mote): compile only the kernels that it needs. Repeatable.",
        ),
    ] = None,
    tree: Annotated[
        bool, typer.Option("--tree", help="The folders of the runtime instead of one source, for reading.")
    ] = False,
) -> None:
    """Write the C library for your own build: gradmote.c, gradmote.h and gradmote.hpp.

    `gradmote sources third_party/gradmote`, then compile gradmote.c with your sources: it needs C99, and neither
    flags nor a library. For CMake, `add_subdirectory(third_party/gradmote)` and link `gradmote::gradmote`;
    examples/cmake shows how. The folder is a component of ESP-IDF, a module of Zephyr, a library of NuttX,
    a CMSIS-Pack and a crate of Rust, too.
    """
    from ..project.c_sources import write_sources

    made = write_sources(folder, models or [], tree)
    say(f"wrote {made}: {'CMakeLists.txt and the folders' if tree else 'gradmote.c, gradmote.h, gradmote.hpp'}")
