"""The table of code and data bytes of each of the runtime's objects on a Cortex-M4."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

HEADER = f"{'Cortex-M4F, bytes':<44}{'-O2 text':>10}{'data':>6}{'bss':>6}{'-Os text':>10}{'data':>6}{'bss':>6}"


def write_size_report(target: list[Any], source: list[Any], env: Any) -> None:
    """SCons action: writes and prints the table. source: objects under build/size/O2 and build/size/Os."""
    sizes = {level: _sizes([str(node) for node in source if f"size/{level}/" in str(node)]) for level in ("O2", "Os")}
    lines = [HEADER]
    for name in sorted(sizes["O2"], key=lambda name: -sizes["O2"][name][0]):
        lines.append(_row(name, sizes["O2"][name], sizes["Os"][name]))
    lines.append(_row("all", *(_total(level) for level in sizes.values())))
    text = "\n".join(lines) + "\n"
    Path(str(target[0])).write_text(text)
    print(text, end="")


def _sizes(objects: list[str]) -> dict[str, tuple[int, ...]]:
    """Source name -> (text, data, bss), as arm-none-eabi-size counts them."""
    output = subprocess.run(["arm-none-eabi-size", *objects], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in output.splitlines()[1:]]
    return {Path(*Path(row[5]).parts[3:]).with_suffix(".c").as_posix(): tuple(map(int, row[:3])) for row in rows}


def _total(sizes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(sum(column) for column in zip(*sizes.values(), strict=True))


def _row(name: str, *levels: tuple[int, ...]) -> str:
    return f"{name:<44}" + "".join(f"{text:>10}{data:>6}{bss:>6}" for text, data, bss in levels)
