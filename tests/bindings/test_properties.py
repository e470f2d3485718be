"""Properties of any length in checkpoints of JavaScript and Swift: they are Python's, byte for byte."""

from __future__ import annotations

import json
import shutil
from array import array
from pathlib import Path

import pytest

from bindings.digits import check_properties
from bindings.swift import PROGRAMS, run_swift
from gradmote import Session, optimizers
from gradmote.formats import properties_trailer
from gradmote.formats.checkpoint import pack, split_trailer
from gradmote.training import CheckpointState
from gradmote.training.twin import fill_slots
from support import digits, npm_package
from support.lasting_record import lasting_record

SLOTS = 4
#: Two have no free slot, and four can be in none.
KEPT: dict[str, int | float | str] = {
    "best": 0.1, "epoch": 3, "fifth": 5.5, "sixth": 1e-300, "tenth": -6, "a count under a long name": 2**40,
    "high": 2**63 - 1, "low": -(2**63), "far": 2**70, "whole": 3.0, "größe": 'said "5": {\\}\n\x1f', "empty": "",
    "😀": "😀",
}  # fmt: skip


@pytest.fixture(scope="module")
def session() -> Session:
    """Return a session that has trained, with those of the properties that fit in its slots."""
    trained = Session(digits.image(optimizers.adamw(0.003), batch=1), "strict")
    for label in range(5):
        trained.step(array("f", [label / 7] * 64), array("i", [label]))
    fill_slots(trained, KEPT, SLOTS)
    return trained


@pytest.fixture(scope="module", params=["JavaScript", "Swift"])
def folder(request: pytest.FixtureRequest, session: Session, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which a program has loaded Python's checkpoint, and has written its own."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "model.mote").write_bytes(digits.image(optimizers.adamw(0.003), batch=1))
    (folder / "python.gmck").write_bytes(session.save() + rest())
    (folder / "names.json").write_text(json.dumps([*KEPT, "nothing"]))
    (folder / "printed.json").write_text(loaded_and_saved(folder, "python.gmck"))
    return folder


def loaded_and_saved(folder: Path, name: str) -> str:
    """Load a checkpoint in the folder's language, write its other files, and return what is printed."""
    files = (folder / "model.mote", folder / name)
    if folder.name.startswith("JavaScript"):
        npm_package.require()
        return npm_package.node("properties.mjs", *files, folder / "names.json", folder)
    if shutil.which("swiftc") is None:
        pytest.skip("no swiftc; Debian 13 has it in swiftlang")
    done = run_swift(PROGRAMS / "Properties.swift", folder, "strict", *map(str, files), str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rest() -> bytes:
    """Return what follows the checkpoint: weights that nothing trains, and properties."""
    return pack({"frozen": digits.weights()["0.bias"]}) + properties_trailer.pack(KEPT)


def test_what_python_wrote_is_saved_again(session: Session, folder: Path) -> None:
    assert (folder / "again.gmck").read_bytes() == (folder / "python.gmck").read_bytes()
    assert dict(CheckpointState.load_checkpoint(folder / "again.gmck").properties) == KEPT


def test_lasting_records_are_skipped(session: Session, folder: Path) -> None:
    records = lasting_record(b"policy..") + lasting_record(b"", 8)
    (folder / "lasting.gmck").write_bytes(session.save() + records + rest())
    loaded_and_saved(folder, "lasting.gmck")
    assert (folder / "again.gmck").read_bytes() == (folder / "python.gmck").read_bytes()


@pytest.mark.parametrize("folder", ["JavaScript"], indirect=True)
def test_values_are_read(folder: Path) -> None:
    """The program in Swift checks them by itself."""
    found = json.loads((folder / "printed.json").read_text())
    assert found.pop("far") == [
        "error",
        f"GradmoteError: property 'far' is {2**70}, which is neither an int64 nor a float",
    ]
    assert found.pop("nothing") == ["undefined", "undefined"]
    for name, (kind, text) in found.items():
        value = KEPT[name]
        is_large = isinstance(value, int) and abs(value) > 2**53
        assert kind == ("string" if isinstance(value, str) else "bigint" if is_large else "number"), name
        assert type(value)(text) == value, name


def test_the_optimizer_begins_again(session: Session, folder: Path) -> None:
    """The file is that of a session that has the parameters and properties, and has not trained."""
    with Session((folder / "model.mote").read_bytes(), "strict") as begun:
        begun.set_parameters(session.parameters())
        fill_slots(begun, KEPT, SLOTS)
        assert (folder / "begun.gmck").read_bytes() == begun.save() + rest()


def test_what_a_program_adds(folder: Path) -> None:
    """It keeps what is in the slots of the session, too: in JavaScript, of one in a worker."""
    check_properties(folder)
    checkpoint, _ = split_trailer((folder / "kept.gmck").read_bytes())
    with Session((folder / "model.mote").read_bytes(), "strict") as session:
        session.load(checkpoint)
        assert session.properties() == {"device": 7, "epoch": 3, "best": 0.5}
