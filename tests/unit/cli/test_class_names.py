"""The names of classes belong to the model: the image keeps them, and labels that are names go by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from fuzz.test_hostile_files import sealed
from hypothesis import given
from hypothesis import strategies as st

from gradmote import Session, cli, compile_model, losses, optimizers
from gradmote.data import Dataset, Reading
from gradmote.data.expected import expected_of_image
from gradmote.errors import DataError, GradmoteError, ModelError
from gradmote.formats.image import read_image
from support import digits
from support.oracle import make_model, node, values

#: The digits in English, whose alphabetical order is not that of the scores.
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LOSS, RULE = losses.cross_entropy(), optimizers.sgd(0.1)


def image(classes: tuple[str, ...] | None = NAMES, **options: Any) -> bytes:
    return compile_model(digits.model(), LOSS, RULE, batch=16, classes=classes, **options).image


def table(path: Path, without: str = "", names: tuple[str, ...] = NAMES) -> Path:
    """Write a table of the digits with the names of their classes, without one class if it is named."""
    pixels, labels = digits.samples()
    rows = [f"{','.join(map(str, x))},{names[y]}" for x, y in zip(pixels, labels, strict=True) if names[y] != without]
    path.write_text("\n".join([",".join([*(f"p{i}" for i in range(64)), "digit"]), *rows]) + "\n")
    return path


def read(path: Path, data: bytes, **settings: Any) -> Dataset:
    return Dataset.read(path, reading=Reading(expected=expected_of_image(data), **settings))


# ---- In the image ---------------------------------------------------------------------------------------------------


def test_an_image_has_the_names_and_trains_the_same() -> None:
    with_names, without = image(), image(None)
    assert read_image(with_names).classes == NAMES and read_image(without).classes == ()
    assert read_image(with_names).model_id == read_image(without).model_id
    with Session(with_names) as session, Session(without) as plain:
        assert tuple(session.class_names()) == NAMES and plain.class_names() == []
        for x, y in digits.batches(16, 3):
            assert session.step(x, y) == plain.step(x, y)
        assert bytes(session.state()) == bytes(plain.state())
        plain.load(session.save())
        label, _ = session.classify()
        assert session.class_names()[label] in NAMES
    assert read_image(image(None, strip_names=True)).classes == ()


text = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs", "Cn", "Co", "Cf")), min_size=1)


@given(st.lists(text, min_size=10, max_size=10, unique=True))
def test_any_printable_names_come_back(names: list[str]) -> None:
    data = image(tuple(names))
    with Session(data) as session:
        assert session.class_names() == list(read_image(data).classes) == names


@pytest.mark.parametrize(
    "names, options, said",
    [
        (NAMES[1:], {}, "9 class names, and 'y' has 10 scores"),
        ((*NAMES[:9], "one"), {}, "two classes are called 'one'"),
        ((*NAMES[:9], ""), {}, "'' is not a valid class name"),
        ((*NAMES[:9], "a\nb"), {}, "is not a valid class name"),
        ((*NAMES[:9], "n" * 4095), {}, "is not a valid class name"),
        (NAMES, {"strip_names": True}, "names of classes in an image without names"),
    ],
)
def test_names_that_cannot_be_are_refused(names: tuple[str, ...], options: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        image(names, **options)


def test_a_single_score_tells_two_classes_apart() -> None:
    model = make_model([node("MatMul", "x w", "y")], {"w": values(1, 4, 1)}, {"x": ("N", 4)})
    made = compile_model(model, losses.bce_with_logits(), RULE, classes=("off", "on"))
    assert read_image(made.image).classes == ("off", "on")
    with pytest.raises(ModelError, match="1 class names, and 'y' has one score, for two classes"):
        compile_model(model, losses.bce_with_logits(), RULE, classes=("on",))


def test_a_name_of_the_model_is_none_of_a_class() -> None:
    model = make_model([node("MatMul", "x \x01w", "y")], {"\x01w": values(1, 4, 3)}, {"x": ("N", 4)})
    with pytest.raises(ModelError, match=r"the name '.x01w' begins with the byte 1"):
        compile_model(model, LOSS, RULE)
    assert read_image(compile_model(model, LOSS, RULE, strip_names=True).image).classes == ()


@given(st.binary(min_size=4, max_size=40))
def test_readers_agree_on_any_bytes(given: bytes) -> None:
    """Both readers, the runtime's and the tools', stay in the section, whatever ends it."""
    data = bytearray(image())
    section = read_image(bytes(data)).header["sections"][6]
    end = section["offset"] + section["size"]
    at = data.index(b"\x01zero", section["offset"], end)
    data[at:end] = (given * (end - at))[: end - at - 1] + b"\0"
    changed = sealed(bytes(data))
    try:
        expected = read_image(changed).classes
    except GradmoteError:  # a name that is not UTF-8
        return
    with Session(changed) as session:
        assert tuple(session.class_names()) == expected


# ---- Of the model's file --------------------------------------------------------------------------------------------


LABELS: list[tuple[list[Any], tuple[str, ...]]] = [
    (["off", "low", "high"], ("high", "low", "off")), ([3, 5, 7], ("3", "5", "7")),
]  # fmt: skip


@pytest.mark.parametrize("labels, names", LABELS)
def test_names_of_scikit_learn_are_of_the_model(labels: list[Any], names: tuple[str, ...], tmp_path: Path) -> None:
    from skl2onnx import to_onnx
    from sklearn.neural_network import MLPClassifier

    x, y = np.asarray(values(1, 60, 8), np.float32), np.resize(labels, 60)
    network = MLPClassifier((7,), max_iter=2, random_state=0).fit(x, y)
    proto = to_onnx(network, x, options={"zipmap": False})
    data = compile_model(proto, losses.cross_entropy(through_softmax=True), RULE, outputs=["probabilities"]).image
    assert read_image(data).classes == names
    np.savez(tmp_path / "data.npz", x=x, y=y)
    assert read(tmp_path / "data.npz", data).y.tolist() == [names.index(str(label)) for label in y]  # type: ignore[union-attr]


# ---- Labels that are names ------------------------------------------------------------------------------------------


def test_labels_go_by_the_names_of_the_model_and_not_by_their_order(tmp_path: Path) -> None:
    """A table without one class gave all others new numbers, and training on it unlearned what was learned."""
    _, labels = digits.samples()
    for missing in ("", "eight", "nine"):
        found = read(table(tmp_path / "digits.csv", missing), image())
        assert found.y is not None and found.classes == NAMES
        assert np.array_equal(found.y, labels[labels != NAMES.index(missing)] if missing else labels)
        assert found.notes[-1].startswith("digits.csv: labels are names; the model's classes are 0 = 'zero'")


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    pixels, labels = digits.samples()
    np.savez(tmp_path / "digits.npz", x=pixels, y=labels)
    found = read(tmp_path / "digits.npz", image())
    assert found.y is not None and np.array_equal(found.y, labels) and found.classes == NAMES


def test_what_the_model_does_not_know_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "digits.csv", names=(*NAMES[:9], "ten"))
    with pytest.raises(DataError, match="'ten' is none of the classes zero, one, two, three"):
        read(path, image())
    with pytest.raises(DataError, match="the classes one, two are given, and those of the model are zero, one"):
        read(path, image(), classes=("one", "two"))


def test_fewer_names_than_the_model_tells_apart_are_said(tmp_path: Path) -> None:
    path = table(tmp_path / "digits.csv", "eight")
    assert "the model has 10 classes, and the labels have 9 names" in read(path, image(None)).notes[-1]
    assert "has 10 classes" not in "".join(read(table(path), image(None)).notes)
    assert "has 10 classes" not in "".join(read(path, image(None), classes=NAMES).notes)


# ---- The command line -----------------------------------------------------------------------------------------------


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Training on nine of ten classes does not unlearn them."""
    model, out, kept = (str(tmp_path / name) for name in ("model.onnx", "model.mote", "learned.gmck"))
    onnx.save(digits.model(), model)
    whole, part = table(tmp_path / "whole.csv"), table(tmp_path / "part.csv", "eight")
    order = ["--classes", ",".join(NAMES)]
    given = ["compile", model, "--loss", "cross_entropy", "--lr", "0.1", "--batch", "16", "-o", out]
    assert cli.main([*given, *order]) == 0
    assert "the classes are zero, one, two, three, four, five, six, seven, eight, nine" in capsys.readouterr().out
    assert cli.main(["inspect", out, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == list(NAMES)
    train = ["train", out, "--json", "--checkpoint", kept]
    assert cli.main([*train, "--data", str(whole), "--test", str(whole), "--epochs", "3"]) == 0
    learned = json.loads(capsys.readouterr().out)["epochs"][-1]["test"]["accuracy"]
    assert learned > 0.8
    assert cli.main([*train, "--data", str(part), "--test", str(part), "--resume", kept]) == 0
    assert json.loads(capsys.readouterr().out)["epochs"][-1]["test"]["accuracy"] > learned - 0.05


def test_samples_name_the_classes_of_an_image(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, out = str(tmp_path / "model.onnx"), tmp_path / "model.mote"
    onnx.save(digits.model(), model)
    given = ["compile", model, "--loss", "cross_entropy", "--batch", "16", "-o", str(out)]
    data = ["--data", str(table(tmp_path / "whole.csv"))]
    assert cli.main([*given, *data]) == 0 and read_image(out).classes == tuple(sorted(NAMES))
    assert cli.main([*given, *data, "--classes", ",".join(NAMES)]) == 0 and read_image(out).classes == NAMES
    assert cli.main([*given, *data, "--ram", "64K"]) == 0 and read_image(out).classes == tuple(sorted(NAMES))
    capsys.readouterr()
    pixels, labels = digits.samples()
    np.savez(tmp_path / "numbers.npz", x=pixels, y=labels)
    assert cli.main([*given, "--data", str(tmp_path / "numbers.npz")]) == 1
    assert "--data has labels without names, and nothing uses its numbers" in capsys.readouterr().err
