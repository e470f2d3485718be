"""`gradmote evaluate` against numpy on the model's own outputs: classes, one score, numbers, and two models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics

from gradmote import cli, compile_model, losses, optimizers
from gradmote.data import Dataset
from gradmote.device import evaluate, fit, open_target, predict
from gradmote.errors import DataError
from gradmote.losses import named_loss
from gradmote.report.evaluation import evaluation
from support import digits
from support.oracle import make_model, node, values

RULE = optimizers.adam(0.01)


def small(*last: str, outputs: int = 1) -> Any:
    """Return a model of four numbers; `last` are the operators after its dense layer."""
    nodes, result = [node("Gemm", "x w b", "h0")], "h0"
    for k, op in enumerate(last, 1):
        nodes.append(node(op, result, f"h{k}"))
        result = f"h{k}"
    nodes.append(node("Identity", result, "y"))
    return make_model(nodes, {"w": values(1, 4, outputs), "b": values(2, outputs)}, {"x": ("N", 4)})


def samples(count: int) -> NDArray[np.float32]:
    return np.random.default_rng(5).normal(size=(count, 4)).astype(np.float32)


def logits(x: NDArray[np.float32], outputs: int = 1) -> NDArray[np.float64]:
    return x.astype(np.float64) @ values(1, 4, outputs) + values(2, outputs)


def learned(image: bytes, data: Dataset) -> bytes:
    with open_target("twin") as target:
        target.load_image(image)
        fit(target, data.without_test(), 1)
        return target.save()


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert cli.main(["evaluate", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


# ---- Classes --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_digits(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Dataset]:
    folder = tmp_path_factory.mktemp("digits")
    pixels, labels = digits.samples()
    data = Dataset(pixels[:500], labels[:500], pixels[500:700], labels[500:700])
    image = compile_model(digits.model(), losses.cross_entropy(), RULE, batch=16).image
    (folder / "model.mote").write_bytes(image)
    (folder / "learned.gmck").write_bytes(learned(image, data))
    np.savez(folder / "data.npz", x=data.x, y=data.y, x_test=data.x_test, y_test=data.y_test)
    return folder, data


def test_classes(of_digits: tuple[Path, Dataset], capsys: pytest.CaptureFixture[str]) -> None:
    folder, data = of_digits
    options = (folder / "model.mote", "--data", folder / "data.npz", "--checkpoint", folder / "learned.gmck")
    found = run(capsys, *options, "--against", "initial", "--worst", 3)
    with open_target("twin") as target:
        target.load_image((folder / "model.mote").read_bytes())
        target.load((folder / "learned.gmck").read_bytes())
        scores = predict(target, data, data.x_test).astype(np.float64)
        assert evaluate(target, data).accuracy == found["confusion"]["accuracy"]
    answers = scores.argmax(axis=1)
    assert found["confusion"]["counts"] == metrics.confusion_matrix(data.y_test, answers).tolist()
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    errors = 1 - shares[np.arange(200), data.y_test]
    worst = np.argsort(-errors)[:3]
    assert [each["sample"] for each in found["worst"]] == worst.tolist()
    assert [each["answer"] for each in found["worst"]] == answers[worst].tolist()
    np.testing.assert_allclose([each["error"] for each in found["worst"]], errors[worst])
    assert found["samples"] == 200 and found["against"]["confusion"]["accuracy"] < found["confusion"]["accuracy"]


def test_the_other_model_is_evaluated_on_the_twin(
    of_digits: tuple[Path, Dataset], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A board that holds the model is not reset for it, and `initial` is not what the board has learned."""
    folder, data = of_digits
    held = open_target("twin")
    held.load_image((folder / "model.mote").read_bytes())
    held.load((folder / "learned.gmck").read_bytes())
    state = held.state()
    monkeypatch.setattr(held, "close", lambda: None)
    monkeypatch.setattr(
        "gradmote.device.target_factory.open_target", lambda on, **_: held if on == "PORT" else open_target(on)
    )
    options = (folder / "model.mote", "--data", folder / "data.npz", "--on", "PORT", "--against", "initial")
    found = run(capsys, *options)
    assert found["confusion"]["accuracy"] == evaluate(held, data).accuracy and held.state() == state
    assert found["against"]["confusion"]["accuracy"] < found["confusion"]["accuracy"]


