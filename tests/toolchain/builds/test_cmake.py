"""CMake builds the runtime in every way that projects use, and its program has the twin's bits."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import onnx
import pytest
from bench.builds.cmake import GRADMOTE, ROWS, Case, Row, build, run

from runtime_sources import RUNTIME
from support import digits, train_state
from support.classifier_image import classifier_image


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    return Case(tmp_path_factory.mktemp("case"))


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_a_consumer_trains_to_the_twins_bits(row, case, tmp_path):
    if missing := row.missing():
        pytest.skip(f"{missing} is not installed")
    program = build(row, case, tmp_path)
    if row.library:
        return  # compiled without a warning
    assert run(row, program, case) == train_state.said_by_twin(case.image, case.batches, row.profile)


def test_a_consumer_in_cpp_trains_to_the_twins_bits(tmp_path):
    (row,) = (row for row in ROWS if row.name == "installed")
    if missing := row.missing():
        pytest.skip(f"{missing} is not installed")
    case = Case(tmp_path)
    case.image = classifier_image()
    build(row, case, tmp_path)
    printed = train_state.said_by([tmp_path / "build" / "session", case.files[0]])
    assert np.array(printed.split(), np.float32).tolist() == train_state.numbers_of_session(row.profile)


def test_a_model_is_compiled_in_the_build(case, tmp_path):
    """gradmote_model() compiles model.onnx and adds its header, which the program includes."""
    onnx.save(digits.model(), tmp_path / "model.onnx")
    options = "--loss;cross_entropy;--optimizer;adamw;--batch;8"
    row = Row("model", "add_subdirectory", "Ninja", "gcc",
              options=(f"-DMODEL={tmp_path / 'model.onnx'}", f"-DMODEL_OPTIONS={options}"))  # fmt: skip
    if missing := row.missing():
        pytest.skip(f"{missing} is not installed")
    program = build(row, case, tmp_path)
    made = tmp_path / "build" / "gradmote_models" / "model.mote"
    assert made.read_bytes() == case.image
    said = train_state.said_by([program, made, case.files[1]])
    assert said == train_state.said_by_twin(case.image, case.batches, "strict")


def configured(folder, lines):
    """Configure a project with these lines twice, and return what it says; the second time has a cache."""
    start = ("cmake_minimum_required(VERSION 3.16)", "project(p C)", "file(WRITE a.c )")
    (folder / "CMakeLists.txt").write_text("\n".join((*start, *lines)))
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    words = ["cmake", "-S", folder, "-B", folder / "build", f"-DGRADMOTE_COMMAND={GRADMOTE}", f"-DRUNTIME={RUNTIME}"]
    both = [subprocess.run(words, capture_output=True, text=True, check=False) for _ in range(2)]
    assert not any(done.returncode for done in both), both[0].stderr
    return [done.stdout for done in both]


def test_a_variable_of_the_project_is_an_option(tmp_path):
    said = configured(tmp_path, [
        "set(GRADMOTE_TRAINING OFF)", "add_subdirectory(${RUNTIME} gradmote)",
        "get_target_property(defines gradmote COMPILE_DEFINITIONS)", 'message(STATUS "has ${defines}")',
    ])  # fmt: skip
    assert all("has GM_TRAINING=0" in each for each in said), said


def test_two_targets_compile_a_model_with_their_own_options(tmp_path):
    lines = ["add_subdirectory(${RUNTIME} gradmote)"]
    for target, batch in [("one", 1), ("two", 8)]:
        lines += [f"add_library({target} a.c)", f"gradmote_model({target} model.onnx --batch {batch})"]
        lines += [
            f"get_target_property(folders {target} INCLUDE_DIRECTORIES)",
            f'message(STATUS "{target} ${{folders}}")',
        ]
    (said, _), build = configured(tmp_path, lines), tmp_path / "build"
    assert f"one {build}/gradmote_models\n" in said and f"two {build}/gradmote_models/two\n" in said, said


def test_a_wrong_image_stops_the_configuration(case, tmp_path):
    row = Row("wrong", "add_subdirectory", "Ninja", "gcc", options=(f"-DGRADMOTE_MODELS={case.files[1]}",))
    if missing := row.missing():
        pytest.skip(f"{missing} is not installed")
    with pytest.raises(AssertionError, match="samples.bin: this is not an image"):
        build(row, case, tmp_path)
