"""gradmote bench: tables, JSON, exact counts on an emulated board, comparison with an earlier run, and refusals."""

import json
import shutil

import onnx
import pytest
from typer.testing import CliRunner
from unit.budget.small import network

from gradmote.cli import app, main
from gradmote.device.toolchains import find
from gradmote.formats.image import read_image
from gradmote.report.bench import counting
from gradmote.report.bench.kernel_totals import FORWARD, INPUT, UPDATE, Kernel, Total, kernels_of
from gradmote.report.bench.report import Cycles, Instructions, duration

TRAIN = ("--loss", "cross_entropy", "--rounds", 3)
BOARD = "mps2-an386"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "model.onnx"
    onnx.save(network(), str(path))
    return path


@pytest.fixture(scope="module")
def image(model):
    path = model.with_suffix(".mote")
    assert main(["compile", str(model), "-o", str(path), "--loss", "cross_entropy"]) == 0
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


def found(*arguments):
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def refusal(capsys, *arguments):
    assert main(["bench", *map(str, arguments)]) == 1
    return capsys.readouterr().err


# ---- On this computer


def test_the_tables_name_programs_and_kernels(model):
    done = run(model, *TRAIN, "--batch", 4)
    assert done.exit_code == 0
    output = " ".join(done.output.split())  # a table as narrow as its times wraps its title anywhere
    for words in ("batch 4, ", "3 rounds", "What step is made of", "What infer is made of", "linear, dW + update"):
        assert words in output


def test_json_of_an_image(image):
    programs = found(image, "--rounds", 3)["twin"]["programs"]
    assert list(programs) == ["step", "infer"]
    read = read_image(image)
    for program in read.programs:
        if program["kind"] in programs:
            timed = programs[program["kind"]]
            assert 0 < timed["seconds"]["low"] <= timed["seconds"]["median"] <= timed["seconds"]["high"]
            assert sum(kernel["instructions"] for kernel in timed["kernels"]) == len(program["instructions"])
            within = sum(kernel["seconds"] for kernel in timed["kernels"])
            assert timed["around"] == pytest.approx(max(0, timed["seconds"]["median"] - within))


def test_a_step_has_the_products_of_its_inference_in_each_direction(image):
    """The first layer has no gradient of its input."""
    programs = found(image, "--rounds", 3)["twin"]["programs"]
    forward = sum(kernel["macs"] for kernel in programs["infer"]["kernels"])
    step = programs["step"]["kernels"]
    weights = sum(kernel["macs"] for kernel in step if kernel["kernel"].endswith(UPDATE))
    inputs = sum(kernel["macs"] for kernel in step if kernel["kernel"].endswith(INPUT))
    assert forward == weights == sum(kernel["macs"] for kernel in step if kernel["kernel"].endswith(FORWARD))
    assert 0 < inputs < forward


@pytest.mark.parametrize("options", [("--overwrite-inputs",), ("--strip-names",), ("--optimizer", "adamw")])
def test_images_of_any_kind_are_timed(model, options):
    assert list(found(model, *TRAIN, *options)["twin"]["programs"]) == ["step", "infer"]


def test_gradients_that_are_kept_have_a_program_of_their_own(model):
    programs = found(model, *TRAIN, "--accumulate")["twin"]["programs"]
    assert "train" in programs
    assert any(kernel["kernel"].startswith("linear, dW") for kernel in programs["train"]["kernels"])


def test_one_program(image):
    assert list(found(image, "--rounds", 3, "--program", "eval")["twin"]["programs"]) == ["eval"]


def test_a_program_that_is_not_there(model, capsys):
    said = refusal(capsys, model, "--program", "step")
    assert "model.onnx has no program step" in said and "it has infer; --loss adds training" in said


def test_forward_and_backward_are_told_by_the_loss(image):
    """The direction does not depend on the places of weights."""
    read = read_image(image)
    for program in read.programs:
        directions = [kernel.direction for kernel in kernels_of(read, program) if kernel.direction]
        if program["kind"] in ("infer", "eval"):
            assert set(directions) == {FORWARD}
        elif program["kind"] == "step":
            assert directions == sorted(directions, key=lambda direction: direction != FORWARD)


def test_durations_are_short():
    assert [duration(s) for s in (2.5, 0.0123456, 1.5e-6, 2e-8, 1234.0)] == [
        "2.5 s", "12.35 ms", "1.5 µs", "0.02 µs", "1,234 s",
    ]  # fmt: skip


# ---- On a board


@pytest.fixture(scope="module")
def saved(image, tmp_path_factory):
    """Return the path of a file with what --json printed, including the counts of machine instructions."""
    if counting.missing(BOARD):
        pytest.skip(f"{', '.join(counting.missing(BOARD))} is missing - ./run setup installs it")
    path = tmp_path_factory.mktemp("saved") / "before.json"
    path.write_text(json.dumps(found(image, "--rounds", 3, "--board", BOARD)))
    return path


@pytest.mark.device
def test_machine_instructions_are_of_kernels(saved):
    programs = json.loads(saved.read_text())["boards"][BOARD]
    for program in programs.values():
        kernels = sum(kernel["machine_instructions"] for kernel in program["kernels"])
        assert program["machine_instructions"] == pytest.approx(kernels, rel=0.1)
    assert programs["step"]["machine_instructions"] > 2 * programs["infer"]["machine_instructions"]


