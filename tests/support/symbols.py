"""Reads with nm the symbols that object files define and need."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

ALLOWED_CALLS = {"memcpy", "memset", "memcmp", "memmove", "bcmp"}  # clang writes memcmp() == 0 as bcmp()
#: Arithmetic from the compiler's own library, for cores that lack it.
COMPILER_LIBRARY = re.compile(r"__(aeabi|gnu_thumb1|ARM)_\w+|__\w+[sdt]i[2-4]?|__\w+sf[23]?|_GLOBAL_OFFSET_TABLE_")


def symbols(nm: str, files: Iterable[Path], *flags: str) -> list[list[str]]:
    """Return nm's lines: [address,] type, name."""
    command = [nm, *flags, *sorted(str(path) for path in files)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split() for line in output.splitlines() if line and not line.endswith(":")]


def foreign_calls(nm: str, files: Iterable[Path]) -> set[str]:
    """Return the symbols that the objects need and do not define, except the allowed ones."""
    files = list(files)
    wanted = {line[-1] for line in symbols(nm, files, "--undefined-only")}
    defined = {line[-1] for line in symbols(nm, files, "--defined-only")}
    return {name for name in wanted - defined - ALLOWED_CALLS if not COMPILER_LIBRARY.fullmatch(name)}
