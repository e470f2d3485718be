"""Objects that tests share are compiled again if a header of theirs changed, whatever its folder is called."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support import objects


@pytest.mark.skipif(shutil.which("gcc") is None, reason="apt-get install gcc")
@pytest.mark.parametrize("name", ["plain", "with a space", "$HOME", "a#b", "a: b"])
def test_an_object_follows_its_headers(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "value.h").write_text("enum { VALUE = 1 };\n")
    (folder / "source.c").write_text('#include "value.h"\nint value(void) { return VALUE; }\n')

    def compiled() -> bytes:
        (made,) = objects.objects(["gcc", "-O1"], [folder / "source.c"])
        return made.read_bytes()

    first = compiled()
    assert compiled() == first
    (folder / "value.h").write_text("enum { VALUE = 2 };\n")
    assert compiled() != first
