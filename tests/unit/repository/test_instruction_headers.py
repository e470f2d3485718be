"""Each source of the runtime includes the headers of the opcodes that it names, and kernels know no others.

A condition on GM_WITH_<opcode> leaves a kernel out if the opcode's header is not included. -Wundef reports that, except
of what && and || leave alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from render.spec import opcodes
from runtime_sources import INCLUDES, RUNTIME

#: What is said of an instruction without its header: gm_config.h too has the default of GM_WITH_LOOP.
WITHOUT_HEADER = re.compile(r"/\*.*?\*/|struct gm_insn_\w+|GM_WITH_LOOP\b", re.DOTALL)
NAMED = re.compile(r"\b(?:gm_insn_|gm_kernel_|GM_WITH_)(\w+)")
INCLUDED = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
SOURCES = sorted(path for part in ("src", "kernels") for path in (RUNTIME / part).rglob("*.[ch]"))
OPCODES = {op.name.lower() for op in opcodes()}


def named(path: Path) -> set[str]:
    """Return the opcodes whose struct, kernel or condition a file names."""
    return OPCODES & {name.lower() for name in NAMED.findall(WITHOUT_HEADER.sub("", path.read_text()))}


@cache
def includes(path: Path) -> tuple[Path, ...]:
    """Return the files of the runtime that a file itself includes."""
    return tuple(found(path, name) for name in INCLUDED.findall(path.read_text()))


def found(path: Path, name: str) -> Path:
    return next(file for folder in (path.parent, *INCLUDES) if (file := (folder / name).resolve()).exists())


def reached(path: Path, seen: set[Path]) -> Iterator[Path]:
    """Yield the files that a file includes, over however many steps."""
    for file in includes(path):
        if file not in seen:
            seen.add(file)
            yield file
            yield from reached(file, seen)


def opcodes_included(path: Path) -> set[str]:
    own = {file for file in includes(path) if file.parent.name == "instructions"}
    return {file.stem for file in own if not file.stem.startswith("enum_")}


@pytest.mark.parametrize("folder", ["kernels", "src"])
def test_a_file_includes_the_headers_of_the_opcodes_that_it_names(folder: str) -> None:
    wrong = {}
    for path in SOURCES:
        if RUNTIME / folder in path.parents and not knows_all(path) and named(path) != opcodes_included(path):
            wrong[path.relative_to(RUNTIME).as_posix()] = named(path) ^ opcodes_included(path)
    assert not wrong


def knows_all(path: Path) -> bool:
    return RUNTIME / "generated" / "gm_opcodes.h" in set(reached(path, set()))


def test_no_kernel_is_compiled_again_for_a_new_opcode() -> None:
    know_all = [path for path in SOURCES if path.suffix == ".c" and knows_all(path)]
    assert not [path.name for path in know_all if RUNTIME / "kernels" in path.parents]
    assert 3 < len(know_all) < 12


def test_each_header_has_a_guard_of_its_own():
    """In the joined sources, a header is empty after another one with its guard."""
    headers = list(RUNTIME.rglob("*.h"))
    guards = [re.search(r"^#ifndef (\w+_H)\n#define \1$", path.read_text(), re.MULTILINE) for path in headers]
    assert len(headers) > 50
    assert [path for path, guard in zip(headers, guards, strict=True) if guard is None] == []
    names = [guard[1] for guard in guards if guard]
    assert sorted(names) == sorted(set(names))
