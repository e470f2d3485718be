"""Boards from JavaScript, gradmote/serial: in node over TCP, and in Chromium, whose serial port leads to a board."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.signature.keys import key_of
from device.test_signed import KEY_ID, firmware, own, with_other_signature
from fuzz.test_hostile_files import with_word

from bindings.conversation import camel
from bindings.test_node import type_check
from gradmote import Session, optimizers
from gradmote.compiler import Options, compile_image
from gradmote.compiler.sample_store import StoreOptions
from gradmote.device import BoardTarget, Target, TwinTarget
from gradmote.device.client import Client
from gradmote.device.dataset import Dataset
from gradmote.device.emulator import Emulator
from gradmote.device.evaluation import evaluate, predict
from gradmote.device.fitting import train_once
from gradmote.device.samples import write_batch
from gradmote.formats.image import read_image
from gradmote.formats.signing import sign
from support import digits, npm_package
from support.classifier_image import classifier_image
from support.firmware import build_firmware

pytestmark = pytest.mark.device
__all__ = ["firmware"]  # a fixture

BOARD = "mps2-an385"  # its profile is strict, as a page's
BATCH, SAMPLES = 8, 40
#: Bytes that the scripts may have under brotli.
LIMITS = {"serial.min.js": 14_500, "board.min.js": 19_500}
#: What a target in Python has in addition to what Board has.
PYTHON_ONLY = {"board", "name"}


@cache
def images() -> dict[str, bytes]:
    made = digits.artifacts(optimizers.adamw(0.003))
    return {
        "image": compile_image(made, Options(batch=BATCH, store=StoreOptions(20))).image,
        "plain": compile_image(made, Options(batch=BATCH)).image,
        "other": compile_image(digits.artifacts(optimizers.sgd(0.1)), Options(batch=4)).image,
        "large": compile_image(made, Options(batch=2048)).image,
        "foreign": with_foreign_opcode(compile_image(made, Options(batch=8)).image),
    }


def samples() -> tuple[np.ndarray, np.ndarray]:
    """Pixels as bytes of 0 .. 16, and labels."""
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    return pixels[:SAMPLES].astype(np.uint8), labels[:SAMPLES].astype(np.uint8)


@pytest.fixture(scope="module")
def data() -> Path:
    """Return the folder of models and samples in the project that has the package."""
    folder = npm_package.require() / "data" / "serial"
    pixels, labels = samples()
    for name, content in {**images(), "pixels": pixels.tobytes(), "labels": labels.tobytes()}.items():
        npm_package.give(f"serial/{name}", content)
    return folder


@pytest.fixture
def port() -> Iterator[str]:
    """Return the TCP port of an emulated board's serial line."""
    build_firmware(board=BOARD)
    with Emulator(BOARD) as emulator:
        emulator.take_link().close()
        yield emulator.url.rpartition(":")[2]


# ---- What the twin says ---------------------------------------------------------------------------------------------


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def epoch(target: Target, data: Dataset) -> list[float]:
    """Train on the batches in their order, and return their losses."""
    losses = []
    for start in range(0, SAMPLES, BATCH):
        rows = slice(start, start + BATCH)
        write_batch(target, data, data.x[rows], data.y[rows])
        losses.append(train_once(target).loss)
    return losses


def twins_training() -> dict[str, Any]:
    """Return what training() of course.mjs must return."""
    pixels, labels = samples()
    data = Dataset(pixels, labels, scale=1 / 16)
    with TwinTarget("strict") as twin:
        twin.load_image(images()["image"])
        initial, losses = sha256(twin.state()), [epoch(twin, data), epoch(twin, data)]
        found = evaluate(twin, data, pixels, labels)
        scores, checkpoint = predict(twin, data, pixels), twin.save()
        epoch(twin, data)
        return {
            "rising": True,
            "losses": losses[0] + losses[1],
            "told": [[1, 5], [2, 10]],
            "means": [pytest.approx(float(np.mean(loss)), rel=1e-12) for loss in losses],
            "test": {"loss": pytest.approx(found.loss, rel=1e-12), "accuracy": found.accuracy},
            "scores": sha256(scores.tobytes()),
            "checkpoint": sha256(checkpoint),
            "initial": initial,
            "gone_on": sha256(twin.save()),
            "parameters": sha256(twin.parameters()),
            "half": len(twin.save(half=True)),
        }


