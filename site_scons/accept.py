"""Accept measured figures that are committed: `scons accept` measures them again, or one with ONLY=counts.

Tests tolerate small changes of a figure. If a test calls a figure stale, it names it, and whoever makes the change
accepts it once, in a separate commit.
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
#: Slow measurements: only if ONLY names them.
ON_DEMAND = {
    "costs": "bench.calibrate_cost",  # gradmote/report/analyze/costs.json
    "boards": "bench.boards",  # docs/BOARDS.md
    "durations": "support.budget",  # tests/durations.json
}
FOOTPRINTS = "footprints"  # gradmote/device/boards.json


def chosen(only: str) -> list[str]:
    """Return the figures that ONLY names, or all that tests compare. Raises ValueError for an unknown name."""
    known = [FOOTPRINTS, *MEASURED, *ON_DEMAND]
    names = [name for name in only.split(",") if name] or [FOOTPRINTS, *MEASURED]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"accept ONLY={','.join(unknown)}: there is {', '.join(known)}")
    return names


def commands(names: list[str]) -> list[str]:
    """Return the commands that measure these figures, except for the footprints."""
    modules = [{**MEASURED, **ON_DEMAND}[name] for name in names if name != FOOTPRINTS]
    found = "PYTHONPATH=../site_scons:../bindings/python:."
    return [f"cd tests && {found} {sys.executable} -m {module}" for module in modules]
