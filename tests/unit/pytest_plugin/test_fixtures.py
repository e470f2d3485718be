"""The fixtures, in tests as a user writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradmote.device.emulator import Emulator
from render.spec import tomllib
from support.firmware import build_firmware


@pytest.mark.parametrize("model", ["'model.mote'", "open('model.mote', 'rb').read()", "pathlib.Path('model.mote')"])
def test_a_twin_with_a_compiled_model(run, model) -> None:
    result = run(f"""
import pathlib

def test_it(gradmote_twin):
    twin = gradmote_twin({model}, profile="strict")
    assert twin.info().profile == "strict" and twin.info().batch == 2
    assert_learns(twin, "data.npz", epochs=3)
""")
    result.assert_outcomes(passed=1)


def test_a_twin_with_a_model_to_compile(run) -> None:
    result = run("""
import onnx
from onnx import helper, numpy_helper
import numpy as np
from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model

@pytest.fixture
def model():
    w = numpy_helper.from_array(np.full((3, 4), 0.5, np.float32), "w")
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    x, y = (helper.make_tensor_value_info(n, 1, ["n", d]) for n, d in (("x", 3), ("y", 4)))
    return helper.make_model(helper.make_graph(nodes, "g", [x], [y], [w]), opset_imports=[helper.make_opsetid("", 17)])

def test_of_a_model(gradmote_twin, model):
    twin = gradmote_twin(
        model, "strict", loss=losses.cross_entropy(), optimizer=optimizers.sgd(0.1), options=Options(batch=4)
    )
    assert twin.info().batch == 4 and "step" in twin.info().programs

def test_of_a_file(gradmote_twin, model, tmp_path):
    onnx.save(model, tmp_path / "model.onnx")
    assert gradmote_twin(tmp_path / "model.onnx", "strict").info().programs == ("infer",)

def test_of_bytes(gradmote_twin, model):
    assert gradmote_twin(model.SerializeToString(), "strict").info().programs == ("infer",)

def test_of_a_result(gradmote_twin, model):
    compiled = compile_model(model)
    assert gradmote_twin(compiled, "strict").image() == compiled.image
""")
    result.assert_outcomes(passed=4)


def test_a_compiled_model_takes_no_options(run) -> None:
    result = run("""
def test_it(gradmote_twin):
    gradmote_twin("model.mote", "strict", scheme="head")
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines("*model.mote is compiled already and takes no scheme - give the ONNX model instead")


def test_twins_are_apart_and_closed_afterwards(run) -> None:
    result = run("""
opened = []

def test_two(gradmote_twin):
    opened.extend(gradmote_twin("model.mote", "strict") for _ in range(2))
    assert_learns(opened[0], "data.npz")
    with pytest.raises(AssertionError, match="hold different states"):
        assert_same_state(*opened)

def test_later():
    assert [twin.info().status for twin in opened] == [-103, -103]
""")
    result.assert_outcomes(passed=2)


BOARD_AND_TWIN = """
@pytest.mark.gradmote_emulator("mps2-an386")
def test_it(gradmote_board, gradmote_twin):
    board = gradmote_board("mps2-an386", "model.mote")
    twin = gradmote_twin("model.mote", board.info().profile)
    for target in (board, twin):
        assert_learns(target, "data.npz")
    assert_same_state(board, twin)
    found = assert_memory(board, arena_at_most="1K", stack_at_most="8K", ram_at_most="128K")
    assert found["stack"] > 0 and found["image"] == len(board.image())
    board.run("infer")
    assert board.image() == open("model.mote", "rb").read()
"""


@pytest.mark.device
def test_an_emulated_board_and_its_twin(run) -> None:
    build_firmware()
    run(BOARD_AND_TWIN).assert_outcomes(passed=1)


@pytest.fixture
def running_board():
    """The port of a board that runs already."""
    build_firmware()
    with Emulator() as emulator:
        emulator.take_link().close()
        yield emulator.url


@pytest.mark.device
def test_the_same_test_on_the_board_at_a_port(run, monkeypatch, running_board) -> None:
    monkeypatch.setenv("GRADMOTE_BUILD", "nowhere")  # no emulator can be started
    result = run(BOARD_AND_TWIN, f"--gradmote-board={running_board}")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(f"gradmote: boards are the one at {running_board}")


def test_a_port_without_a_board_is_an_error_and_no_skip(run) -> None:
    result = run(BOARD_AND_TWIN, "--gradmote-board=/dev/there_is_none")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines("*cannot open /dev/there_is_none*")


def test_the_port_may_stand_in_the_environment(run, monkeypatch) -> None:
    monkeypatch.setenv("GRADMOTE_BOARD", "/dev/there_is_none")
    run(BOARD_AND_TWIN).stdout.fnmatch_lines("gradmote: boards are the one at /dev/there_is_none")


def test_other_runs_of_pytest_import_nothing_heavy(pytester, monkeypatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile("""
import sys

def test_it(pytestconfig):
    assert pytestconfig.pluginmanager.hasplugin("gradmote.pytest_plugin")
    assert not {"numpy", "onnx", "serial", "gradmote_runtime", "gradmote.testing"} & sys.modules.keys()
""")
    pytester.runpytest_subprocess("-p", "gradmote.pytest_plugin").assert_outcomes(passed=1)


def test_the_package_announces_the_plugin(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"gradmote": "gradmote.pytest_plugin"}
    assert any(wanted.startswith("pytest") for wanted in project["optional-dependencies"]["pytest"])
