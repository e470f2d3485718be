"""library.json: a project elsewhere takes the runtime as a library, beside the board's functions."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from gradmote.device.link import open_link
from gradmote.formats.kernel_selection import needs_of
from support.console_text import read_until
from support.pio import Pio
from support.ports import free_port

pytestmark = pytest.mark.device

INI = """
[env:mps2-an386]
platform = symlink://{platform}
board = mps2-an386
custom_gradmote = board
lib_deps = {library}
build_flags = {flags}
monitor_port = socket://127.0.0.1:{port}
"""

MAIN = """
#include "board.h"
#include "gradmote.h"
#include "memory.h"
#include "model.h"
#include "text.h"

static gm_session session;

int main(void)
{
    board_init();
    while (board_uart_get() < 0) {
        board_sleep();
    }
    text_i32(gm_open(&session, model_image, sizeof model_image, memory_arena(), memory_arena_size()));
    text_line(" from gm_open");
    for (;;) {
        board_sleep();
    }
}
"""


@pytest.fixture(scope="module")
def exported(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what library.json exports, as a package of the library has it, and return the folder."""
    folder = tmp_path_factory.mktemp("exported") / "Gradmote"
    folder.mkdir()
    for name in json.loads((root / "library.json").read_text())["export"]["include"]:
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy
        copy(root / name, folder / name)
    return folder


@pytest.mark.parametrize("scheme", ["symlink", "file"])
def test_a_project_elsewhere_opens_its_model(exported: Path, root: Path, tmp_path: Path, pio: Pio, scheme: str) -> None:
    header = (root / "firmware" / "test" / "test_training" / "model.h").read_text()
    image = bytes(int(byte, 16) for byte in re.findall(r"0x(\w\w),", header))
    port, flags = free_port(), " ".join(needs_of(image).flags())
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "model.h").write_text(header)
    (tmp_path / "src" / "main.c").write_text(MAIN)
    ini = INI.format(platform=root / "firmware/platform", library=f"{scheme}://{exported}", flags=flags, port=port)
    (tmp_path / "platformio.ini").write_text(ini)
    project = Pio(tmp_path, pio.core, tmp_path / ".pio")
    assert "Gradmote @ 0.1.0" in project("run", "-t", "upload")
    try:
        assert "0 from gm_open" in asked(f"socket://127.0.0.1:{port}")
    finally:
        project("run", "-t", "stop")


def asked(url: str) -> str:
    link = open_link(url)
    link.write(b"\r")
    said = read_until(link, "\n")
    link.close()
    return said
