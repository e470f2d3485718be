"""gradmote.c did not compile for a Cortex-M55 in the dialect that gcc takes by itself: FLT_EVAL_METHOD is 16 there.

That says that half floats are computed as such, and float arithmetic rounds to binary32 as with 0.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from amalgamate import one_header, one_source


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="apt-get install gcc-arm-none-eabi")
def test_one_file_compiles_for_a_cortex_m55(tmp_path: Path) -> None:
    (tmp_path / "gradmote.h").write_text(one_header())
    (tmp_path / "gradmote.c").write_text(one_source())
    command = ["arm-none-eabi-gcc", "-O0", "-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard", "-c", "gradmote.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
