"""Compilers for Windows take the runtime: clang-cl compiles it, and Microsoft's own would see nothing of gcc's in it.

Headers of Microsoft's are not to be had on other systems, so clang's own and msvc_headers take their place. What
clang-cl reads without the name of clang is what Microsoft's compiler would read.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime_sources import INCLUDES, RUNTIME, msvc_flags, runtime_sources

CLANG_CL = shutil.which("clang-cl-14") or shutil.which("clang-cl")
HEADERS = Path(__file__).with_name("msvc_headers")
X86_64, AARCH64 = "x86_64-pc-windows-msvc", "aarch64-pc-windows-msvc"
#: Hides clang's name, and takes its long header of intrinsics from HEADERS too.
AS_MICROSOFTS = ("-U__clang__", f"/I{HEADERS / 'intrinsics'}", "-Wno-everything")
#: What only gcc and clang know.
OF_GCC = re.compile(r"\b(__builtin_(?!offsetof)\w+|__atomic_\w+|__(?:attribute|asm|typeof|extension)__|_Pragma)\b")
_LINE = re.compile(r'^#(?:line)? \d+ "([^"]*)"')

pytestmark = pytest.mark.skipif(CLANG_CL is None, reason="apt-get install clang-tools-14")


def run(target: str, profile: str, *options: str) -> str:
    """Return what clang-cl prints for all sources of the runtime in one run."""
    includes = ["-imsvc", str(HEADERS), *(f"/I{path}" for path in INCLUDES)]
    sources = [str(path) for path in runtime_sources()]
    command = [CLANG_CL, f"--target={target}", "/nologo", *msvc_flags(profile, "clang-cl", target), *options, *includes]
    done = subprocess.run([*command, "--", *sources], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("target, profile", [(X86_64, "fused"), (AARCH64, "strict")])
def test_clang_cl_compiles_every_source(target, profile, tmp_path):
    assert "warning" not in run(target, profile, "/c", "/W4", "/WX", f"/Fo{tmp_path}/")
    assert len(list(tmp_path.iterdir())) == len({path.stem for path in runtime_sources()})


@pytest.mark.parametrize("target, profile", [(X86_64, "fused"), (AARCH64, "fused")])
def test_microsofts_compiler_sees_nothing_of_gcc(target, profile):
    text = run(target, profile, "/E", *AS_MICROSOFTS)
    assert not {f"{path}: {word}" for path, line in own_lines(text) for word in OF_GCC.findall(line)}


def test_what_microsofts_compiler_sees_is_c():
    """Types and prototypes are those that its headers declare."""
    run(X86_64, "fused", "-fsyntax-only", "-Werror=implicit-function-declaration", *AS_MICROSOFTS)


def own_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line with the source or header of the runtime that it comes from."""
    path = ""
    for line in text.splitlines():
        marker = _LINE.match(line)
        if marker:
            path = marker[1].replace("\\\\", "/")
        elif RUNTIME.name in path:
            yield path, line


def test_the_check_would_find_it(tmp_path):
    source = tmp_path / RUNTIME.name / "source.c"
    source.parent.mkdir()
    source.write_text("float f(float x) { return __builtin_sqrtf(x); }\n")
    command = [CLANG_CL, "/nologo", "/E", "--", str(source)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [word for _, line in own_lines(text) for word in OF_GCC.findall(line)] == ["__builtin_sqrtf"]
