"""The model of cycles on emulated boards: micro-kernels take what follows by hand, and a calibration finds timings."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from functools import cache
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from bench.cycles_by_hand import BY_HAND
from bench.speed import cases
from bench.speed.cycles import kernel_rows, layer_rows

from gradmote.device.boards import board as known
from gradmote.device.emulator import emulator_command
from gradmote.errors import DeviceError
from gradmote.formats.image import read_image
from gradmote.report.bench import counting
from gradmote.report.bench.cycles.calibration import Measured, calibrated, read_measured
from gradmote.report.bench.cycles.cores import core_files, read_core
from gradmote.report.bench.cycles.costs import cycles_of_turn
from gradmote.report.bench.cycles.model import CycleModel
from gradmote.report.bench.cycles.on_board import board_with_kernels, build_micro_firmware
from gradmote.report.bench.cycles.timings import Core

pytestmark = pytest.mark.device


#: The folders of the firmware, until the tests end.
FOLDERS: list[TemporaryDirectory[str]] = []


@cache
def micro_firmware(board: str) -> Path:
    """Return the firmware of micro-kernels; skip the test if it cannot be built or run."""
    try:
        emulator_command(known(board))
        FOLDERS.append(TemporaryDirectory(prefix="gradmote-"))
        return build_micro_firmware(board, Path(FOLDERS[-1].name))
    except DeviceError as error:
        pytest.skip(f"{error} - ./run setup installs it")


def model_of(board: str, core: str) -> CycleModel:
    """Return the model of a core for the board's micro-kernels."""
    objdump = f"{board_with_kernels(board).compiler}objdump"
    return CycleModel(micro_firmware(board), objdump, emulator_command(known(board))[0], read_core(core))


def run(board: str, options: list[str]) -> str:
    """Run the micro-kernels on the emulator, and return what they print once."""
    command = [*emulator_command(known(board)), "-kernel", str(micro_firmware(board)), "-display", "none"]
    command += ["-monitor", "none", "-serial", "stdio", "-icount", "shift=7", *options]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            return "".join(takewhile("# end\n".__ne__, process.stdout))
        finally:
            process.kill()


@cache
def printed_by(board: str) -> Measured:
    """Return what the micro-kernels of a board print on the emulator; no model runs, so the figures mean nothing."""
    return read_measured(run(board, []))


@pytest.mark.parametrize("core", BY_HAND)
def test_micro_kernels_take_what_follows_by_hand(core: str) -> None:
    board, by_hand = BY_HAND[core]
    model = model_of(board, core)
    measured = read_measured(run(board, model.emulator_options()))
    turns = dict(zip(measured.cycles, (cycles / measured.turns for cycles in model.spans()), strict=False))
    # The call and the counter around it are some 80 cycles of 1,000 turns.
    assert {kernel: turns[kernel] for kernel in by_hand} == pytest.approx(by_hand, abs=0.12)


@pytest.mark.parametrize("core", BY_HAND)
def test_a_turn_from_the_code_alone_is_the_same(core: str) -> None:
    board, by_hand = BY_HAND[core]
    program = model_of(board, core).program
    turns = {
        kernel: cycles_of_turn(read_core(core), program.code, program.address_of(f"micro_{kernel}"))
        for kernel in by_hand
    }
    assert turns == by_hand


def test_every_core_has_figures_by_hand() -> None:
    assert sorted(BY_HAND) == core_files()


def slower(core: Core) -> Core:
    """Return a core like this one, with results that take longer, and more for each register."""
    change = {
        "load_many": {"per_register": 2},
        "store_many": {"per_register": 2},
        "fp_load_many": {"per_register": 2},
        "fp_add": {"latency": 4},
        "fp_multiply": {"latency": 4},
        "fp_fused": {"latency": 6, "addend": 4},
    }
    if core.issue == "single":
        change |= {"load": {"issue": 3}, "store": {"issue": 2}, "multiply_add": {"issue": 3}, "fp_load": {"issue": 2}}
    kinds = {kind: replace(timing, **change.get(kind, {})) for kind, timing in core.kinds.items()}
    return replace(core, kinds=kinds)


@pytest.mark.parametrize("core", BY_HAND)
def test_a_calibration_finds_the_timings_of_the_core_that_was_measured(core: str) -> None:
    """The part that is measured is the model of a core of our own."""
    board, _ = BY_HAND[core]
    program, published = model_of(board, core).program, read_core(core)
    starts = {kernel: program.address_of(f"micro_{kernel}") for kernel in printed_by(board).cycles}

    def turns(timings: Core) -> dict[str, float]:
        return {kernel: cycles_of_turn(timings, program.code, start) for kernel, start in starts.items()}

    part = turns(slower(published))
    measured = Measured(board, "DWT", 1000, {kernel: round(1000 * turn) for kernel, turn in part.items()})
    assert turns(published) != part
    assert turns(calibrated(published, measured)) == part


def test_the_emulator_counts_the_same_instructions_by_its_clock_and_by_blocks(tmp_path: Path) -> None:
    if counting.missing("mps2-an386"):
        pytest.skip(f"{', '.join(counting.missing('mps2-an386'))} is missing - ./run setup installs it")
    image = cases.training("mlp", "sgd", 1).image
    counter = counting.counter("mps2-an386", tmp_path, [image])
    model = counter.model()
    counts, alone = counter.count(image, model), counter.count(image)
    assert {kind: (c.each, c.whole) for kind, c in counts.items()} == {k: (c.each, c.whole) for k, c in alone.items()}
    nothing, *spans = (region.instructions for region in model.regions())
    by_clock = sum(sum(counted.each) + counted.whole for counted in counts.values())
    assert sum(spans) - nothing * len(spans) == pytest.approx(by_clock, rel=1e-3)


def test_cycles_of_kernels_and_of_the_whole_step_agree(tmp_path: Path) -> None:
    if counting.missing("mps2-an386"):
        pytest.skip(f"{', '.join(counting.missing('mps2-an386'))} is missing - ./run setup installs it")
    image = cases.training("mlp", "sgd", 1).image
    counter = counting.counter("mps2-an386", tmp_path, [image])
    step = counter.count(image, counter.model())["step"]
    assert sum(step.cycles) == pytest.approx(step.whole_cycles, rel=0.05)
    assert step.whole_cycles > 1.5 * step.whole  # a load takes two cycles; a product and a sum apart take one each
    assert counter.count(image)["step"].cycles == []


def test_tables_by_kernel(tmp_path: Path) -> None:
    image = cases.training("mlp", "sgd", 1).image
    steps = next(program for program in read_image(image).programs if program["kind"] == "step")["instructions"]
    found = counting.Counted([1] * len(steps), 100, [2] * len(steps), 200)
    columns, rows = kernel_rows(read_image(image), "step", {"Cortex-M4": found})
    assert columns[-2:] == ["M4 cycles#", "a MAC#"]
    assert rows[-1] == ("all", "5,056", "100", "0.02", "200", "0.04")


def test_a_table_of_layers_has_each_product_in_its_place():
    image = read_image(cases.training("mlp", "sgd", 1).image)
    steps = next(program for program in image.programs if program["kind"] == "step")["instructions"]
    places = [at for at, step in enumerate(steps) if step["opcode"].startswith("GEMM")]
    columns, rows = layer_rows(image, "step", {"": counting.Counted(list(range(len(steps))), 100)})
    assert columns == ["kernel", "shape", "MAC#", "instructions#", "a MAC#"]
    assert [row[3] for row in rows] == [str(at) for at in places] and len(rows) == 5
    assert [row[2] for row in rows if row[1] == "1x32x64"] == ["2,048"]