def trained(image: str, epochs: int) -> str:
    """Return the digest of the checkpoint that some epochs lead to."""
    pixels, labels = samples()
    with TwinTarget("strict") as twin:
        twin.load_image(images()[image])
        for _ in range(epochs):
            epoch(twin, Dataset(pixels, labels, scale=1 / 16))
        return sha256(twin.save())


def twins_teaching() -> dict[str, Any]:
    pixels, labels = samples()
    with TwinTarget("strict") as twin:
        twin.load_image(images()["image"])
        for sample, label in zip(pixels, labels, strict=True):
            twin.learn(int(label), (sample / 16).astype(np.float32))
        losses = [twin.replay().loss for _ in range(20)]
        scores = [list(twin.score(label)) for label in range(10)]
        twin.forget(3)
        store = twin.store()
        numbers = {name: getattr(store, name) for name in ("capacity", "classes", "dtype", "elements", "kept")}
        classes = {f"class{label}": vars(twin.store_class(label)) for label in (3, 4)}
        return {"losses": losses, "scores": scores, "idle": True, "store": numbers, **classes}


def twins_updating() -> dict[str, Any]:
    with TwinTarget("strict") as twin:
        twin.load_image(images()["image"])
        update = twin.update_image(images()["other"])
        carried = sum(entry.carried for entry in update.entries)
        return {"kept": True, "carried": carried, "batch": 4, "state": sha256(twin.state())}


def twins_rounds() -> dict[str, Any]:
    pixels, labels = samples()
    with TwinTarget("strict") as twin:
        twin.load_image(images()["image"])
        sent, numbers, first = [], [twin.round()], Session(images()["image"]).parameter_names()[0]
        for bits, shared in ((4, None), (8, [first])):
            epoch(twin, Dataset(pixels, labels, scale=1 / 16))
            delta = twin.round_delta(bits, 7, shared)
            sent.append(sha256(delta))
            numbers.append(twin.end_round(delta, bits, 7))
        return {"sent": sent, "numbers": [*numbers, 5], "state": sha256(twin.state())}


# ---- In node --------------------------------------------------------------------------------------------------------


def put_through(port: str, data: Path, *parts: object) -> dict[str, Any]:
    """Put the board through parts of the course in node."""
    return json.loads(npm_package.node("serial/run.mjs", port, data, *parts))


def test_a_board_does_from_node_what_the_twin_does(data: Path, port: str) -> None:
    found = put_through(port, data, "patient", "training", "teaching", "updating")
    assert found["training"] == twins_training()
    assert found["teaching"] == twins_teaching()
    assert found["updating"] == twins_updating()
    assert found["retries"] == 0
    found = put_through(port, data, "rounds")["rounds"]
    assert found.pop("refused")[:2] == ["RuntimeFault", "BAD_MAGIC"]
    assert found == twins_rounds()
    assert put_through(port, data, "restarting")["restarting"] == {"status": 0, "back": True}


def test_a_noisy_line_changes_no_bit(data: Path, port: str) -> None:
    found = put_through(port, data, "noise", 1, "epoch")
    assert found["epoch"] == trained("image", epochs=1)
    assert found["damage"]["flipped"] > 5 and found["damage"]["lost"] > 5 and found["retries"] > 5, found


def with_foreign_opcode(image: bytes) -> bytes:
    """Return the image with a first instruction that is unknown to all firmware."""
    word = read_image(image).header["sections"][2]["offset"] // 4
    (head,) = struct.unpack_from("<I", image, 4 * word)
    return with_word(image, word, head & 0xFFFF0000 | 250)


