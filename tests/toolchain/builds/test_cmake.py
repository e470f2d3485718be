"""CMake builds the runtime in every way that projects use, and its program has the twin's bits."""

from __future__ import annotations

import onnx
import pytest
from bench.builds.cmake import ROWS, Case, Row, build, run

from support import digits, train_state


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


def test_a_wrong_image_stops_the_configuration(case, tmp_path):
    row = Row("wrong", "add_subdirectory", "Ninja", "gcc", options=(f"-DGRADMOTE_MODELS={case.files[1]}",))
    if missing := row.missing():
        pytest.skip(f"{missing} is not installed")
    with pytest.raises(AssertionError, match="samples.bin: this is not an image"):
        build(row, case, tmp_path)
