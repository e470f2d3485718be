"""The command `gradmote wasm`, which builds the runtime for browsers and node with the kernels that images need."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .output import say


def command(
    images: Annotated[list[Path], typer.Argument(help="The images that one page is to run.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for gradmote-simd.wasm and gradmote.wasm.")],
    rounds: Annotated[
        bool, typer.Option("--rounds", help="Let pages take part in rounds of federated learning.")
    ] = False,
) -> None:
    """Build WebAssembly modules with only the kernels of these images, for the npm package gradmote.

    They replace the package's own: `load(image, { wasm: "address/of/the/folder" })`. It needs a
    compiler: `pip install ziglang`, or clang with wasm-ld.
    """
    from ..project.wasm import write_modules

    for path in write_modules(images, out, rounds):
        say(f"wrote {path}, {path.stat().st_size} bytes")
