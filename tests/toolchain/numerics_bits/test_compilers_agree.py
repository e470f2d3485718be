"""The same bits from every compiler, at every optimization level, and from the twin in Python.

train_state.c trains an image for 50 steps; what it prints, every loss and then the state, must be the same text.
"""

from __future__ import annotations

import hashlib
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from device import one_state

from gradmote import optimizers
from runtime_sources import PROFILES, host_runs_fused, runtime_sources
from support import digits, objects, train_state
from support.oracle import train

STEPS = 50
#: Of the quantized network; `python -m device.one_state` trains for longer.
QUANTIZED_STEPS = 20
#: Those that the twin was not compiled with. tests/c/arch runs the vectors' kernels at -O0.
COMPILERS = {"gcc -O0": ("gcc", "-O0", "-DGM_ARCH=0"), "clang-14 -O2": ("clang-14", "-O2")}
OPTIMIZERS = {
    "sgd": optimizers.sgd(0.1),
    "momentum": optimizers.sgd(0.02, momentum=0.9, weight_decay=0.01),
    "adamw": optimizers.adamw(),
    "adamw_ort clipped": optimizers.adamw_ort(clip_norm=0.5),
}


def build(compiler: str, level: str, flags: list[str], profile: str, folder: Path) -> Path:
    """train_state, linked with the runtime of that profile."""
    program = folder / "train_state"
    command = [*objects.command_for_host(compiler, level, profile), *flags]
    objects.build(command, [train_state.SOURCE, *runtime_sources()], program)
    return program


@pytest.fixture(scope="module", params=PROFILES)
def profile(request: pytest.FixtureRequest) -> str:
    if request.param == "fused" and not host_runs_fused():
        pytest.skip("this CPU has no fused multiply-add")
    return request.param


@pytest.fixture(scope="module", params=COMPILERS)
def program(profile: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """train_state of the profile."""
    compiler, level, *flags = COMPILERS[request.param]
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    return build(compiler, level, flags, profile, tmp_path_factory.mktemp("train_state"))


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("dropout", [None, 0.3], ids=["", "dropout"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_compilers_and_twin_agree_to_the_bit(program, profile, optimizer, dropout, batch, tmp_path):
    image, data = digits.image(optimizer, batch, dropout=dropout), digits.batches(batch, STEPS)
    files = train_state.write_case(tmp_path, image, data)
    expected = train_state.said_by_twin(image, data, profile)
    assert train_state.said_by([program, *files]) == expected
    state = bytes.fromhex("".join(expected.split()[STEPS:]))
    swapped = np.frombuffer(state, ">u4").astype("<u4").tobytes()
    assert hashlib.sha256(swapped).hexdigest() == train(image, data, profile)[1].state_sha256()


@pytest.mark.parametrize("lesson", one_state.LESSONS)
def test_a_network_has_one_state(program, profile, lesson, tmp_path):
    """A quantized one in both profiles. A program trains half of the steps, ends, and goes on from its checkpoint."""
    training = one_state.Lesson(lesson, QUANTIZED_STEPS)
    state = one_state.state_by_files(partial(one_state.run_program, program), training, tmp_path)
    assert one_state.digest(state) == one_state.expected(training, profile)