REFUSALS = {
    "damaged": ("DeviceError", "BAD_IMAGE", "(BAD_CRC)"),
    "truncated": ("DeviceError", "BAD_IMAGE", "(TRUNCATED)"),
    "text": ("DeviceError", "BAD_IMAGE", "(BAD_MAGIC)"),
    "large": ("DeviceError", "TOO_LARGE", "it keeps the model that it has"),
    "foreign": ("DeviceError", "NO_KERNELS", "lacks kernels that the model needs, of the opcodes 250"),
    "foreign_update": ("DeviceError", "NO_KERNELS", "it keeps the model that it has"),
    "damaged_update": ("DeviceError", "BAD_IMAGE", "(BAD_CRC)"),
    "missing": ("GradmoteError", "", "nothing.mote cannot be read"),
    "width": ("DataError", "", "input 0 has 2559 numbers"),
    "labels": ("DataError", "", "y[5] is 11: labels must be in 0 .. 9"),
    "few": ("DataError", "", "1 samples do not fill a batch of 8"),
    "fraction": ("DataError", "", "y[0] is 0.5, and 'labels' takes whole numbers"),
    "infinite": ("GradmoteError", "", "all steps of epoch 1 were skipped"),
    "unlabelled": ("DataError", "", "the model takes the label 'labels', which is missing"),
    "micro_batches": ("DeviceError", "NO_TRAINING", "keeps no gradients"),
    "kind": ("DataError", "", "x is Array"),
    "checkpoint": ("RuntimeFault", "BAD_MAGIC", "CHECKPOINT"),
    "store": ("RuntimeFault", "NO_STORE", "STORE"),
    "input": ("DataError", "", "the model has no input 1"),
    "size": ("DataError", "", "input 'x' has 512 elements; 1 were given"),
    "aborted": ("Error", "", "enough"),
    "no_gradient": ("RuntimeFault", "NOT_FOUND", "READ"),
}


def test_what_is_refused_leaves_the_board_as_it_was(data: Path, port: str, tmp_path: Path) -> None:
    for path in data.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "image").write_bytes(images()["plain"])
    found = put_through(port, tmp_path, "refusals", "epoch")
    for name, (kind, error, text) in REFUSALS.items():
        reported = found["refusals"]["told"][name]
        assert reported[0] == kind and (not error or reported[1] == error) and text in reported[2], (name, reported)
    assert set(found["refusals"]["told"]) == set(REFUSALS) and found["refusals"]["kept"]
    assert found["epoch"] == trained("plain", epochs=1)


def test_no_answer_hangs_or_crashes_the_client(data: Path) -> None:
    npm_package.node("serial/hostile.test.mjs", options=("--test",))


def test_a_board_with_a_key_takes_what_it_signed(firmware: Path, data: Path, tmp_path: Path) -> None:
    image = classifier_image()
    made = {"signed": own(image), "unsigned": image, "other_key": sign(image, key_of("other"))}
    for name, content in {**made, "other_signature": with_other_signature(image)}.items():
        (tmp_path / name).write_bytes(content)
    with Emulator(elf=firmware) as emulator:
        emulator.take_link().close()
        found = put_through(emulator.url.rpartition(":")[2], tmp_path, "signing")["signing"]
    errors = {name: reported[1] for name, reported in found.pop("told").items()}
    wrong = "BAD_SIGNATURE"
    assert errors == {"unsigned": "UNSIGNED", "other_key": "OTHER_KEY", "other_signature": wrong, "update": wrong}
    wanted = {"status": 0, "keyId": KEY_ID.hex(), "profile": "strict", "stayed": True, "kept": True, "carried": True}
    assert found == wanted


# ---- Names, types, forms, sizes -------------------------------------------------------------------------------------


def test_board_has_the_names_of_pythons_target(data: Path) -> None:
    found = json.loads(npm_package.node("serial/import.mjs"))
    names = {name for name in (*dir(BoardTarget), "save_every") if not name.startswith("_")} - PYTHON_ONLY
    names |= {"refresh", "reboot", "type", "retries", "set_idle_training", "load_kept_checkpoint"} & set(dir(Client))
    assert {camel(name) for name in names} - set(found["names"]) == set()
    assert found["shared"] and not found["hasSerial"]


def test_both_kinds_of_module(data: Path) -> None:
    assert json.loads(npm_package.node("serial/require.cjs")) == {"shared": True, "error": "NO_SERIAL"}


def test_types(data: Path, tmp_path: Path) -> None:
    for name in ("page.mts", "page.cts"):
        (tmp_path / name).write_text((npm_package.SCRIPTS / "serial" / "types.ts").read_text())
        type_check(npm_package.project(), tmp_path / name)


