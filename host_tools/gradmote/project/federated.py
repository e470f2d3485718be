"""Creates a federated project: an app for Flower, the model, and the samples of each device."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template

import numpy as np

from ..data.array_files import npz_bytes
from ..data.check import require_fit
from ..data.dataset import Dataset
from ..data.expected import expected_of_image
from ..errors import DataError
from ..federated.partition import part_of
from ..formats.files import make_folder, new_folder, write_part
from .create import TEMPLATES, require_new
from .example import AXES, CLASSES, SAMPLES, classifier

#: The file that each template becomes; PACKAGE is replaced by the name of the app's package.
FILES = {
    "README.md": "README.md",
    "app.toml": "pyproject.toml",
    "gitignore": ".gitignore",
    "gateway.toml": "gateway.toml",
    "client_app.py": "PACKAGE/client_app.py",
    "server_app.py": "PACKAGE/server_app.py",
}
#: The device names that a gateway accepts.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
#: The example's number of people, gestures of each, and how much the people differ.
PEOPLE, GESTURES, DIFFERENCE = 10, 60, 0.6


@dataclass(frozen=True)
class Federation:
    """The contents of a project.

    Attributes:
        image: The compiled model of all devices (.mote).
        onnx: The model from which it was compiled; b"" if it is unknown.
        data: All samples, including test samples.
        parts: The rows of each device.
    """

    image: bytes
    onnx: bytes
    data: Dataset
    parts: Mapping[str, np.ndarray]


def create_federated(folder: Path, federation: Federation) -> Path:
    """Make a project in a new or empty folder, and return its path.

    Raises DataError for a non-empty folder, for invalid device names, and for devices whose samples cannot
    train the model. After an error, nothing has been written.
    """
    require_new(folder)
    check(federation)
    target = folder.resolve()
    with new_folder(target) as made:
        write_project(made, target, federation)
    return target


def example_federation() -> Federation:
    """Return the example: ten people, each with their own way of making three gestures."""
    from ..compiler.compile import compile_model
    from ..losses import cross_entropy
    from ..optimizers import sgd

    model, data = classifier(), example_data()
    image = compile_model(model, cross_entropy(), sgd(0.05)).image
    people = np.repeat(np.arange(PEOPLE), GESTURES)
    return Federation(image, model.SerializeToString(), data, {
        f"person-{person + 1}": np.flatnonzero(people == person) for person in range(PEOPLE)
    })  # fmt: skip


def example_data() -> Dataset:
    """Return the gestures of ten people, and those of two more people as the test set."""
    drawn = np.random.default_rng(1)
    typical = drawn.normal(size=(CLASSES, AXES * SAMPLES))
    x, y = zip(*(_gestures(drawn, typical) for _ in range(PEOPLE + 2)))
    split = PEOPLE * GESTURES
    x_all, y_all = np.concatenate(x).astype(np.float32), np.concatenate(y)
    return Dataset(x_all[:split], y_all[:split], x_all[split:], y_all[split:])


def _gestures(drawn: np.random.Generator, typical: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the gestures of one person, who makes each one in a personal way, and one of them rarely."""
    own = typical + DIFFERENCE * drawn.normal(size=typical.shape)
    y = drawn.choice(CLASSES, GESTURES, p=drawn.permutation([0.45, 0.45, 0.1]))
    return own[y] + drawn.normal(size=(GESTURES, typical.shape[1])), y


def check(federation: Federation) -> None:
    """Raise DataError unless each device has a valid name, and samples that can train."""
    expected = expected_of_image(federation.image, "the model")
    for name, rows in federation.parts.items():
        if not _NAME.fullmatch(name):
            raise DataError(f"'{name}' is not a valid device name", "use 1 to 64 letters, digits, - and _")
        try:
            require_fit(part_of(federation.data, rows), expected)
        except DataError as error:
            raise DataError(f"device {name}: {error.message}", error.hint) from error


def write_project(folder: Path, target: Path, federation: Federation) -> None:
    """Write all files of the project. target: the final path of `folder`."""
    write_part(folder / "model.mote", federation.image)
    if federation.onnx:
        write_part(folder / "model.onnx", federation.onnx)
    make_folder(folder / "data")
    for name, rows in federation.parts.items():
        write_part(folder / "data" / f"{name}.npz", packed(part_of(federation.data, rows)))
    if federation.data.x_test is not None:
        write_part(folder / "test.npz", packed(test_of(federation.data)))
    words = words_of(target, federation)
    write_part(make_folder(folder / words["package"]) / "__init__.py", b"")
    for template, name in FILES.items():
        text = Template((TEMPLATES / "federated" / template).read_text()).substitute(words)
        write_part(folder / name.replace("PACKAGE", words["package"]), text.encode())


def test_of(data: Dataset) -> Dataset:
    """Return the samples to test on, as a separate set."""
    assert data.x_test is not None
    return replace(data.without_test(), x=data.x_test, y=data.y_test, more=data.more_test, origins={})


def packed(data: Dataset) -> bytes:
    """Return samples as an .npz for Dataset.read()."""
    arrays: dict[str, np.ndarray] = {"x": data.x, **data.more} | ({} if data.y is None else {"y": data.y})
    if data.x.dtype == np.uint8 and data.says_scale:
        arrays |= {"scale": np.array(data.scale), "zero": np.array(data.zero)}
    return npz_bytes(arrays)


def words_of(target: Path, federation: Federation) -> dict[str, str]:
    """Return the values of the templates' placeholders."""
    words = re.sub(r"[^a-z0-9]+", "_", target.name.lower()).strip("_")
    package = words if words.isidentifier() and not keyword.iskeyword(words) else f"app_{words}".rstrip("_")
    devices = "\n\n".join(f'[devices.{name}]\nurl = "twin"\ndata = "data/{name}.npz"' for name in federation.parts)
    return {
        "name": target.name, "package": package, "project": package.replace("_", "-"), "devices": devices,
        "folder": toml_text(str(target)), "count": str(len(federation.parts)),
    }  # fmt: skip


def toml_text(text: str) -> str:
    """Return a text in quotes for TOML: with JSON's escapes, plus one for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
