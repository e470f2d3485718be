"""The same bits from every compiler, at every optimization level, and from the twin in Python.

train_state.c trains an image for 50 steps; what it prints, every loss and then the state, must be the same text.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from device import one_state

from gradmote import optimizers
from runtime_sources import PROFILES, host_runs_fused, runtime_sources
from support import digits, objects
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
    own = Path(__file__).with_name("train_state.c")
    objects.build([*objects.command_for_host(compiler, level, profile), *flags], [own, *runtime_sources()], program)
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


def write_case(folder: Path, image: bytes, data: list[digits.Batch]) -> tuple[Path, Path]:
    model, samples = folder / "model.mote", folder / "samples.bin"
    model.write_bytes(image)
    samples.write_bytes(b"".join(x.tobytes() + t.astype(np.int32).tobytes() for x, t in data))
    return model, samples


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("dropout", [None, 0.3], ids=["", "dropout"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_compilers_and_twin_agree_to_the_bit(program, profile, optimizer, dropout, batch, tmp_path):
    image, data = digits.image(optimizer, batch, dropout=dropout), digits.batches(batch, STEPS)
    files = write_case(tmp_path, image, data)
    losses, twin = train(image, data, profile)
    words = np.concatenate([np.array(losses, np.float32).view(np.uint32), np.frombuffer(twin.state(), np.uint32)])
    expected = "".join(f"{word:08x}\n" for word in words)
    assert subprocess.run([program, *files], capture_output=True, text=True, check=True, timeout=60).stdout == expected
    state = bytes.fromhex("".join(expected.split()[STEPS:]))
    swapped = np.frombuffer(state, ">u4").astype("<u4").tobytes()
    assert hashlib.sha256(swapped).hexdigest() == twin.state_sha256()
    assert losses[-1] != losses[0]


@pytest.mark.parametrize("lesson", one_state.LESSONS)
def test_a_network_has_one_state(program, profile, lesson, tmp_path):
    """A quantized one in both profiles. A program trains half of the steps, ends, and goes on from its checkpoint."""
    training = one_state.Lesson(lesson, QUANTIZED_STEPS)
    state = one_state.state_by_files(partial(one_state.run_program, program), training, tmp_path)
    assert one_state.digest(state) == one_state.expected(training, profile)
