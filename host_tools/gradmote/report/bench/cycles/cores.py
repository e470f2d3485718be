"""The cores with known timings: a table for each (tables/*.toml), with the source of each number.

A table has:

- `names`: the boards' names for the core (board.toml). `issue`: how many instructions begin per cycle.
- `architecture`: the architecture to pass to objdump, for code that it does not know otherwise.
- [sources]: the meaning of the word `source` in each entry. "assumed" is one of them.
- [kinds]: the timing of each kind of instruction (decoding.py). The core lacks all unlisted kinds.
- [branch] and [memory]: timings that depend on more than the kind.
- [measured], if somebody measured the micro-kernels on a real part (`gradmote flash --calibrate`):
  timings derived from it replace those above (calibration.py).
"""

from __future__ import annotations

import sys
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from ....errors import DataError
from .calibration import calibrated, measured_of
from .timings import Branch, Core, Memory, Timing

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).with_name("tables")


def core_files() -> list[str]:
    """Return the names of all cores with a table, such as cortex-m4."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("*.toml"))


@cache
def read_core(name: str) -> Core:
    """Return the core with a name such as cortex-m4. Raises DataError if it has no table."""
    path = FOLDER / f"{name.replace('-', '_')}.toml"
    if not path.is_file():
        raise DataError(f"there are no timings of {name}", f"there are those of {', '.join(core_files())}")
    return core_of_table(tomllib.loads(path.read_text()))


def core_called(name: str) -> Core | None:
    """Return the core with this name on boards, such as Cortex-M4F; None if it has no table."""
    cores = map(read_core, core_files())
    return next((core for core in cores if name in core.names), None)


def core_of_table(table: dict[str, Any]) -> Core:
    """Return the core from a parsed table. Raises DataError if it is not a valid table."""
    try:
        core = Core(
            title=table["title"],
            names=tuple(table["names"]),
            issue=table["issue"],
            architecture=table.get("architecture", ""),
            sources=table["sources"],
            kinds={kind: Timing(**timing) for kind, timing in table["kinds"].items()},
            branch=Branch(**table["branch"]),
            memory=Memory(**table.get("memory", {})),
        )
    except (KeyError, TypeError, AttributeError) as error:
        known = ", ".join(field.name for field in fields(Core))
        raise DataError(f"this is not a table of timings ({error})", f"it needs {known}") from error
    return calibrated(core, measured_of(table["measured"])) if "measured" in table else core
