"""The package for Swift, if there is a compiler; clang parses its module of C anywhere."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bindings import same_state
from bindings.digits import accuracy, code_lines, digits_folder
from bindings.row import Row, require
from bindings.swift import ROWS, SWIFT, run_swift
from runtime_sources import INCLUDES, THREADS, handle_sources, runtime_sources
from support.firmware import ROOT

PACKAGE = ROOT / "Package.swift"
needs_swift = pytest.mark.skipif(shutil.which("swiftc") is None, reason="no swiftc; Debian 13 has it in swiftlang")
needs_clang = pytest.mark.skipif(shutil.which("clang-14") is None, reason="apt-get install clang-14")


@needs_swift
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.profile)
def test_the_state_is_the_twins(row: Row, tmp_path: Path) -> None:
    """SameState.swift also checks what is refused, and calls after close()."""
    assert row.run(same_state.write_model(tmp_path), 30) == same_state.expected(row.profile, 30)


@needs_swift
def test_the_example_learns_digits(tmp_path: Path) -> None:
    folder = digits_folder(tmp_path)
    done = run_swift(SWIFT / "examples" / "TrainDigits.swift", tmp_path, "fused", str(folder))
    assert done.returncode == 0, done.stderr
    assert accuracy(done.stdout) > 0.94


@needs_clang
def test_the_module_of_c_is_a_module(tmp_path: Path) -> None:
    """clang finds gm_handle.h as the module CGradmote, as Swift's importer does."""
    source = tmp_path / "uses.c"
    source.write_text("@import CGradmote;\nint64_t (*open_it)(const void *, size_t, uint32_t) = gm_handle_open;\n")
    flags = ["-fmodules", "-fcxx-modules", f"-fmodules-cache-path={tmp_path}", "-std=c99", "-Wall", "-Werror"]
    places = [f"-I{SWIFT / 'CGradmote'}", f"-I{INCLUDES[0]}"]
    command = [require("clang-14"), "-fsyntax-only", "-x", "objective-c", *flags, *places, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_source_of_the_runtime_is_in_the_package() -> None:
    found = re.search(r"sources: \[(.*?)\]", PACKAGE.read_text(), re.DOTALL)
    assert found
    listed = [ROOT / path for path in re.findall(r'"(.*?)"', found[1])]
    taken = {file for path in listed for file in ([path] if path.is_file() else path.rglob("*.c"))}
    assert taken == {*runtime_sources(), *handle_sources(), THREADS / "gm_threads.c"}


def test_every_path_of_the_package_exists() -> None:
    pattern = r'(?:path|publicHeadersPath): "(bindings.*?)"|headerSearchPath\("([a-z].*?)"\)'
    paths = [ROOT / (first or second) for first, second in re.findall(pattern, PACKAGE.read_text())]
    assert len(paths) > 5
    assert [path for path in paths if not path.exists()] == []


@needs_clang
def test_no_source_is_contracted_without_a_flag() -> None:
    """The package manager passes no -ffp-contract=off, and clang contracts a product and a sum without it."""
    includes = [f"-I{path}" for path in (*INCLUDES, THREADS)]
    flags = ["-O0", "-mfma", "-ffp-contract=on", "-DGM_FUSED=0", "-DGM_THREADS=1", "-S", "-emit-llvm", "-o", "-"]
    contracted = []
    for source in runtime_sources():
        made = subprocess.run(["clang-14", *includes, *flags, str(source)], capture_output=True, text=True, check=True)
        contracted += [source.name] if "llvm.fmuladd" in made.stdout else []
    assert contracted == []


def test_it_is_small() -> None:
    """Fewer than 420 lines of Swift that are neither empty, nor comments, nor imports."""
    assert code_lines((SWIFT / "Gradmote").glob("*.swift")) < 420