def test_what_is_shown_says_which_samples_and_draws(
    of_digits: tuple[Path, Dataset], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = of_digits
    picture = tmp_path / "confusion.png"
    arguments = ["evaluate", str(folder / "model.mote"), "--data", str(folder / "data.npz"), "--png", str(picture)]
    assert cli.main(arguments) == 0
    shown = capsys.readouterr()
    assert "evaluates the 200 samples to test on" in shown.err
    assert all(title in shown.out for title in ("accuracy", "Classes", "Confusion", "Calibration", "Least sure"))
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_another_file_is_refused(of_digits: tuple[Path, Dataset], capsys: pytest.CaptureFixture[str]) -> None:
    folder, _ = of_digits
    arguments = ["evaluate", str(folder / "model.mote"), "--data", str(folder / "data.npz"), "--against", "old.onnx"]
    assert cli.main(arguments) == 1
    assert "not a .mote or .gmck file" in capsys.readouterr().err


def test_a_notebook_gets_tables(of_digits: tuple[Path, Dataset]) -> None:
    folder, data = of_digits
    with open_target("twin") as target:
        target.load_image((folder / "model.mote").read_bytes())
        report = evaluation(target, data)
    page = report._repr_html_()
    assert page.count("<table>") == 5 and "Confusion" in page and f"{report.loss:.4f}" in str(report)


def test_labels_that_are_no_class_do_not_count() -> None:
    image = compile_model(small(outputs=3), losses.cross_entropy(ignore_index=-1), RULE, batch=4).image
    x = samples(10)
    y = np.array([0, 1, 2, -1, 0, 1, 2, -1, 0, 1], np.int32)
    with open_target("twin") as target:
        target.load_image(image)
        report = evaluation(target, Dataset(x, y), x, y)
    assert report.confusion is not None and report.confusion.samples.sum() == 8 and report.ignored == 2


def test_the_guide(of_digits: tuple[Path, Dataset], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands and the program of docs/guides/train-and-evaluate.md run as they are printed."""
    page = (Path(__file__).parents[3] / "docs" / "guides" / "train-and-evaluate.md").read_text()
    commands, program = page.split("```")[1].replace("\\\n", ""), page.split("```python")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    for name, file in (("model.mote", "model.mote"), ("digits.npz", "data.npz")):
        Path(name).write_bytes((of_digits[0] / file).read_bytes())
    evaluates = page.split("## Evaluate")[1].split("```")[1].splitlines()
    for line in (commands.strip(), *(line for line in evaluates if line and "/dev/" not in line)):
        assert cli.main(line.split("#")[0].split()[1:]) == 0, line
    assert Path("learned.best.gmck").is_file() and Path("run.csv").read_text().startswith("epoch,")
    exec(compile(program, "train-and-evaluate.md", "exec"), {})
    assert Path("confusion.png").is_file()


# ---- One score ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [(), ("Sigmoid",)])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_one_score_after_a_sigmoid_or_not(last: tuple[str, ...], dtype: Any) -> None:
    """The answer is class 1 above 0, or above 1/2 after a Sigmoid; labels may be of either type."""
    x = samples(51)
    y = (logits(x) + np.random.default_rng(6).normal(size=(51, 1)) > 0).astype(dtype)
    image = compile_model(small(*last), named_loss("bce_with_logits"), RULE, batch=8).image
    data = Dataset(x, y, x, y)
    with open_target("twin") as target:
        target.load_image(image)
        report, plain = evaluation(target, data), evaluate(target, data)
    expected = ((logits(x) > 0) == y).mean()
    assert report.confusion is not None and report.roc is not None
    assert report.confusion.accuracy == plain.accuracy == pytest.approx(expected)
    assert report.threshold == (0.5 if last else 0.0)
    assert report.roc.area == pytest.approx(metrics.roc_auc_score(y[:, 0], logits(x)[:, 0]))
    np.testing.assert_allclose(report.loss, metrics.log_loss(y[:48, 0], 1 / (1 + np.exp(-logits(x[:48])))), rtol=1e-5)


def test_a_sigmoid_at_the_end_trains_once() -> None:
    """The command line takes the scores before it, with the state of the same model without it."""
    x, y = samples(16), (samples(16)[:, :1] > 0).astype(np.float32)
    data = Dataset(x, y)
    states = []
    for last in ((), ("Sigmoid",)):
        image = compile_model(small(*last), named_loss("bce_with_logits"), RULE, batch=8).image
        with open_target("twin") as target:
            target.load_image(image)
            fit(target, data, 2)
            states.append(target.parameters())
    assert states[0] == states[1]


def test_a_second_sigmoid_is_said(caplog: pytest.LogCaptureFixture) -> None:
    compile_model(small("Sigmoid"), losses.bce_with_logits(), RULE, batch=8)
    assert "applies a second one: through_sigmoid=True" in caplog.text


# ---- Numbers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_numbers(dtype: Any) -> None:
    """Whole numbers are targets too, if the loss hits them."""
    x = samples(30)
    y = (3 * logits(x, 2)).astype(dtype)
    image = compile_model(small(outputs=2), losses.mse(), RULE, batch=8).image
    data = Dataset(x, y, x, y)
    with open_target("twin") as target:
        target.load_image(image)
        report, plain = evaluation(target, data, worst=2), evaluate(target, data)
    assert report.errors is not None and report.confusion is None and np.isnan(plain.accuracy)
    errors = logits(x, 2) - y
    np.testing.assert_allclose(report.errors.root_mean_square, np.sqrt((errors**2).mean(axis=0)), rtol=1e-5)
    worst = np.argsort(-np.sqrt((errors**2).mean(axis=1)))[:2]
    assert [each.sample for each in report.worst] == worst.tolist()


# ---- Anomalies ------------------------------------------------------------------------------------------------------


@pytest.fixture
def detector(tmp_path: Path) -> tuple[Path, NDArray[np.float32], NDArray[np.int64]]:
    """An autoencoder in a folder with normal samples, and with marked ones."""
    nodes = [node("Gemm", "x a", "h"), node("Gemm", "h b", "y")]
    model = make_model(nodes, {"a": values(1, 4, 2), "b": values(2, 2, 4)}, {"x": ("N", 4)})
    (tmp_path / "model.mote").write_bytes(compile_model(model, losses.mse(), RULE, batch=4).image)
    x, marks = samples(30), np.random.default_rng(6).integers(0, 2, 30)
    np.save(tmp_path / "normal.npy", samples(12))
    np.savez(tmp_path / "marked.npz", x=x, y=marks)
    rows = [f"{','.join(f'{v:.9g}' for v in row)},{('yes' if mark else 'no')}" for row, mark in zip(x, marks)]
    (tmp_path / "named.csv").write_text("\n".join(["a,b,c,d,odd", *rows]))
    return tmp_path, x, marks


def test_the_error_of_an_autoencoder_finds_anomalies(
    detector: tuple[Path, NDArray[np.float32], NDArray[np.int64]], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, x, marks = detector
    image, picture = folder / "model.mote", folder / "roc.png"
    answers = x.astype(np.float64) @ values(1, 4, 2) @ values(2, 2, 4)
    errors = ((answers - x) ** 2).mean(axis=1)
    found = run(capsys, image, "--data", folder / "marked.npz", "--png", picture)
    assert found["roc"]["area"] == pytest.approx(metrics.roc_auc_score(marks, errors))
    threshold = found["roc"]["best_threshold"]
    difference = (errors[marks == 1] > threshold).mean() - (errors[marks == 0] > threshold).mean()
    wrong, right, _ = metrics.roc_curve(marks, errors, drop_intermediate=False)
    assert difference == pytest.approx((right - wrong).max())
    np.testing.assert_allclose(found["errors"]["mean_absolute"], abs(answers - x).mean(axis=0), rtol=1e-5)
    assert found["threshold"] is None and found["confusion"] is None
    assert picture.read_bytes().startswith(b"\x89PNG")
    named = run(capsys, image, "--data", folder / "normal.npy", "--test", folder / "marked.npz")
    assert named["roc"] == found["roc"] and named["samples"] == 30


def test_marks_may_be_names(
    detector: tuple[Path, NDArray[np.float32], NDArray[np.int64]], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, x, marks = detector
    arguments = ["evaluate", str(folder / "model.mote"), "--data", str(folder / "normal.npy")]
    assert cli.main([*arguments, "--test", str(folder / "named.csv")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Thresholds of the mean squared error: above one the answer is yes" in shown and "the image's" not in shown
    with open_target("twin") as target:
        target.load_image((folder / "model.mote").read_bytes())
        report = evaluation(target, Dataset(x, x, x, marks))
        assert report.roc is not None and f"{report.roc.area:.4f}" in shown
        assert evaluation(target, Dataset(x, x), x, marks).roc.area == report.roc.area  # type: ignore[union-attr]


def test_training_takes_no_marks(
    detector: tuple[Path, NDArray[np.float32], NDArray[np.int64]], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, *_ = detector
    image, marked = str(folder / "model.mote"), str(folder / "marked.npz")
    for arguments in (["--data", marked], ["--data", str(folder / "normal.npy"), "--test", marked]):
        assert cli.main(["train", image, *arguments]) == 1
        assert "an autoencoder trains without labels" in capsys.readouterr().err


def test_an_output_that_does_not_answer_the_labels_is_refused() -> None:
    x, y = samples(8), np.zeros((8, 3), np.float32)
    image = compile_model(small(outputs=2), None, None, batch=8).image
    with open_target("twin") as target:
        target.load_image(image)
        with pytest.raises(DataError, match="2 numbers a sample, and y has 3"):
            evaluation(target, Dataset(x, y), x, y)
