"""The command `gradmote bench`, which shows how long a step takes, and why."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as o
from .compiler import Compiler, with_compiler
from .output import say_json

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..formats.image import Image
    from ..report.bench.counting import Counted, Counter, Counts
    from ..report.bench.cycles.calibration import Measured
    from ..report.bench.cycles.model import CycleModel
    from ..report.bench.report import OnBoard, Times

IMAGE = ".mote"


class ProgramName(str, Enum):
    """A program of an image that can be timed."""

    step = "step"
    infer = "infer"
    eval = "eval"
    train = "train"


@dataclass(frozen=True)
class Bench:
    """The image to measure, and its programs.

    `profile` is the numerics profile on this computer, "" if there is no twin to time. `timings` come
    from a real part; None uses the published ones.
    """

    name: str
    data: bytes
    image: Image
    kinds: list[str]
    profile: str
    timings: Measured | None = None


@with_compiler
def command(
    model: Annotated[Path, typer.Argument(help="A compiled .mote, or a .onnx to compile with the options below.")],
    compiler: Compiler,
    program: Annotated[
        list[ProgramName] | None,
        typer.Option(help="Which of the image's programs. Repeatable; its step and its inference by default."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=3, help="Rounds of timing: more of them for a steadier median.")] = 30,
    board: Annotated[
        str | None,
        typer.Option(help="Also count machine instructions on this emulated board, exactly: mps2-an386 and others."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            help="What --json printed earlier, with --board: exit with 1 if machine instructions grew by over 2 %.",
        ),
    ] = None,
    timings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml", help="With --board: cycles by what gradmote flash --calibrate measured on a real part."
        ),
    ] = None,
    as_json: o.AsJson = False,
) -> None:
    """Time a training step and an inference on this computer, and show which kernels take the time.

    How fast do batches of 32 train? `gradmote bench model.onnx --loss cross_entropy --batch 32`

    What would it take on a Cortex-M4? `gradmote bench model.mote --board mps2-an386` counts machine
    instructions on the emulated board (with the compiler and the emulator that `gradmote new` asks
    for, too), and models how many cycles they take on a real core. The model has no wait states and
    no caches (docs/PERFORMANCE.md).

    Did my change make it slower? `gradmote bench model.mote --board mps2-an386 --json >
    before.json`, and later `gradmote bench model.mote --against before.json`

    Times are CPU times of calls from Python, which copy the arrays each time; inputs are random.
    Instructions and cycles of boards are the same in each run.
    """
    from ..device.progress import progress_bar
    from ..errors import DataError

    bench = opened(model, compiler, program)
    if timings is not None:
        bench = replace(bench, timings=read_timings(timings))
    before = {} if against is None else read_counts(against)
    boards = [board] if board is not None else list(before)
    if timings is not None and not boards:
        raise DataError("--timings describe the core of a board", "name the board: --board")
    if not boards:
        require_twin()
    with progress_bar(as_json) as bar:
        counted = {name: count(bench, name, bar) for name in boards}
        times = timed(bench, rounds, bar) if bench.profile else {}
    if as_json:
        say_json(as_dict(bench, times, counted))
    else:
        show(bench, times, counted, rounds)
    if against is not None:
        compare(counted, before, against)


def opened(model: Path, compiler: Compiler, wanted: list[ProgramName] | None) -> Bench:
    """Return the image to measure; any other model is compiled first.

    Raises ModelError if the image lacks a requested program.
    """
    from ..errors import ModelError
    from ..formats.image import read_image
    from ..formats.image.read import load

    data = load(model) if model.suffix == IMAGE else compiler(model).image
    image = read_image(data)
    there = [name.value for name in ProgramName if any(p["kind"] == name.value for p in image.programs)]
    kinds = [name.value for name in wanted or ()]
    for kind in kinds:
        if kind not in there:
            raise ModelError(f"{model.name} has no program {kind}", f"it has {', '.join(there)}; --loss adds training")
    usual = [kind for kind in there if kind != "eval"]
    return Bench(model.name, data, image, kinds or usual, profile_here())


def require_twin() -> None:
    """Raise GradmoteError if the compiled runtime, which is timed, is not installed."""
    from gradmote_runtime.library import load

    load("strict")


def profile_here() -> str:
    """Return the profile of the twin on this computer; "" if there is no twin."""
    from gradmote_runtime.library import cpu_has_fma, is_there

    return "" if not is_there() else "fused" if cpu_has_fma() else "strict"


# ---- Measuring


def timed(bench: Bench, rounds: int, bar: Progress) -> Times:
    """Return the times of the programs on this computer."""
    from ..report.bench.twin import time_program

    found = {}
    for kind in bench.kinds:
        task = bar.add_task(f"time {kind}", total=rounds)
        found[kind] = time_program(bench.data, kind, rounds, bench.profile, partial(bar.advance, task))
    return found


def count(bench: Bench, board: str, bar: Progress) -> OnBoard:
    """Return the machine instructions of the programs on an emulated board, and their cycles.

    Raises DeviceError if a tool is missing, before anything is built. If cycles cannot be modelled,
    stderr says why.
    """
    from tempfile import TemporaryDirectory

    from ..device.boards import board as known
    from ..report.bench.counting import check, counter
    from ..report.bench.report import Instructions

    check(board)
    task = bar.add_task(f"compile the runtime for {board}", total=None)
    with TemporaryDirectory(prefix="gradmote-") as folder:
        emulated = counter(board, Path(folder), [bench.data])
        bar.update(task, description=f"count on {board}")
        counted = counted_on(emulated, bench)
    clock = known(board).clock
    return {kind: Instructions.of(bench.image, kind, counted[kind], clock) for kind in bench.kinds}


def counted_on(emulated: Counter, bench: Bench) -> dict[str, Counted]:
    """Return the counts, with cycles if they can be modelled; otherwise stderr says why not."""
    from ..errors import DataError, DeviceError

    try:
        return emulated.count(bench.data, model_of(emulated, bench))
    except (DataError, DeviceError) as error:
        o.tell(f"no cycles on {emulated.board.name}: {error}")
        return emulated.count(bench.data)


def model_of(emulated: Counter, bench: Bench) -> CycleModel:
    """Return the model of the board's cycles. Raises DeviceError if there is none."""
    from ..report.bench.counting import timed_core
    from ..report.bench.cycles.calibration import calibrated

    core = timed_core(emulated.board)
    return emulated.model(calibrated(core, bench.timings) if bench.timings is not None else core)


