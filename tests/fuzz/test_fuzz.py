"""The fuzz targets under ASan and UBSan: some seconds of each here; `python tests/fuzz/long_run.py` for longer."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fuzz import campaign, coverage, seeds

from gradmote.formats.image import read_image
from gradmote.generated.opcodes import OPCODES
from support.sampling import draws

#: Of each target.
SECONDS = draws("fuzz_seconds")
#: In tests, each file's part of lines that inputs and C tests must reach.
LEAST_PERCENT = 95.0

needs_clang = pytest.mark.skipif(shutil.which("clang-14") is None, reason="apt-get install clang-14 libclang-rt-14-dev")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    campaign.build()
    folder = tmp_path_factory.mktemp("seeds")
    seeds.write_seeds(folder)
    return folder


@needs_clang
@pytest.mark.slow
@pytest.mark.parametrize("target", seeds.TARGETS)
def test_no_input_breaks_a_target(target, corpus, tmp_path):
    """Check that refused input changes nothing, and that accepted input stays inside its arena and ends. The comment at
    the head of each target says exactly what it checks."""
    done = campaign.run(target, SECONDS, tmp_path / "corpus", corpus / target)
    print(f"{target}: {done.executions} inputs, {done.edges} edges, {done.features} features")
    assert done.executions >= len(list((corpus / target).iterdir()))  # all seeds; how many more is the machine's matter


def test_seeds_have_quantized_instructions_and_loops():
    """Mutations of programs start from those of compiled images; `open` has every opcode from make_corpus.c."""
    programs = [program for _, image in seeds.images() for program in read_image(image).programs]
    found = {instruction["opcode"] for program in programs for instruction in program["instructions"]}
    names = {name for name in OPCODES if name.endswith(("_S8", "_S16", "_S32"))} | {"LOOP", "GUARD", "SHIFT"}
    assert names - found <= {"CONV_TRANSPOSE_S8", "MATMUL_S8", "COPY_S16", "MAX_POOL_GRAD_S16"}


@pytest.mark.slow
@needs_clang
def test_the_gates_lines_are_reached(corpus):
    """The files of GATES, by the C tests and the seeds."""
    coverage.build()
    lines = coverage.count({target: [corpus / target] for target in seeds.TARGETS})
    assert sorted(lines) == sorted(coverage.GATES)
    for name, found in lines.items():
        print(f"{name}: {found.percent:.1f} % of {found.total} lines; not {list(found.missed)}")
        assert found.percent >= LEAST_PERCENT, f"{name}: lines {found.missed}"
