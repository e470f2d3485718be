"""`compile --check`: an image is compared with its model, and what differs is found, wherever the fault is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from fuzz.test_hostile_files import sealed
from hypothesis import given
from hypothesis import strategies as st
from unit.passes.test_recompute import artifacts as blocks

from gradmote import Session, cli, compile_model, losses, optimizers
from gradmote.artifacts import Artifacts, build_artifacts, training_graph
from gradmote.checking import Checked, check
from gradmote.compiler import Options, compile_image
from gradmote.compiler.compile import keeping_gradients
from gradmote.errors import DataError, ModelError, RuntimeFault
from gradmote.formats.image import read_image
from support import digits
from support.oracle import make_model, node, values
from support.quantized import small_cnn

OPTIONS = Options(batch=4)
OPTIMIZERS = {
    "sgd": optimizers.sgd(0.1),
    "adamw clipped": optimizers.adamw(clip_norm=0.5),
    "momentum": optimizers.sgd(0.1, momentum=0.9),
}


def kinds(found: Checked) -> set[str]:
    """The comparisons that differ."""
    return {row.what for row in found.rows if not row.agrees}


def checked(
    made: Artifacts, options: Options = OPTIONS, model: onnx.ModelProto | None = None, image: bytes = b""
) -> Checked:
    """Check an image of artifacts, or another one."""
    result = compile_image(made, options)
    return check(image or result.image, keeping_gradients(result, made, options), made, model)


@pytest.mark.parametrize("options", [OPTIONS, replace(OPTIONS, accumulate=True), replace(OPTIONS, moments="bf16")])
@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_what_is_right_agrees(optimizer, options: Options) -> None:
    if options.moments and optimizer is OPTIMIZERS["sgd"]:
        pytest.skip("SGD has no moments")
    made = digits.artifacts(optimizer)
    found = checked(made, options, digits.model())
    assert found.agrees, found.summary()
    wanted = {"outputs", "loss", "gradients", "differences"}
    assert {row.what for row in found.rows} == wanted | (set() if options.accumulate else {"updates"})
    assert found.summary().startswith("agrees with onnxruntime on drawn samples: outputs ")


#: What may make the same network another image.
WAYS = {
    "batch": [1, 2, 4], "accumulate": [False, True], "overwrite_inputs": [False, True], "recompute": [False, True],
    "stream_rows": [None, True, False], "saved": [None, "bf16"], "attention": [None, "blocks"],
    "moments": [None, "bf16"], "strip_names": [False, True],
}  # fmt: skip


@given(st.fixed_dictionaries({name: st.sampled_from(values) for name, values in WAYS.items()}), st.booleans())
def test_no_option_makes_a_right_image_differ(options: dict[str, Any], has_norms: bool) -> None:
    made = blocks("batch") if has_norms else digits.artifacts(optimizers.adamw(0.01))
    found = checked(made, Options(**options))
    assert found.agrees, found.summary()
    kinds_of_rows = {row.what for row in found.rows}
    assert {"outputs", "loss", "gradients"} <= kinds_of_rows
    assert ("updates" in kinds_of_rows) + any("no updates" in note for note in found.notes) == (
        not options["accumulate"]
    )


def test_values_of_bfloat16_are_held_to_their_digits() -> None:
    made = digits.artifacts(optimizers.sgd(0.1))
    wrong = replace(made, learning_rate=0.2, parameters={n: a * np.float32(1.1) for n, a in made.parameters.items()})
    options = replace(OPTIONS, saved="bf16", accumulate=True)
    assert "gradients" in kinds(check(compile_image(made, options).image, compile_image(wrong, options).image, made))


def test_indices_are_drawn_from_what_they_select() -> None:
    nodes = [node("Cast", "x", "i", to=7), node("Gather", "e i", "g"), node("ReduceMean", "g one", "m", keepdims=0),
             node("MatMul", "m w", "y")]  # fmt: skip
    model = make_model(nodes, {"e": values(1, 3, 4), "w": values(2, 4, 2), "one": np.array([1])}, {"x": ("N", 5)})
    model.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.INT64
    made = build_artifacts(model, loss=losses.cross_entropy(), optimizer=optimizers.sgd(0.1))
    assert checked(made, model=model).agrees


def test_quantized_models_are_held_to_their_integers() -> None:
    made = build_artifacts(small_cnn.model(), loss=losses.cross_entropy(), optimizer=optimizers.sgd(0.05))
    options = Options(batch=2)
    found = checked(made, options, small_cnn.model())
    assert found.agrees and found.notes == ["no differences, as gradients go straight through the rounding to integers"]
    assert [row.name for row in found.rows if row.what == "gradients"] == list(made.parameters)


def test_dropout_is_not_compared_but_its_update_is() -> None:
    made = digits.artifacts(optimizers.sgd(0.1), dropout=0.3)
    found = checked(made)
    assert found.agrees and "no gradients, as numbers are drawn in training" in found.notes
    assert "updates" in {row.what for row in found.rows}


def test_a_model_that_was_exported_for_training_is_compared_in_inference() -> None:
    nodes = [node("Gemm", "x w", "h"), node("BatchNormalization", "h s b m v", "y rm rv", training_mode=1)]
    weights = {"w": values(1, 4, 3), **{n: values(i, 3) ** 2 for i, n in enumerate("sbmv", 2)}}
    model = make_model(nodes, weights, {"x": ("N", 4)}, outputs=("y",))
    made = build_artifacts(model, loss=losses.mse(), optimizer=optimizers.sgd(0.1), batch_norm="batch")
    found = checked(made, model=model)
    assert found.agrees, found.summary()


def test_drawn_samples_that_do_not_suit_the_model_are_no_fault() -> None:
    model = make_model([node("Gemm", "x w", "h"), node("Sqrt", "h", "y")], {"w": values(1, 4, 3)}, {"x": ("N", 4)})
    made = build_artifacts(model, loss=losses.mse(), optimizer=optimizers.sgd(0.1))
    found = checked(made, model=model)
    assert found.agrees and found.summary() == "nothing more is compared, as drawn samples make 'y' not finite"


# ---- Faults ---------------------------------------------------------------------------------------------------------


def of_another(change: Callable[[Artifacts], Artifacts]) -> set[str]:
    """The comparisons that differ for an image that was compiled from changed artifacts."""
    made = digits.artifacts(optimizers.sgd(0.1))
    return kinds(checked(made, model=digits.model(), image=compile_image(change(made), OPTIONS).image))


def test_a_wrong_weight_is_found() -> None:
    def change(made: Artifacts) -> Artifacts:
        weights = {name: array * np.float32(1.01) for name, array in made.parameters.items()}
        return replace(made, parameters=weights)

    assert {"outputs", "updates"} <= of_another(change)


def test_a_wrong_rate_is_found() -> None:
    assert of_another(lambda made: replace(made, learning_rate=0.11)) == {"updates"}


def test_a_fault_in_the_bytes_of_a_program_is_found() -> None:
    """Flip one bit of each third word of STEP: an image that opens and trains differently on other samples is found."""
    made = digits.artifacts(optimizers.sgd(0.1))
    image = compile_image(made, OPTIONS).image
    read = read_image(image)
    code = read.header["sections"][2]
    assert read.programs[-1]["kind"] == "step"
    start, size = code["offset"] + code["size"] - read.programs[-1]["code_size"], read.programs[-1]["code_size"]
    kept = compile_image(made, replace(OPTIONS, accumulate=True)).image
    expected, found, missed = states(image), 0, []
    for at in range(start, start + size, 12):
        changed = bytearray(image)
        changed[at] ^= 4
        broken = sealed(bytes(changed))
        try:
            agrees = check(broken, kept, made).agrees
        except RuntimeFault:  # it does not open
            continue
        found += not agrees
        if agrees and states(broken) != expected:
            missed.append(at - start)
    assert found > 8 and not missed


def states(image: bytes) -> bytes | str:
    """The state after some steps on other samples, or what ended them."""
    with Session(image) as session:
        try:
            for x, labels in digits.batches(4, 3):
                session.step(x, labels)
        except RuntimeFault as fault:
            return fault.name
        return bytes(session.state())


def test_a_wrong_gradient_rule_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The training model has it too, and agrees with the image: differences of the loss reveal it."""
    right = training_graph.differentiate
    monkeypatch.setattr(training_graph, "differentiate", lambda graph, loss, wrt, scale: right(graph, loss, wrt, 1.25))
    made = digits.artifacts(optimizers.sgd(0.1))
    assert kinds(checked(made)) == {"differences"}


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path, image = tmp_path / "model.onnx", tmp_path / "model.mote"
    onnx.save(digits.model(), path)
    given = ["compile", str(path), "--loss", "cross_entropy", "--batch", "4", "-o", str(image)]
    assert cli.main(given) == 0
    assert "checked: agrees with onnxruntime on drawn samples: outputs" in capsys.readouterr().out
    kept = image.read_bytes()
    assert cli.main([*given, "--no-check"]) == 0
    assert "checked" not in capsys.readouterr().out and image.read_bytes() == kept
    assert cli.main([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checked"].startswith("checked: agrees")
    monkeypatch.setattr("gradmote.checking.comparison.VALUES", 0.0)
    image.unlink()
    assert cli.main([*given, "--check"]) == 1
    said = capsys.readouterr()
    assert "differs" in said.out and "disagrees with onnxruntime" in said.err and not image.exists()
    with pytest.raises(ModelError, match="differs from its model"):
        compile_model(digits.model(), losses.cross_entropy(), optimizers.sgd(0.1), batch=4, check=True)


def test_given_samples_take_the_place_of_drawn_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (x, y), path, data = digits.batches(4, 1)[0], tmp_path / "model.onnx", tmp_path / "digits.npz"
    compile_model(digits.model(), losses.cross_entropy(), optimizers.sgd(0.1), batch=4, check={"x": x, "labels": y})
    for wrong, said in (({"x": x}, "the image takes x, labels"), ({"x": x[1:], "labels": y}, r"takes \[4, 64\]")):
        with pytest.raises(DataError, match=said):
            compile_model(digits.model(), losses.cross_entropy(), optimizers.sgd(0.1), batch=4, check=wrong)
    onnx.save(digits.model(), path)
    np.savez(data, x=x, y=y.astype(str))
    command = ["compile", str(path), "--loss", "cross_entropy", "--batch", "4", "--data", str(data)]
    names = ["--classes", ",".join(map(str, range(10)))]
    assert cli.main([*command, *names]) == 0
    assert "checked: agrees with onnxruntime on given samples: outputs" in capsys.readouterr().out


@pytest.mark.parametrize("limit", [["--ram", "64K"], ["--ram", "24K", "--recompute", "+30%"], ["--flash", "16K"]])
def test_what_a_budget_found_is_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, limit: list[str]
) -> None:
    path, image = tmp_path / "model.onnx", tmp_path / "model.mote"
    onnx.save(digits.model(), path)
    command = ["compile", str(path), "--loss", "cross_entropy", "--batch", "4", *limit]
    assert cli.main(command) == 0
    assert "checked: agrees with onnxruntime on drawn samples: outputs" in capsys.readouterr().out
    monkeypatch.setattr("gradmote.checking.comparison.VALUES", 0.0)
    image.unlink()
    assert cli.main([*command, "--check"]) == 1
    assert "disagrees with onnxruntime" in capsys.readouterr().err and not image.exists()