# ---- Output


def show(bench: Bench, times: Times, counted: dict[str, OnBoard], rounds: int) -> None:
    """Print the times and counts as tables."""
    from ..report.bench.counting import core_of
    from ..report.bench.report import board_rows, kernel_rows, time_rows
    from ..report.bench.twin import processor
    from ..terminal.terminal import console, table

    out = console()
    where = f"on this computer ({processor()}), batch {bench.image.header['batch']}, {bench.profile}, {rounds} rounds"
    if times:
        out.print(table(f"{bench.name} {where}", time_rows(times)))
    for kind, found in times.items():
        out.print(table(f"What {kind} is made of", kernel_rows(found)))
    for board, programs in counted.items():
        for kind, instructions in programs.items():
            what = f"{kind} on {board} ({core_of(board)})"
            model = "" if instructions.cycles is None else "; cycles modelled, zero wait states"
            out.print(table(f"{what}{model}", board_rows(instructions)))


def as_dict(bench: Bench, times: Times, counted: dict[str, OnBoard]) -> dict[str, Any]:
    """Return the times and counts for JSON."""
    from ..report.bench.report import board_dict, times_dict
    from ..report.bench.twin import processor

    return {
        "model": bench.name,
        "model_id": bench.image.model_id.hex(),
        "batch": bench.image.header["batch"],
        "twin": {"processor": processor(), "profile": bench.profile, "programs": times_dict(times)},
        "boards": {board: board_dict(found) for board, found in counted.items()},
    }


# ---- Earlier measurements


def read_timings(path: Path) -> Measured:
    """Return measurements from a real part. Raises DataError if the file has none."""
    from ..errors import DataError
    from ..report.bench.cycles.calibration import read_measured

    try:
        text = path.read_text()
    except (OSError, ValueError) as error:
        hint = "write it: gradmote flash --board BOARD --calibrate > cycles.toml"
        raise DataError(f"{path} cannot be read ({type(error).__name__})", hint) from error
    return read_measured(text)


def read_counts(path: Path) -> Counts:
    """Return the counts saved by an earlier run. Raises DataError if the file has none."""
    from ..errors import DataError
    from ..report.bench.report import counts_in

    try:
        found = counts_in(json.loads(path.read_text()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        hint = "write it: gradmote bench MODEL --board mps2-an386 --json"
        raise DataError(f"{path} is not a report of gradmote bench ({type(error).__name__})", hint) from error
    if not found:
        raise DataError(f"{path} has no machine instructions", "make it with --board: times differ from run to run")
    return found


def compare(counted: dict[str, OnBoard], before: Counts, path: Path) -> None:
    """Print on stderr how the counts changed, for the programs in both runs.

    The command exits with 1 if machine instructions grew.
    """
    from ..errors import DataError
    from ..report.bench.counting import changes

    now = {
        board: {kind: found.whole for kind, found in programs.items() if kind in before.get(board, {})}
        for board, programs in counted.items()
    }
    if not any(now.values()):
        raise DataError(f"{path} has other boards or programs", "it has " + ", ".join(map(describe, before.items())))
    grown, shrunk = changes(now, before)
    for line in [f"dearer: {line}" for line in grown] + [f"cheaper: {line}" for line in shrunk]:
        o.tell(line)
    if grown:
        raise typer.Exit(1)
    if not shrunk:
        o.tell(f"machine instructions are as in {path}")


def describe(counts: tuple[str, dict[str, int]]) -> str:
    """Return in words the programs counted on one board."""
    board, programs = counts
    return f"{' and '.join(programs)} on {board}"
