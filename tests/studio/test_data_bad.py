"""Bad data gives the messages of the host tools, and drawn damage a refusal or the same bits."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from unit.data.test_any_bytes import SEEDS
from unit.data.test_bad_data import CLASSES, FEATURES, FILES, FOLDERS

from gradmote.data.dataset import Dataset
from gradmote.errors import DataError
from studio.data_cases import Case, files_in, read_in_node, read_in_python
from support.sample_files import write
from support.sampling import draws

#: What the model of those tests takes.
MODEL: dict[str, object] = {
    "name": "model",
    "batch": 4,
    "inputs": [{"name": "x", "dtype": "float32", "shape": [FEATURES]}],
    "labels": [{"name": "labels", "dtype": "int32", "shape": []}],
    "classes": CLASSES,
}
#: What the page says in other words than the host tools.
OTHER_WORDS = {
    "pickled.npy": "is Python objects",
    "pickled.npz": "x is Python objects",
    "words.npz": "x is text",
    "names.npz": "names.npz has no array x; it has data, labels",
    "no-labels.npz": "the model takes labels 'labels', and the data has none",
    "test-features.npz": "a sample of x_test has another shape than one of x",
    "picture.png": "picture.png is one sample alone",
}
#: The files that are drawn of each form: more of them each night.
DRAWS = draws("studio_draws")


def problem_of(found: dict[str, Any], name: str) -> str:
    """Return what was wrong and what to do, of the file or of how it fits the model."""
    problem = found.get("error") or found["misfit"]
    assert problem and problem["text"] and problem["hint"], (name, found)
    assert "error" not in found or found["error"]["name"] == "DataError", (name, found)
    assert not re.search(r"[\n\x00-\x1f]", problem["text"]), (name, problem)
    return f"{problem['text']} - {problem['hint']}"


def test_bad_files(tmp_path: Path) -> None:
    write(tmp_path, {name: content for name, (content, _) in FILES.items()})
    cases = [Case(name, {name: tmp_path / name}, model=MODEL) for name in FILES]
    found = read_in_node(tmp_path, cases)
    for name, (_, wanted) in FILES.items():
        assert re.search(OTHER_WORDS.get(name, wanted), problem_of(found[name], name)), (name, wanted, found[name])


def test_bad_folders(tmp_path: Path) -> None:
    """Folders of recordings, and of files in no class's folder, are refused; a page tests pictures."""
    chosen = {n: FOLDERS[n] for n in ("no-classes", "loose", "nested", "mixed", "not-riff", "cut-wav", "cut-header",
                                      "no-sound", "rates", "float-wav", "empty-wav")}  # fmt: skip
    for name, (files, _) in chosen.items():
        write(tmp_path / name, files)
    words = {"not-riff": "cannot read .*b/1.wav", "empty-wav": "cannot read .*b/1.wav"}
    found = read_in_node(tmp_path, [Case(n, files_in(tmp_path / n), model=MODEL) for n in chosen])
    for name, (_, wanted) in chosen.items():
        assert re.search(words.get(name, wanted), problem_of(found[name], name)), (name, found[name])


# ---- Drawn damage ----------------------------------------------------------------------------------------------------


def damaged(content: bytes, draw: random.Random) -> bytes:
    """A file with other bytes here and there, or cut, or with a piece of it twice."""
    found = bytearray(content)
    for _ in range(draw.randrange(4)):
        at = draw.randrange(len(found))
        found[at : at + 1] = bytes([draw.choice([0, 255, found[at] ^ (1 << draw.randrange(8)), draw.randrange(256)])])
    if draw.random() < 0.3:
        del found[draw.randrange(len(found) + 1) :]
    if draw.random() < 0.2 and found:
        start = draw.randrange(len(found))
        found[start:start] = found[start : start + draw.randrange(40)]
    return bytes(found)


def drawn(form: str) -> Iterator[bytes]:
    """Damaged files of one form, and some of any bytes."""
    draw = random.Random(form)
    for number in range(DRAWS):
        yield damaged(draw.choice(SEEDS[form]), draw) if number % 10 else draw.randbytes(draw.randrange(200))


@pytest.mark.parametrize("form", ["d.csv", "d.npy", "d.npz", "a/0.wav"])
def test_drawn_damage(tmp_path: Path, form: str) -> None:
    """A damaged file is refused in one line with a hint, or read to the bits that the host tools read."""
    ending, cases, paths = Path(form).suffix, [], {}
    for number, content in enumerate(drawn(form)):
        path = tmp_path / f"{number}{ending}" if form.startswith("d.") else tmp_path / str(number)
        whole = {"b/0.wav": SEEDS[form][1], "a/0.wav": content}
        write(tmp_path if form.startswith("d.") else path, whole if path.suffix == "" else {path.name: content})
        paths[str(number)] = path
        cases.append(Case(str(number), {path.name: path} if path.is_file() else files_in(path)))
    found = read_in_node(tmp_path, cases)
    read = 0
    for name, path in paths.items():
        if "error" in found[name]:
            problem_of(found[name], name)
        wanted = read_in_python(path)
        if "error" not in found[name]:
            read += 1
            assert "error" not in wanted, (name, path.read_bytes() if path.is_file() else path, found[name], wanted)
            assert {key: found[name].get(key) for key in wanted} == wanted, (name, path)
    assert 0 < read < len(paths)


# ---- How the data fits a model ---------------------------------------------------------------------------------------


def test_the_verdict_is_that_of_the_host_tools(tmp_path: Path) -> None:
    """The good files of other tests fit, or both give the reason why not."""
    from gradmote.data.check import problems
    from gradmote.data.expected import Expected, ExpectedTensor

    tensors = (ExpectedTensor("x", "input", 0, "float32", (FEATURES,)),
               ExpectedTensor("labels", "label", 0, "int32", (), CLASSES))  # fmt: skip
    expected = Expected("model", 4, tensors, {}, ("step",))
    write(tmp_path, {name: content for name, (content, _) in FILES.items()})
    found = read_in_node(tmp_path, [Case(name, {name: tmp_path / name}, model=MODEL) for name in FILES])
    compared = 0
    for name in FILES:
        try:
            data = Dataset.read(tmp_path / name)
        except DataError:
            continue
        if "error" in found[name] or name == "no-labels.npz":
            continue
        first = next(iter(problems(data, expected)), None)
        mine = found[name]["misfit"]
        ours = None if first is None else first.message.removeprefix(f"{tmp_path}/{name}: ").replace(f"{tmp_path}/", "")
        assert (mine and mine["text"].removeprefix(f"{name}: ")) == ours, (name, json.dumps(mine), ours)
        compared += 1
    assert compared >= 10
