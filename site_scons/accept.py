"""Measured figures that are committed, and what measures them again: `scons accept`, or one with ONLY=counts.

A change that moves a figure a little leaves it alone: tests allow for it. Where a test calls a figure stale, it names
the figure, and whoever lands the change accepts it once, in a commit of its own.
"""

from __future__ import annotations

import sys

#: Figure -> the module of tests/ that measures and writes it. `footprints` is a target of SCons by itself.
MEASURED = {
    "counts": "bench.speed.accept",  # tests/bench/speed/accepted.json
    "operators": "numeric.onnx_backend",  # docs/OPERATORS.md
    "console": "device.console_page",  # the conversations of docs/CONSOLE.md
    "image": "numeric.spec.example_image",  # docs/EXAMPLE_IMAGE.md
}
#: Those that take long: only where ONLY names them.
ON_DEMAND = {
    "costs": "bench.calibrate_cost",  # gradmote/report/analyze/costs.json
    "boards": "bench.boards",  # docs/BOARDS.md
    "durations": "support.durations",  # tests/durations.json
}
FOOTPRINTS = "footprints"  # gradmote/device/boards.json


def chosen(only: str) -> list[str]:
    """Return the figures that ONLY names, or all that tests compare. Raises ValueError for a name that is none."""
    known = [FOOTPRINTS, *MEASURED, *ON_DEMAND]
    names = [name for name in only.split(",") if name] or [FOOTPRINTS, *MEASURED]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"accept ONLY={','.join(unknown)}: there is {', '.join(known)}")
    return names


def commands(names: list[str]) -> list[str]:
    """Return the commands that measure these figures, but for the footprints."""
    modules = [{**MEASURED, **ON_DEMAND}[name] for name in names if name != FOOTPRINTS]
    found = "PYTHONPATH=../site_scons:../bindings/python:."
    return [f"cd tests && {found} {sys.executable} -m {module}" for module in modules]
