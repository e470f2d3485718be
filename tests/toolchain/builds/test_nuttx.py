"""The library of NuttX compiles by its Makefile with the options of its Kconfig, and trains to the twin's bits.

A few lines of make stand in for NuttX: what its apps include, for this computer.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from bench.builds.cmake import GRADMOTE, NUMERICS, Case, call

from gradmote.project.c_sources import write_sources
from support import train_state

MAKE_DEFS = """include $(TOPDIR)/.config
INCDIR_PREFIX = -I
CFLAGS = -O2 -Wall -Wstrict-prototypes -Wshadow -Wundef -Werror -I$(TOPDIR)/include
include $(APPDIR)/mlearning/gradmote/Make.defs
"""
APPLICATION = "%.o: %.c\n\t$(CC) $(CFLAGS) -c $< -o $@\nall: $(CSRCS:.c=.o)\n\t@echo made $(CONFIGURED_APPS)\n"

pytestmark = pytest.mark.skipif(
    shutil.which("make") is None or find_spec("genconfig") is None, reason="pip install kconfiglib, and make"
)


@pytest.fixture
def case(tmp_path):
    return Case(tmp_path)


def made(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Let make compile the library in a new project, with these settings of its Kconfig."""
    apps, nuttx = folder / "apps", folder / "nuttx"
    (apps / "mlearning").mkdir(parents=True)
    (nuttx / "include" / "nuttx").mkdir(parents=True)
    (apps / "mlearning" / "gradmote").symlink_to(write_sources(folder / "gradmote") / "nuttx")
    (apps / "Make.defs").write_text(MAKE_DEFS)
    (apps / "Application.mk").write_text(APPLICATION)
    lines = [f"CONFIG_GRADMOTE{name and '_'}{name}={value}\n" for name, value in {"": "y", **settings}.items()]
    (nuttx / "defconfig").write_text("".join(lines))
    environment = {**os.environ, "APPSDIR": str(apps), "KCONFIG_CONFIG": str(nuttx / "defconfig"),
                   "PATH": f"{GRADMOTE.parent}{os.pathsep}{os.environ['PATH']}"}  # fmt: skip
    subprocess.run([sys.executable, "-m", "genconfig", "--header-path", nuttx / "include" / "nuttx" / "config.h",
                    "--config-out", nuttx / ".config", apps / "mlearning" / "gradmote" / "Kconfig"],
                   env=environment, check=True)  # fmt: skip
    return subprocess.run(["make", "-C", apps / "mlearning" / "gradmote", f"APPDIR={apps}", f"TOPDIR={nuttx}", "all"],
                          env=environment, capture_output=True, text=True, check=False)  # fmt: skip


def test_the_library_trains_to_the_twins_bits(case, tmp_path):
    done = made(tmp_path / "project", MODELS=f'"{case.files[0]}"', STRICT="y")
    assert done.returncode == 0 and done.stdout.count("/apps/mlearning/gradmote\n") == 1, done.stderr
    assert "-DGM_ONLY_SELECTED=1" in done.stdout
    library, program = tmp_path / "project" / "gradmote", tmp_path / "train_state"
    call("gcc", f"-I{library}", NUMERICS / "train_state.c", library / "nuttx" / "gradmote.o", "-o", program)
    said = train_state.said_by([program, *case.files])
    assert said == train_state.said_by_twin(case.image, case.batches, "strict")


def test_what_is_off_is_left_out(tmp_path):
    done = made(tmp_path / "project", STRICT="y", TRAINING="n", ARCH="n")
    assert done.returncode == 0, done.stderr
    defined = {word for word in done.stdout.split() if word.startswith("-DGM_")}
    assert defined == {"-DGM_FUSED=0", "-DGM_TRAINING=0", "-DGM_WITH_STORE=0", "-DGM_ARCH=0"}


def test_a_wrong_model_stops_the_build(tmp_path):
    (tmp_path / "wrong.mote").write_bytes(b"MOTE")
    done = made(tmp_path / "project", MODELS=f'"{tmp_path / "wrong.mote"}"')
    assert done.returncode != 0 and "wrong.mote: 4 bytes are too few for an image" in done.stderr
    assert "`gradmote kernels` says above what is wrong with" in done.stderr
