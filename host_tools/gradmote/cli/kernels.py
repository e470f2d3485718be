"""The command `gradmote kernels`, which lists the parts of the runtime that images need."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from .output import say, say_json


def command(
    images: Annotated[list[Path], typer.Argument(help="The images that one firmware is to run.")],
    flags: Annotated[
        bool, typer.Option("--flags", help="Print compiler flags that leave all other kernels out of the runtime.")
    ] = False,
    as_json: o.AsJson = False,
) -> None:
    """List the kernels that images need, to build a firmware with only these.

    `gradmote flash --board NAME model.mote` builds such firmware. In your own build, compile the runtime
    with the flags that `--flags` prints: `gcc $(gradmote kernels --flags model.mote) ...`
    """
    from ..formats.kernel_selection import needs_of

    needs = needs_of(*images)
    if flags:
        say(" ".join(needs.flags()))
    elif as_json:
        say_json({"kernels": needs.kernels, "rules": needs.rules, "flags": needs.flags()})
    else:
        from ..terminal.terminal import console, table

        counts = (*sorted(needs.kernels.items()), *sorted(needs.rules.items()))
        rows = [(str(count), name) for name, count in counts]
        console().print(table("Kernels and update rules", (("instructions#", "name"), rows)))
