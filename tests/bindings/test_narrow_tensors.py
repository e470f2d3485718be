"""Tensors of int8, uint8 and int16 in every language: inputs, outputs, parameters and the sample store are those of the
twin. Languages that only knew float32 and int32 read four integers as one number."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from objective_c import missing

from bindings import csharp, java, micropython, narrow, objc
from bindings.row import Missing
from bindings.test_micropython_console import Served
from gradmote import Session
from gradmote.compiler.sample_store import StoreOptions
from support import npm_package

FOLDER = Path(__file__).parent
#: Of the input and the output, and of the weights.
FORMS = [("int8", "int8"), ("uint8", "int16")]


@pytest.fixture(params=FORMS, ids=lambda form: "-".join(form))
def form(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """Return the path of an image, and the dtype of its input and output."""
    dtype, weights = request.param
    path = tmp_path / "narrow.mote"
    path.write_bytes(narrow.image(dtype, weights, store=StoreOptions(10)))
    return path, dtype


@pytest.mark.toolchain
def test_micropython(form: tuple[Path, str]) -> None:
    script = [str(FOLDER / "scripts" / "narrow.py"), *map(str, form)]
    done = subprocess.run([sys.executable, *script], capture_output=True, text=True, check=True)
    try:
        reported = micropython.run_here(script, [])
    except Missing as missing:
        pytest.skip(str(missing))
    assert reported.splitlines() == done.stdout.splitlines()


# ---- Languages over bindings/shared ---------------------------------------------------------------------------------

X = [0, 37, 74, 11, 48, 85]
SHORT = {"int8": "I8", "uint8": "U8", "int16": "I16"}
REFUSED = "GM_ERR_WRONG_DTYPE names its type"


def told_by_twin(path: Path, dtype: str, signed: bool = False) -> list[str]:
    """Return what the programs named Narrow print, except the refusals. signed: uint8 as Java has it."""
    x = np.array([X], dtype)
    with Session(path.read_bytes(), "strict") as session:
        initial, scores = bytes(session.parameters()), np.array(session.infer(x)[0])
        label = session.classify()[0]
        session.step(x, np.array([2], np.int32))
        weight, delta = np.array(session.parameter("w")), session.delta()
        trained = bytes(session.parameters())
    assert initial != trained
    shown = line((scores.view(np.int8) if signed else scores).ravel())
    sizes = [f"{SHORT[dtype]} {x.size}", f"{SHORT[str(weight.dtype)]} {weight.size}"]
    rows = [line(weight.ravel()), *(line(np.frombuffer(data, np.int8)) for data in (trained, delta))]
    return [*sizes, shown, shown, str(label), *rows, "true"]


def line(numbers: Iterable[object]) -> str:
    return " ".join(map(str, numbers))


@pytest.mark.skipif(shutil.which("javac") is None, reason="apt-get install default-jdk-headless")
def test_java(form: tuple[Path, str]) -> None:
    done = java.run_java(java.PROGRAMS / "Narrow.java", str(form[0]))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == told_by_twin(*form, signed=True) + 7 * [REFUSED]


@pytest.mark.skipif(shutil.which("mcs") is None, reason="apt-get install mono-mcs mono-runtime")
def test_csharp(form: tuple[Path, str], tmp_path: Path) -> None:
    done = csharp.run_csharp(csharp.PROGRAMS / "Narrow.cs", tmp_path, str(form[0]))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == told_by_twin(*form) + 7 * [REFUSED]


@pytest.mark.skipif(bool(missing()), reason=missing())
@pytest.mark.parametrize("build", ["strict", "sanitized"])
def test_objective_c(build: str, form: tuple[Path, str]) -> None:
    done = objc.run_program(f"{build}/Narrow", str(form[0]))
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().splitlines() == [*told_by_twin(*form), REFUSED]


# ---- Boards from JavaScript -----------------------------------------------------------------------------------------


@pytest.fixture
def port(tmp_path: Path) -> Iterator[str]:
    """Return the TCP port of MicroPython's console, a board without an emulator."""
    try:
        served = Served(tmp_path)
    except Missing as without:
        pytest.skip(str(without))
    yield served.port.rpartition(":")[2]
    served.close()


@pytest.mark.toolchain
def test_serial_of_javascript(form: tuple[Path, str], port: str) -> None:
    npm_package.require()
    path, dtype = form
    reported = json.loads(npm_package.node("serial/narrow.mjs", port, path, dtype))
    with Session(path.read_bytes(), "strict") as twin:
        assert reported["dtypes"] == [[dtype, 6], [dtype, 5]] and reported["initial"] == bytes(twin.parameters()).hex()
        x, scores = np.array([X], dtype), np.array(twin.infer(np.array([X], dtype))[0])
        assert reported["scores"] == 4 * [[f"{dtype.capitalize()}Array", scores.ravel().tolist()]]
        assert f"takes {dtype}, not Float32Array" in reported["wrong"][0]
        assert "pass whole numbers" in reported["wrong"][1]
        assert "6 elements; 5 were given" in reported["wrong"][2]
        assert "pass whole numbers" in reported["signs"]
        twin.step(x, np.array([2], np.int32))
        assert reported["trained"] == bytes(twin.parameters()).hex()
        predicted = np.array(twin.infer(x)[0]).ravel()
        assert reported["predicted"] == 2 * predicted.tolist()
        assert reported["accuracy"] == float(predicted.argmax() == 1)
        for _ in range(4):
            twin.step(x, np.array([1], np.int32))
        assert reported["state"] == bytes(twin.state()).hex()
        moved = x if dtype == "int8" else x + np.uint8(20)
        assert reported["bytes"] == np.array(twin.infer(moved)[0]).ravel().tolist()
    assert f"'x' takes {dtype} - give quantized numbers" in reported["floats"]
    assert (reported["store"]["dtype"], reported["store"]["kept"]) == ("bytes", 1)