def test_scripts_stay_small(data: Path) -> None:
    sizes = json.loads(npm_package.node("sizes.mjs", *LIMITS))
    assert {name: size for name, size in sizes.items() if size > LIMITS[name]} == {}, sizes


# ---- In Chromium ----------------------------------------------------------------------------------------------------


@pytest.fixture
def chromium() -> str:
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("there is no chromium")
    return found


PAGE_ERRORS = {
    "dismissed": ("NO_PORT", "no port was chosen"),
    "denied": ("DENIED", "this page may not use serial ports (Access is denied.)"),
    "taken": ("TAKEN", "the port cannot be opened (Failed to open serial port.)"),
    "twice": ("TAKEN", "another part of this page uses the port (Failed to open serial port.)"),
    "unsupported": ("NO_SERIAL", "this browser has no WebSerial"),
}


def test_a_page_trains_a_board_to_the_twins_bits(data: Path, port: str, chromium: str) -> None:
    found = json.loads(npm_package.node("serial/board_page.mjs", chromium, npm_package.TOOLS, port))
    wanted = twins_training()
    assert found["training"] == {**wanted, "page": wanted["checkpoint"], "brought_back": True}
    lost = ["DeviceError", "LOST", "lost the connection to the serial port (The device has been lost.)"]
    assert found["unplugging"] == {"failure": lost, "later": lost, "closed": "LOST", "steps": 3, "after": 3 + 5}
    assert found["problems"] == [] and found["baudRate"] == 115200
    assert found["script"] == {"digest": BOARD, "hasSerial": True, "kind": True, "problems": []}
    for what, (error, text) in PAGE_ERRORS.items():
        reported = found["refused"][what]
        assert reported["error"][:2] == [error, text] and reported["error"][2] and reported["problems"] == [], (
            what,
            reported,
        )
        assert what == "unsupported" or reported["board"] == BOARD


def test_the_element_does_what_a_person_asks(data: Path, port: str, chromium: str) -> None:
    pictures = os.environ.get("GRADMOTE_PICTURES", "")
    found = json.loads(npm_package.node("serial/element.mjs", chromium, npm_package.TOOLS, port, pictures))
    used = found["used"]
    assert used["digest"] == trained("image", epochs=8) and used["size"]
    assert "% right" in used["tested"] and "the file is shorter" in used["refused"]
    assert used["closed"] and used["connected"] and used["focused"] == "gradmote-board"
    assert "Lost the connection" in used["lost"] and "connect again." in used["lost"]
    states = [state for state, _ in used["states"]]
    assert states[:7] == ["initializing", "connected", "preparing", "writing", "finished", "training", "finished"]
    assert states[-3:] == ["initializing", "connected", "idle"] and ["error", "LOST"] in used["states"]
    dismissed, denied = found["refusals"]["dismissed"], found["refusals"]["denied"]
    assert dismissed["text"].startswith("No port was chosen.") and dismissed["flashing"] == FLASHING
    assert denied["text"].startswith("This page may not use serial ports") and denied["flashing"] == []
    assert [state for state, _ in denied["states"]] == ["initializing", "error", "initializing", "connected"]
    unsupported = {"text": "Please open this page in Chrome or Edge.", "marked": True, "buttons": 0, "problems": []}
    assert found["unsupported"] == unsupported
    assert found["broken"] == []
    assert found["insecure"] == {"text": INSECURE, "problems": []}
    assert used["problems"] == dismissed["problems"] == denied["problems"] == []


INSECURE = "Boards connect only to pages that are opened over https, or at localhost."
FLASHING = ["Raspberry Pi Pico", "How to flash a board"]


def test_a_bundled_page_has_the_element(data: Path, chromium: str) -> None:
    npm_package.node("bundle.mjs", "webpack", npm_package.TOOLS, "serial/bundled.mjs", "webpack-board")
    address = "scripts/webpack-board/index.html"
    found = json.loads(npm_package.node("browse.mjs", chromium, npm_package.TOOLS, address))[address]
    assert found == {"digest": "none", "isElement": True, "offers": "activate", "errors": True, "problems": []}
