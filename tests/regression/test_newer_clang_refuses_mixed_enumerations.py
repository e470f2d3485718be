"""`./run dist` made no package for another language: the clang that compiles them warns if one enumeration's name and
another's are the branches of `?:`, which gcc and older clangs accept."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec

import pytest
from dist import libraries
from dist.commands import ZIG
from dist.targets import TARGETS

from runtime_sources import handle_sources

HERE = next(target for target in TARGETS if target.name == "linux-x86_64")

pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(find_spec("ziglang") is None, reason="pip install ziglang")]


@pytest.mark.parametrize("source", handle_sources(), ids=lambda source: source.stem)
def test_the_clang_of_the_packages_takes_the_sources(source, tmp_path):
    flags = libraries.handle_flags(HERE, "strict")
    command = [*ZIG, "cc", "-target", HERE.zig, *flags, "-c", str(source), "-o", str(tmp_path / "made.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
