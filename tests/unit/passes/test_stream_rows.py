"""Layers that run row by row have the bits of layers that run at once, in less memory."""

import json

import numpy as np
import onnx
import pytest

from gradmote import Session, compile_model, losses, optimizers
from gradmote.cli import main
from gradmote.compiler.options import Options
from gradmote.formats.image import read_image, run_order
from gradmote.report.analyze import analyze_image, analyze_result
from support.drawn_cnn import CLASSES, DrawnNetwork

CASES = range(24)


def compiled(seed, batch, streams, **options):
    """Compile a drawn network whose classifier alone is trained."""
    drawn = DrawnNetwork(seed)
    model = drawn.make(layers=2 + seed % 5)
    made = compile_model(
        model, losses.cross_entropy(), optimizers.sgd(0.1), Options(batch=batch, stream_rows=streams, **options),
        scheme="head",
    )  # fmt: skip
    return made, drawn.shape


def trained(made, shape, batch, profile, threads=1):
    """Return all results of some runs of each program, on an arena full of NaN."""
    rng, session, found = np.random.default_rng(1), Session(made.image, profile, threads), []
    for _ in range(2):
        x = rng.standard_normal((batch, *shape)).astype(np.float32)
        labels = rng.integers(0, CLASSES, batch).astype(np.int32)
        for run in (lambda x=x: np.array(session.infer(x)).tobytes(), lambda x=x, y=labels: session.step(x, y)):
            session.poison()
            found.append(run())
    return [*found, session.save()]


def peak(made):
    return max(placement.peak for placement in made.layout.placements.values())


@pytest.mark.parametrize("seed", CASES)
def test_drawn_networks_keep_their_bits(seed):
    batch = 1 + seed % 3 // 2
    whole, shape = compiled(seed, batch, False)
    rows, _ = compiled(seed, batch, True)
    for profile in ("fused", "strict"):
        assert trained(rows, shape, batch, profile) == trained(whole, shape, batch, profile)
    assert peak(rows) <= peak(whole)


def test_most_drawn_networks_take_less():
    smaller = [peak(compiled(seed, 1, True)[0]) < peak(compiled(seed, 1, False)[0]) for seed in CASES]
    assert sum(smaller) >= len(CASES) // 2


SEED = 23


@pytest.fixture(scope="module")
def pair():
    """A network at once and row by row, the shape of its samples, and one sample."""
    (whole, shape), (rows, _) = compiled(SEED, 1, False), compiled(SEED, 1, True)
    return whole, rows, shape, np.random.default_rng(2).standard_normal((1, *shape)).astype(np.float32)


def test_slices_of_any_length_pause_in_loops(pair):
    _, rows, _, x = pair
    session = Session(rows.image)
    expected = np.array(session.infer(x)).tobytes()
    for slice_length in (1, 2, 7):
        session.poison()
        session.set_input(0, x)
        session.begin("infer")
        while not session.run(slice_length):
            pass
        assert np.array(session.output(0)).tobytes() == expected


def test_what_was_aborted_in_a_loop_begins_anew(pair):
    _, rows, _, x = pair
    session = Session(rows.image)
    expected = np.array(session.infer(x)).tobytes()
    for steps in (1, 5, 40):
        session.set_input(0, x)
        session.begin("infer")
        assert not session.run(steps)
        session.abort()
        assert np.array(session.infer(x)).tobytes() == expected


def test_as_many_instructions_run_as_the_reader_says(pair):
    _, rows, _, x = pair
    session = Session(rows.image)
    session.infer(x)
    program = next(p for p in read_image(rows.image).programs if p["kind"] == "infer")
    assert session.instructions == len(run_order(program["instructions"])) > len(program["instructions"])


def test_threads_keep_the_bits(pair):
    _, rows, shape, _ = pair
    assert trained(rows, shape, 1, "fused", threads=3) == trained(rows, shape, 1, "fused")


def test_analyze_counts_each_row_once(pair):
    """It counts all multiply-accumulates except those with padding, which rows leave out; and the planner's peak."""
    whole, rows, _, _ = pair
    for made in (analyze_result(rows, "drawn"), analyze_image(rows.image, "drawn")):
        before = analyze_result(whole, "drawn")
        for found, expected in zip(made.programs, before.programs, strict=True):
            macs, least = (sum(step.macs for step in code.steps) for code in (found, expected))
            assert macs == least
            assert found.machine is not None
            placement = rows.layout.placements[found.kind]
            assert 0.5 * placement.peak < max(found.usage()) <= placement.peak


def test_compile_says_what_is_streamed(tmp_path, capsys):
    model = tmp_path / "model.onnx"
    onnx.save(DrawnNetwork(SEED).make(layers=2 + SEED % 5), model)
    assert main(["compile", str(model), "--stream-rows"]) == 0
    assert " row by row: " in capsys.readouterr().out
    assert main(["compile", str(model), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["streamed"] == {}


def test_images_without_streams_keep_their_bytes():
    model = onnx.parser.parse_model(
        '<ir_version: 9, opset_import: ["": 17]> small (float[1, 4] x) => (float[1, 4] y) { y = Relu(x) }'
    )
    assert compile_model(model, options=Options(stream_rows=True)).image == compile_model(model).image
