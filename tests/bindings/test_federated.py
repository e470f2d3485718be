"""Rounds of federated learning in node and in a worker: the twin's deltas and bases, to the bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bindings.conversation import Call, twin_answers, write_calls
from bindings.test_node import OF_ROUNDS, project, type_check  # noqa: F401 - a fixture
from bindings.test_node import images as images_of_node
from gradmote import Session
from support import npm_package
from wasm_module import FORMS, exports, file_name, round_exports

#: Bytes under brotli: those of gradmote.min.js, and rounds.
LIMIT = 9_472
MODEL = "step"


def delta_of(bits: int, **choice: object) -> bytes:
    """Return the delta of a device that has moved away from the image's parameters."""
    with Session(images_of_node()[MODEL], "strict") as device:
        parameters = device.parameters()
        for i in range(0, len(parameters), 7):
            parameters[i] += 0.01 * (i % 11 - 5)
        return device.round_delta(bits, seed=3, **choice)


def calls() -> list[Call]:
    """Return two rounds, what comes between, and what is refused."""
    moved = [round(0.001 * (i % 97 - 48), 6) for i in range(2410)]
    damaged = bytearray(delta_of(4))
    damaged[60] ^= 1
    sent = {name: {"u8": list(data)} for name, data in (("2", delta_of(2)), ("4", delta_of(4)), ("8", delta_of(8)))}
    long, moved_to = {"u8": [*delta_of(8), *[0] * 9000]}, ("setParameters", {"f32": moved})
    return [
        ("round",), moved_to, ("roundDelta",), ("roundDelta", 8, 7), ("roundDelta", 2, 7, "*0*"),
        ("roundDelta", 4, 1, ["*.weight", "?.bias"]), ("roundDelta", 3), ("roundDelta", 4, 1, "nothing"),
        ("checkDelta", sent["4"]), ("checkDelta", {"u8": list(damaged)}), ("checkDelta", {"u8": [1, 2, 3]}),
        ("checkDelta", long), ("endRound", sent["8"], 4, 1), ("parameters",), ("round",), ("roundDelta", 4, 5),
        ("endRound", sent["8"]), moved_to, ("beginRound", 4294967295), ("roundDelta", 2, 9), ("beginRound", 0),
        ("round",), ("endRound", sent["2"]), ("parameters",), ("round",), ("beginRound", 9), ("roundDelta", 8, 1),
        ("round",),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["federated", "worker"])
def test_calls_answer_as_the_twins(project: Path, tmp_path: Path, kind: str) -> None:  # noqa: F811
    model = project / "data" / f"{MODEL}.mote"
    reported = json.loads(npm_package.node("conversation.mjs", model, write_calls(tmp_path, calls()), kind))
    for call, found, wanted in zip(calls(), reported, twin_answers(images_of_node()[MODEL], calls()), strict=True):
        assert found == wanted, call[0]


def test_names_are_those_of_python(project: Path) -> None:  # noqa: F811
    assert set(json.loads(npm_package.node("federated_names.mjs"))) == OF_ROUNDS


def test_modules_with_int8_export_rounds(project: Path) -> None:  # noqa: F811
    for form in FORMS:
        module = npm_package.ROOT / "build" / "wasm" / file_name(form, "gradmote-int8")
        reported = json.loads(npm_package.node("exports.mjs", module))
        assert {*exports(), *round_exports()} <= set(reported["exports"])


def test_the_script_stays_small(project: Path) -> None:  # noqa: F811
    assert json.loads(npm_package.node("sizes.mjs", "federated.min.js"))["federated.min.js"] <= LIMIT


def test_types(project: Path, tmp_path: Path) -> None:  # noqa: F811
    for name in ("page.mts", "page.cts"):
        (tmp_path / name).write_text((npm_package.SCRIPTS / "federated_types.ts").read_text())
        type_check(project, tmp_path / name)
