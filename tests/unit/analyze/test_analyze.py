"""The figures of `gradmote analyze` add up, and agree with the compiler and with the image alone."""

from __future__ import annotations

import json

import onnx
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.cli import main
from gradmote.compiler import Options, compile_image
from gradmote.device.boards import smallest
from gradmote.formats.image import read_image
from gradmote.report.analyze import analyze_image, analyze_result, as_dict, as_drawn
from gradmote.report.analyze.html import page
from support.oracle import make_model, node, values
from support.page import Page


def cnn():
    """Normalized convolution, pool, classifier."""
    nodes = [
        node("Conv", "x w1", "c", name="conv", pads=[1, 1, 1, 1]),
        node("BatchNormalization", "c scale shift mean variance", "n", name="norm"),
        node("Relu", "n", "a", name="relu"),
        node("MaxPool", "a", "p", name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", "p", "f", name="flatten"),
        node("MatMul", "f w2", "m", name="dense"),
        node("Add", "m b2", "y", name="bias"),
    ]
    weights = {"w1": values(1, 4, 1, 3, 3), "w2": values(2, 36, 3), "b2": values(3, 3)}
    weights |= {"scale": values(4, 4) + 1, "shift": values(5, 4), "mean": values(6, 4), "variance": values(7, 4) ** 2}
    return make_model(nodes, weights, {"x": ("N", 1, 6, 6)})


def made(batch=2, accumulate=False, strip_names=False, overwrite_inputs=False, optimizer=None, **options):
    update = optimizer or optimizers.adamw(0.01)
    artifacts = build_artifacts(cnn(), None, losses.cross_entropy(), update, **options)
    return compile_image(
        artifacts, Options(batch, accumulate, strip_names=strip_names, overwrite_inputs=overwrite_inputs)
    )


VARIANTS = [
    {},
    {"accumulate": True},
    {"batch_norm": "batch"},
    {"batch_norm": "fold"},
    {"freeze": ["w1"]},
    {"overwrite_inputs": True},
]


@pytest.fixture(params=VARIANTS, ids=str)
def result(request):
    return made(**request.param)


@pytest.fixture
def both(result, tmp_path):
    """Reports of the compiler's result and of the image alone."""
    path = tmp_path / "cnn.mote"
    path.write_bytes(result.image)
    return analyze_result(result, "cnn.onnx"), analyze_image(path, path.name)


# ---- Everything adds up


def test_regions_are_the_whole_arena(both):
    for report in both:
        ends = [r.offset + r.size for r in report.regions]
        assert [r.offset for r in report.regions] == [0, *ends[:-1]] and ends[-1] == report.arena


def test_sections_are_the_whole_image(both, result):
    for report in both:
        assert sum(s.size for s in report.sections) == report.image == len(result.image)


def test_layers_share_out_code_constants_and_parameters(both):
    for report in both:
        size = {s.name: s.size for s in report.sections}
        kept = {r.name: r.size for r in report.regions}
        expected = size["code"] + size["constants"] + kept["parameters"] + kept.get("statistics", 0)
        assert sum(layer.flash for layer in report.layers) == expected
        assert 4 * sum(layer.parameters for layer in report.layers) == kept["parameters"]


def test_it_agrees_with_the_layout(both, result):
    layout = result.layout
    report = both[0]
    size = {r.name: r.size for r in report.regions}
    assert report.arena == layout.arena_size and size["parameters"] == layout.parameters_size
    assert size["gradients"] == layout.gradients_size and size["inputs"] == layout.inputs_size
    for program in report.programs:
        placement = layout.placements[program.kind]
        assert (program.scratch, program.bound) == (placement.peak, placement.bound)
        assert max(program.usage()) == placement.bound


# ---- The image alone says the same


def test_the_image_alone_gives_the_same_memory(both):
    compiled, read = both
    assert compiled.regions == read.regions and compiled.sections == read.sections
    for known, reported in zip(compiled.programs, read.programs):
        assert [s.opcode for s in known.steps] == [s.opcode for s in reported.steps]
        assert [s.machine for s in known.steps] == [s.machine for s in reported.steps]
        assert known.scratch == reported.scratch and reported.bound <= known.bound
        assert all(t <= k for k, t in zip(known.usage(), reported.usage()))


def words(program, index):
    """Return the indices of the arena's words that are alive at an instruction."""
    return {w for s in program.alive(index) for w in range(s.offset // 4, (s.offset + s.size) // 4)}


def test_what_the_image_needs_lies_in_planned_buffers(both):
    for known, reported in zip(*(report.programs for report in both)):
        for index in range(len(known.steps)):
            assert words(reported, index) <= words(known, index)


def test_phases_are_told_apart(both):
    for known, reported in zip(*(report.programs for report in both)):
        assert [s.phase for s in known.steps if s.macs] == [s.phase for s in reported.steps if s.macs]


def test_stripped_names_are_numbered_and_said(tmp_path):
    path = tmp_path / "stripped.mote"
    path.write_bytes(made(strip_names=True).image)
    report = analyze_image(path, path.name)
    assert any("stripped" in note for note in report.notes)
    assert {"parameter 0", "parameter 1"} <= {layer.name for layer in report.layers}


# ---- Layers are the model's own nodes


def test_layers_are_nodes_of_the_model(result):
    names = {n.name for n in cnn().graph.node} | {"loss", "optimizer", "checks and copies"}
    assert {layer.name for layer in analyze_result(result, "").layers} <= names


def test_what_a_convolution_takes():
    conv = next(n for n in analyze_result(made(), "").layers if n.name == "conv")
    macs = 2 * 4 * 6 * 6 * 9
    assert (conv.shape, conv.parameters) == ((2, 4, 6, 6), 36)
    assert (conv.macs_forward, conv.macs_backward) == (macs, macs)  # nothing below it wants a gradient
    assert conv.saved > 0 and conv.flash >= 4 * 36


def test_matmul_and_add_become_one_layer():
    layers = {n.name: n for n in analyze_result(made(), "").layers}
    dense = layers.get("dense") or layers["bias"]
    assert dense.parameters == 36 * 3 + 3 and dense.macs_forward == 2 * 36 * 3 and dense.macs_backward == 2 * 2 * 36 * 3


def test_recurrent_and_composed_operators_keep_their_layer():
    nodes = [
        node("LSTM", "x w r", "h", name="lstm", hidden_size=3),
        node("Squeeze", "h axes", "s", name="squeeze"),
        node("LayerNormalization", "s scale", "n", name="norm"),
        node("ReduceMean", "n", "y", name="mean", axes=[0], keepdims=0),
    ]
    weights = {"w": values(1, 1, 12, 2), "r": values(2, 1, 12, 3), "scale": values(3, 3)}
    model = make_model(nodes, {**weights, "axes": [1]}, {"x": (5, 2, 2)}, opset=17)
    artifacts = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.1))
    report = analyze_result(compile_image(artifacts, Options(batch=None)), "")
    names = {layer.name for layer in report.layers}
    assert {"lstm", "norm", "mean", "loss"} <= names <= {n.name for n in nodes} | {"loss", "checks and copies"}


# ---- The command


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "cnn.onnx"
    onnx.save(cnn(), path)
    return path


OPTIONS = ["--loss", "cross_entropy", "--optimizer", "adam", "--batch", "4", "--batch-norm", "fold", "--train", "w2"]


def test_json_of_a_model_agrees_with_what_compile_writes(path, capsys):
    assert main(["analyze", str(path), *OPTIONS, "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert main(["compile", str(path), *OPTIONS, "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert (reported["arena_bytes"], reported["image_bytes"]) == (written["arena_bytes"], written["image_bytes"])
    assert main(["analyze", str(path.with_suffix(".mote")), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["arena"] == reported["arena"]
    assert read_image(path.with_suffix(".mote")).header["batch"] == reported["batch"] == 4


def test_text_answers_first_whether_it_fits(path, capsys):
    assert main(["analyze", str(path), *OPTIONS]) == 0
    text = capsys.readouterr().out
    report = analyze_result(made(), "")
    assert "RAM" in text.splitlines()[0] and f"{smallest(report.arena, report.image).name} (" in text.splitlines()[0]
    for word in ("Arena", "Peak of step", "Layers", "Image", "conv", "pool"):
        assert word in text
    assert as_dict(report)["programs"][-1]["peak"]["alive"]


def test_help_teaches_with_an_example(capsys):
    assert main(["analyze", "--help"]) == 0
    assert "gradmote analyze model.onnx --loss cross_entropy" in " ".join(capsys.readouterr().out.split())


def test_what_is_no_image_is_refused(tmp_path, capsys):
    path = tmp_path / "broken.mote"
    path.write_bytes(b"MOTE")
    assert main(["analyze", str(path)]) == 1
    assert "too few for an image" in capsys.readouterr().err


# ---- The page and the picture


def test_the_page_names_every_buffer_and_needs_nothing_else(path, tmp_path, capsys):
    target = tmp_path / "report.html"
    assert main(["analyze", str(path), *OPTIONS, "--html", str(target), "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    text = target.read_text()
    page = Page(text)
    assert not page.fetched and "url(" not in text and "http" not in text
    names = [title.splitlines()[0] for title in page.titles]
    assert {r["name"] for r in reported["arena"] if r["size"] and r["name"] != "scratch"} <= set(names)
    assert {s["name"] for s in reported["programs"][-1]["peak"]["alive"]} <= set(names)
    assert f"{reported['arena_bytes']:,} B" in text and "Peak of step" in text


def test_the_page_is_made_for_a_telephone_too(path, tmp_path):
    """Its width is the screen's, the drawing keeps the size of its letters, and a tap shows a buffer's name."""
    text = page(analyze_image(path.with_suffix(".mote") if path.suffix == ".mote" else made().image, "model"))
    assert "<meta name='viewport' content='width=device-width, initial-scale=1'>" in text
    assert "@media (max-width: 700px)" in text and "svg { width: 1100px; }" in text
    assert '<svg onclick="' in text and "<output></output>" in text and "or tap it" in text
    assert text.count("<rect class='buffer'") == text.count("<title>") - 1  # and the page's own


def test_names_from_the_model_are_escaped():
    nodes = [node("Gemm", "x <b>", "y", name="<script>")]
    model = make_model(nodes, {"<b>": values(1, 4, 3)}, {"x": ("N", 4)})
    artifacts = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.1))
    text = page(analyze_result(compile_image(artifacts, Options(batch=1)), "<i>"))
    assert "<script>" not in text and "&lt;script&gt;" in text and "<i>" not in text
    Page(text)


def test_plan_lists_every_buffer(path, capsys):
    assert main(["plan", str(path), *OPTIONS, "--program", "infer"]) == 0
    text = capsys.readouterr().out
    assert "Plan of infer" in text and "parameters" in text and "y" in text
    assert main(["plan", str(path), *OPTIONS, "--program", "train"]) == 1
    assert "it has infer, eval, step" in capsys.readouterr().err


def test_plan_draws_a_picture(path, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    target = tmp_path / "plan.png"
    assert main(["plan", str(path), *OPTIONS, "--png", str(target)]) == 0
    assert target.read_bytes().startswith(b"\x89PNG")


def test_what_a_page_draws_adds_up(result) -> None:
    report = analyze_result(result, "model.onnx")
    drawn, reported = as_drawn(report), as_dict(report)
    assert all(drawn[key] == reported[key] for key in reported if key != "programs")
    for row, code in zip(drawn["programs"], report.programs, strict=True):
        assert sum(one["count"] for one in row["opcodes"]) == row["instructions"]
        assert sum(one["machine"] for one in row["opcodes"]) == pytest.approx(row["machine_instructions"])
        assert all(span["offset"] + span["size"] <= code.arena for span in row["spans"])
