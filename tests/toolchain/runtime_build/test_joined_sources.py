"""A wheel that is compiled when it is installed takes for both profiles what has no fused operation in either."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from joined_sources import is_alike, join
from runtime_sources import INCLUDES, extension_flags, extension_sources, host_machine

#: x86's fused multiply-adds: vfmadd231ps, vfnmsub132ss, ...
FUSED = re.compile(r"\bvfn?m(?:add|sub)\w+")

on_x86 = pytest.mark.skipif(
    host_machine() not in ("x86_64", "amd64") or not (shutil.which("gcc") and shutil.which("objdump")),
    reason="the instructions that are looked for are those of x86-64: apt-get install gcc binutils",
)


def test_a_rule_names_both_kinds() -> None:
    names = {source.name: is_alike(source) for source in extension_sources()}
    assert names["verify.c"] and names["conv_s8.c"] and names["s16.c"]
    assert not names["numerics.c"] and not names["gemm.c"] and not names["gemm_update.c"]


def test_what_is_alike_does_not_ask_for_the_profile() -> None:
    assert not [path.name for path in filter(is_alike, extension_sources()) if "GM_FUSED" in path.read_text()]


@on_x86
@pytest.mark.parametrize("alike", [True, False])
def test_what_is_alike_has_no_fused_operation(alike: bool, tmp_path) -> None:
    sources = [path for path in extension_sources() if is_alike(path) == alike]
    source, made = join(sources, tmp_path / "joined.c"), tmp_path / "joined.o"
    flags = [*extension_flags("fused"), "-O1", *(f"-I{path}" for path in INCLUDES)]
    subprocess.run(["gcc", *flags, "-c", str(source), "-o", str(made)], check=True)
    code = subprocess.run(["objdump", "-d", str(made)], capture_output=True, text=True, check=True).stdout
    assert bool(FUSED.search(code)) is not alike


def test_each_source_is_in_one_of_the_two(tmp_path) -> None:
    parts = [[path for path in extension_sources() if is_alike(path) == alike] for alike in (True, False)]
    assert all(parts)
    included = [line for part in parts for line in join(part, tmp_path / "joined.c").read_text().splitlines()]
    assert sorted(included) == sorted(f'#include "{path.as_posix()}"' for path in extension_sources())
