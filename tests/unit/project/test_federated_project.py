"""Federated projects of the user's own model and samples, and what is refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import cli
from gradmote.data.dataset import Dataset
from gradmote.federated.gateway.config import read_config
from gradmote.project.example import AXES, CLASSES, SAMPLES, classifier, example_image
from gradmote.project.federated import example_federation, words_of
from render.spec import tomllib


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """Return a folder with a model and samples of three people."""
    folder, drawn = tmp_path_factory.mktemp("files"), np.random.default_rng(0)
    (folder / "model.mote").write_bytes(example_image())
    onnx.save(classifier(), folder / "model.onnx")
    x = drawn.normal(size=(30, AXES * SAMPLES)).astype(np.float32)
    y, person = drawn.integers(0, CLASSES, 30), np.arange(30) % 3
    np.savez(folder / "data.npz", x=x, y=y, person=person, x_test=x[:6], y_test=y[:6])
    return folder


def new(folder: Path, files: Path, *options: str) -> int:
    both = ["--model", str(files / "model.mote"), "--data", str(files / "data.npz")]
    return cli.main(["new", str(folder), "--federated", *both, *options])


def test_each_device_has_the_samples_of_its_value(files: Path, tmp_path: Path) -> None:
    assert new(tmp_path / "my watch", files, "--by", "person", "--onnx", str(files / "model.onnx")) == 0
    made, given_data = tmp_path / "my watch", np.load(files / "data.npz")
    assert sorted(path.name for path in (made / "data").iterdir()) == ["0.npz", "1.npz", "2.npz"]
    for person in range(3):
        own = Dataset.read(made / "data" / f"{person}.npz")
        np.testing.assert_array_equal(own.x, given_data["x"][person::3])
        np.testing.assert_array_equal(own.y, given_data["y"][person::3])
    test = Dataset.read(made / "test.npz")
    np.testing.assert_array_equal(test.x, given_data["x_test"])
    assert (made / "model.onnx").read_bytes() == (files / "model.onnx").read_bytes()
    assert {device.name for device in read_config(made / "gateway.toml").devices} == {"0", "1", "2"}
    app = tomllib.loads((made / "pyproject.toml").read_text())["tool"]["flwr"]["app"]
    assert app["config"]["folder"] == str(made) and app["components"]["serverapp"] == "my_watch.server_app:app"
    assert (made / "my_watch" / "server_app.py").exists()


def test_samples_are_divided_among_so_many_devices(files: Path, tmp_path: Path) -> None:
    assert new(tmp_path / "app", files, "--devices", "5") == 0
    rows = np.concatenate([Dataset.read(path).x for path in (tmp_path / "app" / "data").iterdir()])
    assert sorted(map(tuple, rows)) == sorted(map(tuple, np.load(files / "data.npz")["x"]))


def test_bytes_keep_what_they_stand_for(files: Path, tmp_path: Path) -> None:
    x = np.arange(4 * AXES * SAMPLES, dtype=np.uint8).reshape(4, -1)
    np.savez(tmp_path / "bytes.npz", x=x, y=np.arange(4) % CLASSES, scale=np.float32(0.1), zero=3)
    options = ["--model", str(files / "model.mote"), "--data", str(tmp_path / "bytes.npz"), "--devices", "2"]
    assert cli.main(["new", str(tmp_path / "app"), "--federated", *options]) == 0
    for path in (tmp_path / "app" / "data").iterdir():
        own = Dataset.read(path)
        assert (own.x.dtype, own.scale, own.zero) == (np.uint8, np.float32(0.1), 3) and own.says_scale


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--board", "mps2-an386", "--federated"], "either for a board or federated"),
        ([], "either for a board or federated"),
        (["--federated", "--model", "MODEL"], "a model without data"),
        (["--federated", "--onnx", "ONNX"], "a model without data"),
        (["--board", "mps2-an386", "--data", "DATA"], "are for --federated"),
        (["--federated", "--model", "MODEL", "--data", "DATA", "--by", "nobody"], "has no 'nobody'"),
        (["--federated", "--model", "MODEL", "--data", "DATA", "--devices", "31"], "device 31: x has 0 samples"),
        (["--federated", "--model", "MODEL", "--data", "FEW"], "a sample of x has 5 values"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_refused_before_anything_is_written(options, words, files: Path, tmp_path: Path, capsys) -> None:
    np.savez(tmp_path / "few.npz", x=np.zeros((9, 5), np.float32), y=np.zeros(9, np.int32))
    places = {"MODEL": files / "model.mote", "ONNX": files / "model.onnx", "DATA": files / "data.npz",
              "FEW": tmp_path / "few.npz"}  # fmt: skip
    assert cli.main(["new", str(tmp_path / "app"), *(str(places.get(word, word)) for word in options)]) != 0
    assert words in capsys.readouterr().err and not (tmp_path / "app").exists()


def test_a_value_that_no_gateway_takes_as_a_name_is_refused(files: Path, tmp_path: Path, capsys) -> None:
    data = dict(np.load(files / "data.npz"))
    data["person"] = data["person"] + 0.5
    np.savez(tmp_path / "data.npz", **data)
    options = ["--model", str(files / "model.mote"), "--data", str(tmp_path / "data.npz"), "--by", "person"]
    assert cli.main(["new", str(tmp_path / "app"), "--federated", *options]) != 0
    assert "'0.5' is not a valid device name" in capsys.readouterr().err and not (tmp_path / "app").exists()


FEDERATION = example_federation()


@given(st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1, max_size=40))
def test_any_folder_has_a_package_that_python_imports(name: str) -> None:
    words = words_of(Path("/somewhere") / name, FEDERATION)
    assert words["package"].isidentifier() and words["package"].isascii()
    assert tomllib.loads(f"folder = {words['folder']}")["folder"] == str(Path("/somewhere") / name)
