"""The binding declares to cffi what the headers declare to C, all of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from build_runtime import HEADERS, declarations

from gradmote_runtime.library import load


def test_every_public_function_is_bound(root: Path) -> None:
    header = (root / "runtime_c" / "include" / "gradmote.h").read_text()
    functions = set(re.findall(r"^[a-z].*?\b(gm_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S), re.M))
    bound = set(dir(load("strict").lib))
    assert len(functions) > 30
    assert functions <= bound


def test_record_sizes_are_those_of_the_spec() -> None:
    from gradmote.generated.records import RECORDS

    ffi = load("strict").ffi
    sizes = {"section": 8} | {name: 0 for name in RECORDS if name != "section"}
    for name in sizes:
        sizes[name] = sum(count * sizes.get(kind, 4) for _, kind, count in RECORDS[name])
        assert ffi.sizeof(f"gm_{name}") == sizes[name]


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_filter_leaves_no_preprocessor_but_numbers(header: Path) -> None:
    for line in declarations(header.read_text()).splitlines():
        assert not line.startswith("#") or re.fullmatch(r"#define GM_\w+ \.\.\.", line)
        assert "extern" not in line and "gm_assert_" not in line and "/*" not in line
