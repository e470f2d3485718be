"""The command `gradmote flash`, which puts firmware and a model on a board."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DataError
from . import options as o
from .output import say, say_json
from .watching import watching

if TYPE_CHECKING:
    from ..device.flash.flow import Flashed
    from ..report.bench.cycles.on_board import Compared, Request

Model = Annotated[
    Path | None,
    typer.Argument(
        exists=True, dir_okay=False, help="What `gradmote compile` wrote (.mote). Without it: only the firmware."
    ),
]
Name = Annotated[
    str | None, typer.Option("--board", metavar="BOARD", help="The board to program: gradmote boards lists them.")
]
Port = Annotated[
    str | None,
    typer.Option(
        help="Serial port of a real board; found by its USB ids by default. For an emulated one the TCP port of its "
        "serial line; a free one by default."
    ),
]
ExportTable = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        dir_okay=False,
        help="The model's export table (.gmex): `gradmote export --from PORT` then needs no .onnx file.",
    ),
]
General = Annotated[bool, typer.Option("--general", help="Build firmware with all kernels, for any model sent later.")]
Built = Annotated[
    Path | None,
    typer.Option("--firmware", exists=True, dir_okay=False, help="This firmware.elf, instead of building one."),
]
Emulated = Annotated[bool, typer.Option("--emulated", help="Use the emulated board, even if a real one is plugged in.")]
Tool = Annotated[
    str | None, typer.Option(help="What programs the board; by default the first of its tools that is installed.")
]
Force = Annotated[bool, typer.Option("--force", help="Even if the port answers as another board.")]
Key = Annotated[
    Path | None,
    typer.Option(exists=True, dir_okay=False, help="Build firmware that takes images of this public key (.pem) alone."),
]
Protect = Annotated[
    bool,
    typer.Option("--rollback-protect", help="With --key: build firmware that refuses images older than the board's."),
]
Calibrate = Annotated[
    bool,
    typer.Option(
        "--calibrate", help="Measure how many cycles instructions take on this board, instead of flashing a model."
    ),
]
Stop = Annotated[str | None, typer.Option(metavar="BOARD", help="End this emulated board, and do nothing else.")]


def command(
    model: Model = None,
    export_table: ExportTable = None,
    board: Name = None,
    port: Port = None,
    general: General = False,
    firmware: Built = None,
    emulated: Emulated = False,
    tool: Tool = None,
    force: Force = False,
    key: Key = None,
    rollback_protect: Protect = False,
    stop: Stop = None,
    calibrate: Calibrate = False,
    as_json: o.AsJson = False,
) -> None:
    """Build the firmware for a model, program a board with both, and check that it answers.

    `gradmote flash --board mps2-an386 model.mote`, then `gradmote train model.mote --data data.npz
    --on PORT`

    The firmware has the kernels of this model and no others. An emulated board goes on running in
    the background, until `gradmote flash --stop BOARD` or until it is flashed again.

    `gradmote flash --board nucleo-f446re --calibrate > cycles.toml` measures small loops on the board,
    whose cycles reveal the timings of its core; `gradmote bench --timings cycles.toml` uses them.
    Flash the board again afterwards.
    """
    from ..device.boards import board as find
    from ..device.flash.flow import Order, flash
    from ..report.bench.cycles.on_board import Request

    if stop is not None:
        _stop(find(stop).name, as_json)
        return
    if board is None:
        raise DataError("which board?", "gradmote flash --board NAME; gradmote boards lists them")
    if calibrate:
        _calibrate(Request(find(board), port, firmware, emulated, tool), model, as_json)
        return
    order = Order(
        find(board), model, port, general, firmware, emulated, tool, force, key, rollback_protect, export_table
    )
    with watching(as_json) as watch:
        done = flash(order, watch)
    _report(done, as_json)


def _stop(board: str, as_json: bool) -> None:
    from ..device.flash.emulated import stop

    ended = stop(board)
    if as_json:
        say_json({"board": board, "ended": ended})
        return
    say(f"the emulated {board} has ended" if ended else f"no emulated {board} was running")


def _calibrate(request: Request, model: Path | None, as_json: bool) -> None:
    from ..report.bench.cycles.on_board import measure

    if model is not None:
        raise DataError(f"--calibrate measures without a model, not {model}", "leave the model out")
    with watching(as_json) as watch:
        compared = measure(request, watch.stage)
    if as_json:
        say_json(asdict(compared))
        return
    _show(request, compared)


def _show(request: Request, compared: Compared) -> None:
    """Print the measured section as lines of a file, with the comparison as comments in it."""
    board, counter = request.board, compared.measured.counter
    say(f"# Cycles of micro-kernels on {board.name} ({board.core}), counted by {counter}.")
    if compared.emulated:
        say("# An emulator counted them: these figures mean nothing.")
    say("# Take them: gradmote bench --timings, or as a section of the core's table in report/bench/cycles/tables.")
    say("# A turn of each takes so many cycles, measured and by the published timings:")
    for kernel, (measured, modelled) in compared.turns.items():
        say(f"#   {kernel:26}{measured:10.2f}{modelled:10.2f}")
    if compared.timings:
        say("# These entries of the table follow:")
        for line in compared.timings.splitlines():
            say(f"#   {line}")
    say(compared.text.rstrip())


def _report(done: Flashed, as_json: bool) -> None:
    if as_json:
        say_json(asdict(done))
        return
    model = f"model {done.model_id[:8]} of {done.image:,} B, arena {done.arena:,} B" if done.model_id else "no model"
    say(f"{done.board} runs gradmote {done.version}, {done.profile}: firmware {done.code:,} B, {model}")
    if done.export_table:
        say(f"its export table has {done.export_table:,} B: gradmote export --from {done.port} -o trained.onnx")
    if done.updates:
        say(f"models that it takes later: {done.updates}")
    if done.pid:
        say(f"it runs in the background (process {done.pid}) until: gradmote flash --stop {done.board}")
    say(f"its serial line: {done.port}   type at it: gradmote console {done.port}")
