"""A processor that another library set to round otherwise, or to lose subnormal numbers: opening a session says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.classifier_image import classifier_image

TRY = """
import ctypes, sys
from gradmote.errors import RuntimeFault
from gradmote_runtime import Session
image = open(sys.argv[1], "rb").read()
Session(image).close()
{change}
try:
    Session(image)
except RuntimeFault as fault:
    print(fault.name)
"""
CHANGES = {
    "upward": "import ctypes.util; assert ctypes.CDLL(ctypes.util.find_library('m')).fesetround({upward}) == 0",
    "toward zero": "import ctypes.util; assert ctypes.CDLL(ctypes.util.find_library('m')).fesetround({to_zero}) == 0",
    "no subnormals": "ctypes.CDLL({library!r})",
}


@pytest.mark.parametrize("name", CHANGES)
def test_it_is_found(name: str, tmp_path: Path) -> None:
    import platform

    if platform.machine() != "x86_64" or sys.platform != "linux":
        pytest.skip("the numbers of the modes are those of Linux on x86-64")
    library, image = tmp_path / "fast.so", tmp_path / "model.mote"
    image.write_bytes(classifier_image())
    (tmp_path / "empty.c").write_text("int nothing;\n")
    # gcc links a start-up file with it that sets the processor's mode, in whatever program loads the library
    subprocess.run(["gcc", "-shared", "-Ofast", str(tmp_path / "empty.c"), "-o", str(library)], check=True)
    change = CHANGES[name].format(upward=0x800, to_zero=0xC00, library=str(library))
    done = subprocess.run(
        [sys.executable, "-c", TRY.format(change=change), str(image)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "WRONG_ARITHMETIC\n", done.stderr
