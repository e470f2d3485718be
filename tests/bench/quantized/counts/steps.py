"""Millions of machine instructions of whole training steps, with one sample."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench.quantized import memory
from bench.quantized.counts import schemes
from bench.quantized.counts.cores import Core
from bench.quantized.counts.figures import Figure, Table, Wanted

from gradmote.report.bench.counting import counter

MILLION = 1e6
COLUMN = "millions"
FLOAT32, INT8 = "DS-CNN, float32", "DS-CNN, int8"
RATIO = "DS-CNN, float32 / int8"
#: Core -> the least ratio of float32's instructions to those of int8.
RATIOS = {"cortex-m3": 30.0}


def ds_cnn(form: str) -> bytes:
    return memory.compiled("ds_cnn", form).image


#: Row -> makes the image, and the target on each core.
STEPS: dict[str, tuple[Callable[[], bytes], dict[str, float]]] = {
    FLOAT32: (partial(ds_cnn, "float32"), {}),
    INT8: (partial(ds_cnn, memory.INT16), {}),
} | {row: (partial(schemes.image, row), schemes.TARGETS.get(row, {})) for row in schemes.SCHEMES}


def figures(core: Core, wanted: Wanted) -> Iterator[Figure]:
    """Yield those of a core that runs images. Networks whose files are not there are left out, and named."""
    if not core.runs_images():
        return
    counts = {}
    for row, (make, targets) in STEPS.items():
        if wanted(row) or (row in (FLOAT32, INT8) and wanted(RATIO)):
            if row in schemes.SCHEMES and (reason := schemes.reason_to_skip()):
                print(f"{row}: not counted, because {reason}")
                continue
            counts[row] = step_instructions(core, make()) / MILLION
            yield Figure(core.name, row, COLUMN, counts[row], targets.get(core.name))
    if {FLOAT32, INT8} <= {*counts}:
        yield Figure(core.name, RATIO, COLUMN, counts[FLOAT32] / counts[INT8], RATIOS.get(core.name), at_least=True)


def step_instructions(core: Core, image: bytes) -> int:
    with tempfile.TemporaryDirectory() as folder:
        return counter(core.board().name, Path(folder), [image]).count(image)["step"].whole


TABLE = Table("millions of machine instructions a step", figures)
