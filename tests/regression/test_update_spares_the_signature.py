"""UPDATE_BEGIN erased the end of the running image's signature if the image fitted the half of the area and its
signature did not: the board refused its own model at the next start."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from boards import BUILD, FIRMWARE, FIRMWARE_INCLUDES, signature_sources
from c.signature.keys import key_of
from c.signature.test_ed25519 import compile_c
from monocypher import fetch_monocypher

from runtime_sources import RUNTIME

SIGNATURE = 80

pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(shutil.which("gcc") is None, reason="apt-get install gcc")]


@pytest.mark.parametrize(("signed", "after"), [(True, SIGNATURE), (False, 0)])
def test_the_half_has_room_for_image_and_signature(signed, after, tmp_path):
    sources = signature_sources(fetch_monocypher(BUILD)) if signed else [FIRMWARE / "src/storage/no_signature.c"]
    key = ",".join(map(str, key_of("own").public_key().public_bytes_raw()))
    sources = [FIRMWARE.parent / "tests/c/signature/find_room.c", *sources, RUNTIME / "src/crc32.c"]
    sources += [FIRMWARE / "src" / "storage" / name for name in ("images.c", "flash_writer.c")]
    flags = [f"-DSIGNATURE_KEY={key}", "-DBOARD_PROGRAM_UNIT=4", *(f"-I{path}" for path in FIRMWARE_INCLUDES)]
    program = compile_c(tmp_path / "find_room", sources, *flags)
    reported = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert reported.split() == [str(4096 - after), "of", "4096"]
