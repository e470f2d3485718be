"""If another library set the processor to round otherwise, or to lose subnormal numbers, opening a session says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from runtime_sources import INCLUDES, RUNTIME
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
    # gcc links a start-up file with it that sets the processor's mode, in any program that loads the library
    subprocess.run(["gcc", "-shared", "-Ofast", str(tmp_path / "empty.c"), "-o", str(library)], check=True)
    change = CHANGES[name].format(upward=0x800, to_zero=0xC00, library=str(library))
    done = subprocess.run(
        [sys.executable, "-c", TRY.format(change=change), str(image)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "WRONG_ARITHMETIC\n", done.stderr


PROGRAM = r"""
#include <fenv.h>
#include <immintrin.h>
#include <stdio.h>
#include "arithmetic.h"

int main(void)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 4; ++i) {
        fesetround(modes[i]);
        printf("%d", gm_arithmetic_differs() != 0);
    }
    fesetround(FE_TONEAREST);
    for (unsigned flush = 0; flush < 4; ++flush) {
        _mm_setcsr(0x1F80u | (flush & 1 ? 0x8000u : 0) | (flush & 2 ? 0x0040u : 0));
        printf("%d", gm_arithmetic_differs() != 0);
    }
    return 0;
}
"""


@pytest.mark.parametrize("system", ["", "-U__unix__"], ids=["computer", "firmware"])
@pytest.mark.parametrize("fused", [0, 1])
def test_each_mode_is_found_in_firmware_too(system: str, fused: int, tmp_path: Path) -> None:
    """Firmware computes fewer terms; if it rounds to the nearest and has subnormal numbers, the check passes."""
    import platform

    if platform.machine() != "x86_64":
        pytest.skip("the modes are those of x86-64")
    (tmp_path / "main.c").write_text(PROGRAM)
    flags = [f"-DGM_FUSED={fused}", "-DGM_ARCH=0", *(["-mfma"] if fused else []), *([system] if system else [])]
    sources = [str(RUNTIME / "src" / "arithmetic.c"), str(tmp_path / "main.c")]
    includes = [f"-I{folder}" for folder in INCLUDES]
    built = ["gcc", "-O2", "-std=gnu99", "-ffp-contract=off", *flags, *includes, *sources, "-lm"]
    subprocess.run([*built, "-o", str(tmp_path / "modes")], check=True)
    done = subprocess.run([tmp_path / "modes"], capture_output=True, text=True, check=True)
    assert done.stdout == "0111" + "0111"
