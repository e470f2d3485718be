"""Tables of code and data bytes: of each of the runtime's objects on a Cortex-M4, and of firmware."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

HEADER = f"{'Cortex-M4F, bytes':<44}{'-O2 text':>10}{'data':>6}{'bss':>6}{'-Os text':>10}{'data':>6}{'bss':>6}"


def write_size_report(target: list[Any], source: list[Any], env: Any) -> None:
    """Write and print the table: an action of SCons. source: objects under build/size/O2 and build/size/Os."""
    sizes = {level: _sizes([str(node) for node in source if f"size/{level}/" in str(node)]) for level in ("O2", "Os")}
    lines = [HEADER]
    for name in sorted(sizes["O2"], key=lambda name: -sizes["O2"][name][0]):
        lines.append(_row(name, sizes["O2"][name], sizes["Os"][name]))
    lines.append(_row("all", *(_total(level) for level in sizes.values())))
    text = "\n".join(lines) + "\n"
    Path(str(target[0])).write_text(text)
    print(text, end="")


def write_firmware_report(target: list[Any], source: list[Any], env: Any) -> None:
    """Write and print what each file of kernels adds to firmware: an action of SCons.

    source: the firmware, then the runtime's objects, which are empty if a kernel was left out.
    """
    firmware, *objects = [str(node) for node in source]
    whole = _weigh(env["SIZE"], [firmware])[firmware]
    sizes = _weigh(env["SIZE"], objects)
    text = {path.split("/kernels/")[1][:-2]: size[0] for path, size in sizes.items() if "/kernels/" in path and size[0]}
    rows = [(f"{firmware}, all of it", whole[0] + whole[1]), ("  its kernels", sum(text.values()))]
    rows += [(f"    {name}", text[name]) for name in sorted(text, key=lambda name: -text[name])]
    table = f"{'bytes of flash':<60}\n" + "".join(f"{name:<60}{size:>8}\n" for name, size in rows)
    Path(str(target[0])).write_text(table)
    print("".join(table.splitlines(keepends=True)[1:3]), end="")


def _sizes(objects: list[str]) -> dict[str, tuple[int, ...]]:
    """Return source name -> (text, data, bss)."""
    weighed = _weigh("arm-none-eabi-size", objects)
    return {Path(*Path(path).parts[3:]).with_suffix(".c").as_posix(): size for path, size in weighed.items()}


def _weigh(tool: str, files: list[str]) -> dict[str, tuple[int, ...]]:
    """Return file -> (text, data, bss) from `tool`, the compiler's `size`."""
    output = subprocess.run([tool, *files], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in output.splitlines()[1:]]
    return {row[5]: tuple(map(int, row[:3])) for row in rows}


def _total(sizes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(sum(column) for column in zip(*sizes.values(), strict=True))


def _row(name: str, *levels: tuple[int, ...]) -> str:
    return f"{name:<44}" + "".join(f"{text:>10}{data:>6}{bss:>6}" for text, data, bss in levels)
