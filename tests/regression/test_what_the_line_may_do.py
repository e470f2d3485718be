"""The firmware, fed with what once broke it, under ASan and UBSan (tests/fuzz/fuzz_frames.c).

An upload went on after a save had written over its place, and programmed flash twice. A typed `save` erased a slot, and
with it a good checkpoint, before it found that a program was running. DESCRIBE copied from the null pointer that is the
name of a tensor whose names were stripped.
"""

from __future__ import annotations

import shutil
import subprocess

import pytest
from fuzz import campaign, seeds

pytestmark = pytest.mark.skipif(shutil.which("clang-14") is None, reason="apt-get install clang-14 libclang-rt-14-dev")


@pytest.fixture(scope="module")
def conversations():
    campaign.build()
    return dict(seeds.conversations())


@pytest.mark.parametrize("name", ["interrupted", "saved_while_running", "dense_sent"])
def test_the_firmware_stands_it(name, conversations, tmp_path):
    said = tmp_path / name
    said.write_bytes(conversations[name])
    done = subprocess.run([campaign.BUILT / "fuzz_frames", said], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
