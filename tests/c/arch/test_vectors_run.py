"""Kernels with vectors really run: one that left every case to plain C would have the right bits, but not the speed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from c.arch.simd_cases import DRAWN, TYPICAL, Case
from c.arch.simd_programs import HERE, SELECTED, Program, sources
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from runtime_sources import RUNTIME, host_runs_fused
from support import objects

VECTORS = RUNTIME / "kernels" / "arch" / "simd"
COMMAND = [*objects.command_for_host("gcc", "-O0", "strict"), *SELECTED]
#: It has code only in builds that query the processor themselves.
WITHOUT_CODE = ["runs"]
#: It only asks whether AVX-512 rounds as it should, and leaves out the question on a processor without it.
OF_AVX512 = "gm_wide_products_are_exact"
#: Rounds of drawn cases, until each function has run to its end.
ROUNDS = 20


@pytest.fixture
def counted() -> list[Path]:
    """The objects of the kernels with vectors, which count how often each line runs."""
    return objects.objects([*COMMAND, "--coverage"], [file for file in sources() if file.is_relative_to(VECTORS)])


@pytest.fixture
def program(counted: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    monkeypatch.setenv("GCOV_PREFIX", str(tmp_path))
    others = [HERE / "run_kernels.c", *(file for file in sources() if not file.is_relative_to(VECTORS))]
    objects.build(COMMAND, others, tmp_path / "run_kernels", "--coverage", *map(str, counted))
    return Program([str(tmp_path / "run_kernels")], tmp_path / "said")


@pytest.mark.skipif(not host_runs_fused(), reason="this CPU has no AVX2")
def test_each_function_with_vectors_comes_to_its_end(program, counted, tmp_path):
    for case in typical():
        program.run(case.text(), len(case.memory))
    idle = ["all"]
    for number in range(ROUNDS):
        if idle:
            run_drawn(program, number)
            idle = idle_functions(program, counted, tmp_path)
    assert not idle, f"{', '.join(idle)}: left to plain C in every case"


def run_drawn(program: Program, number: int) -> None:
    """Run some cases of each kind; the same number gives the same cases."""

    @seed(number)
    @settings(max_examples=20, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(cases=st.tuples(*DRAWN.values()))
    def run_each(cases):
        for name, parameters, absent in cases:
            case = Case(name, parameters, number, absent)
            program.run(case.text(), len(case.memory))

    run_each()


def idle_functions(program: Program, counted: list[Path], folder: Path) -> list[str]:
    """End the program, and return the functions that have not run to their ends yet."""
    assert program.close() == ""
    files = {object: counts_of(object, folder) for object in counted}
    assert [object.name.partition("-")[0] for object, found in files.items() if not found] == WITHOUT_CODE
    idle = [name for found in files.values() for name, count in found.items() if count == 0]
    return idle if has_avx512() else [name for name in idle if name != OF_AVX512]


def has_avx512() -> bool:
    """Return whether this processor runs vectors of 512 bits."""
    return "avx512f" in Path("/proc/cpuinfo").read_text()


def typical() -> Iterator[Case]:
    for maker, (names, layers) in TYPICAL.items():
        for name, layer in product(names, layers):
            yield from maker(name, layer)


def counts_of(object: Path, folder: Path) -> dict[str, int]:
    """Return an object's functions for other sources, and how often each reached its last statement."""
    counts = (folder / object.relative_to("/")).with_suffix(".gcda")
    if not counts.exists():
        return {}
    shutil.copy(object.with_suffix(".gcno"), counts.parent)
    files = json.loads(objects.run(["gcov", "--json-format", "--stdout", str(counts)]))["files"]
    own = [file for file in files if file["file"].endswith(".c")]
    return {function["name"]: count_of(function, file["lines"]) for file in own for function in file["functions"]
            if function["name"].startswith("gm_")}  # fmt: skip


def count_of(function: dict[str, Any], lines: list[dict[str, Any]]) -> int:
    """Return how often a function reached its last statement; a function of one line has no other."""
    own = [line for line in lines if line.get("function_name") == function["name"]]
    before = [line for line in own if line["line_number"] < function["end_line"]]
    return max(before or own, key=lambda line: line["line_number"])["count"]