@pytest.mark.device
def test_cycles_are_those_of_kernels_and_take_time_at_the_boards_clock(saved):
    step = json.loads(saved.read_text())["boards"][BOARD]["step"]
    assert step["cycles"] == pytest.approx(sum(kernel["cycles"] for kernel in step["kernels"]), rel=0.1)
    assert step["cycles"] > step["machine_instructions"]
    assert step["milliseconds"] == pytest.approx(step["cycles"] / 25e6 * 1e3)


@pytest.fixture
def counted(monkeypatch):
    """Counts without a compiler: step takes 1000 machine instructions, infer 400."""

    def count(bench, board, bar):
        kernels = {Kernel("linear", FORWARD): Total(1, 400, 200)}
        return {kind: Instructions({"step": 1000, "infer": 400}[kind], kernels) for kind in bench.kinds}

    monkeypatch.setattr("gradmote.cli.bench.count", count)


def before(path, **programs):
    boards = {BOARD: {kind: {"machine_instructions": n} for kind, n in programs.items()}}
    path.write_text(json.dumps({"boards": boards}))
    return path


def test_tables_of_a_board(image, counted):
    shown = run(image, "--rounds", 3, "--board", BOARD).output
    assert "step on mps2-an386 (Cortex-M4F)" in shown and "5.00" in shown  # 1000 for 200 products
    assert "modelled" not in shown


def test_tables_with_modelled_cycles(image, monkeypatch):
    def count(bench, board, bar):
        kernel = Kernel("linear", FORWARD)
        return {
            kind: Instructions(1000, {kernel: Total(1, 400, 200)}, Cycles(3000, {kernel: 1500}, 10**6))
            for kind in bench.kinds
        }

    monkeypatch.setattr("gradmote.cli.bench.count", count)
    shown = run(image, "--rounds", 3, "--board", BOARD).output
    assert "cycles modelled, zero wait states" in shown
    assert "15.00" in shown and "50.0%" in shown  # 3000 for 200 products; half of the cycles
    programs = found(image, "--rounds", 3, "--board", BOARD)["boards"][BOARD]
    assert (programs["step"]["cycles"], programs["step"]["milliseconds"]) == (3000, 3.0)
    assert programs["step"]["kernels"][0]["cycles"] == 1500


def test_a_board_without_timings_has_no_cycles(image, capsys, monkeypatch):
    """It says why, and counts instructions all the same."""
    if counting.missing("riscv-virt"):
        pytest.skip(f"{', '.join(counting.missing('riscv-virt'))} is missing - ./run setup installs it")
    done = run(image, "--rounds", 3, "--program", "infer", "--board", "riscv-virt", "--json")
    assert "no cycles on riscv-virt: there are no timings of rv32imafc" in done.stderr
    assert "cycles" not in json.loads(done.stdout)["boards"]["riscv-virt"]["infer"]


def test_timings_of_a_file(image, tmp_path, capsys):
    path = tmp_path / "cycles.toml"
    assert "cannot be read" in refusal(capsys, image, "--board", BOARD, "--timings", path)
    path.write_text("x = 3\n")
    assert "not a section of measured cycles" in refusal(capsys, image, "--board", BOARD, "--timings", path)
    path.write_text('[measured]\nboard = "b"\ncounter = "DWT"\nturns = 1000\nloop = 4000\n')
    assert "name the board" in refusal(capsys, image, "--timings", path)


@pytest.mark.parametrize(
    ("step", "infer", "code", "words"),
    [
        (1000, 400, 0, "machine instructions are as in "),
        (981, 400, 0, "machine instructions are as in "),
        (980, 400, 1, "dearer: mps2-an386, step: 980 -> 1,000 instructions (+2.0%)"),
        (2000, 400, 0, "cheaper: mps2-an386, step: 2,000 -> 1,000 instructions (-50.0%)"),
    ],
)
def test_against_an_earlier_run(image, counted, tmp_path, step, infer, code, words):
    done = run(image, "--rounds", 3, "--against", before(tmp_path / "before.json", step=step, infer=infer))
    assert done.exit_code == code and words in done.stderr


def test_only_what_both_have_is_compared(image, counted, tmp_path, capsys):
    file = before(tmp_path / "before.json", infer=400)
    assert run(image, "--rounds", 3, "--against", file).exit_code == 0
    said = refusal(capsys, image, "--rounds", 3, "--program", "step", "--against", file)
    assert "other boards or programs - " not in said and "it has infer on mps2-an386" in said


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"boards": {"a": 1}}', '{"boards": {}}'])
def test_a_file_without_counts(image, tmp_path, capsys, text):
    path = tmp_path / "before.json"
    path.write_text(text)
    assert "--board" in refusal(capsys, image, "--against", path)
    assert "FileNotFoundError" in refusal(capsys, image, "--against", tmp_path / "none.json")


# ---- Refusals


def test_a_board_that_cannot_count(image, capsys):
    assert "there is no board nonesuch" in refusal(capsys, image, "--board", "nonesuch")
    said = refusal(capsys, image, "--board", "microbit")
    assert "microbit has no emulator with memory for any image" in said and "mps2-an386" in said


@pytest.mark.parametrize(
    ("tool", "package"), [("arm-none-eabi-gcc", "gcc-arm-none-eabi"), ("qemu-system-arm", "qemu-system-arm")]
)
def test_tools_that_are_missing(image, capsys, monkeypatch, tool, package):
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, **more: None if name == tool else which(name, **more))
    monkeypatch.setattr(find, "zig_toolchain", lambda board: None)
    said = refusal(capsys, image, "--board", BOARD)
    assert tool in said and "is not installed" in said and f"install it: apt-get install {package}" in said
