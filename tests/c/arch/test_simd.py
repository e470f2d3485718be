"""Kernels with vectors against plain C, bit for bit: drawn shapes, strides and values, in both profiles, for each
instruction set; and on this computer under the sanitizers, which allow access to the operands alone.

GRADMOTE_ARCH_EXAMPLES: how many of each are drawn, 25 by default.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from c.arch import simd_cases as cases
from c.arch.simd_cases import DRAWN, TYPICAL, Case
from c.arch.simd_programs import STATUS, Program, forms, plain
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime_sources import PROFILES, host_runs_fused
from support.sampling import draws

EXAMPLES = draws("arch_examples")
FORMS = [(profile, name) for profile in PROFILES for name in forms(profile)]


@pytest.fixture(scope="module", params=FORMS, ids=", ".join)
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Program]]:
    """run_kernels of one profile: plain, and with the vectors of one instruction set."""
    profile, name = request.param
    if profile == "fused" and not host_runs_fused():
        pytest.skip("this CPU has no fused multiply-add")
    wanted = [plain(profile), *forms(profile)[name]]
    for form in wanted:
        if form.missing():
            pytest.skip(f"{', '.join(form.missing())} is missing - apt-get install {form.packages}")
    built = [form.build(tmp_path_factory.mktemp("kernels")) for form in wanted]
    yield built
    assert not "".join(program.close() for program in built)


def run(program: Program, case: Case) -> list[np.ndarray]:
    """Run the case, and return the status of its instruction, then each operand that it wrote."""
    said = program.run(case.text(), len(case.memory))
    status, memory = np.frombuffer(said[:STATUS], np.int32), said[STATUS:]
    return [status, *(words(memory[start : start + size], dtype) for start, size, dtype in case.written)]


def words(data: bytes, dtype: str) -> np.ndarray:
    """Return the values that are compared: bytes, or the bits of each float32, which are the same for every NaN."""
    if dtype in ("u8", "bit") or dtype in cases.INTEGERS:
        return np.frombuffer(data, np.uint8)
    values = np.frombuffer(data, np.float32)
    return np.where(np.isnan(values), np.uint32(0x7FC00000), values.view(np.uint32))


def check(programs: list[Program], case: Case) -> None:
    expected_of_all, *others = [run(program, case) for program in programs]
    for other in others:
        for expected, found in zip(expected_of_all, other, strict=True):
            np.testing.assert_array_equal(expected, found)


@pytest.mark.parametrize("drawn", DRAWN.values(), ids=DRAWN)
def test_same_bits_as_plain_c(programs, drawn):
    @settings(max_examples=EXAMPLES, deadline=None,
              suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])  # fmt: skip
    @given(case=drawn, seed=st.integers(0, 2**32 - 1))
    def agree(case, seed):
        name, parameters, absent = case
        check(programs, Case(name, parameters, seed, absent))

    agree()


def typical(maker: cases.Maker) -> pytest.MarkDecorator:
    """Take each kernel and layer that a maker of cases is for."""
    each = list(product(*TYPICAL[maker]))
    return pytest.mark.parametrize(("name", "layer"), each, ids=["-".join(map(str, (n, *layer))) for n, layer in each])


@typical(cases.typical_convolutions)
def test_same_bits_in_typical_convolutions(programs, name, layer):
    for case in cases.typical_convolutions(name, layer):
        check(programs, case)


@typical(cases.typical_convolutions_of_integers)
def test_same_bits_in_typical_convolutions_of_integers(programs, name, layer):
    for case in cases.typical_convolutions_of_integers(name, layer):
        check(programs, case)


@typical(cases.depthwise_convolutions)
def test_same_bits_in_depthwise_convolutions(programs, name, layer):
    for case in cases.depthwise_convolutions(name, layer):
        check(programs, case)


@typical(cases.depthwise_convolutions_of_integers)
def test_same_bits_in_depthwise_convolutions_of_integers(programs, name, layer):
    for case in cases.depthwise_convolutions_of_integers(name, layer):
        check(programs, case)


@typical(cases.typical_pools)
def test_same_bits_in_typical_pools(programs, name, layer):
    for case in cases.typical_pools(name, layer):
        check(programs, case)
