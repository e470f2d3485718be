"""docs/MEMORY.md from the figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bench.memory.cases import NETWORKS, Case
from bench.memory.figures import Figures
from wrap_prose import wrapped

PAGE = Path(__file__).resolve().parents[3] / "docs" / "MEMORY.md"

#: The titles of the last parts, in order: those which bench.memory.attention, bfloat16 (two) and recompute write.
BLOCKS = "## Attention in blocks"
SAVED = "## Saved values in two bytes"
MOMENTS = "## Moments in two bytes"
LAST = "## Memory against time"

HEAD = """# Memory that training takes

`cd tests && PYTHONPATH=../site_scons python -m bench.memory` writes this page. The bytes are
computed by the compiler, not sampled.

- **peak** is the scratch of one training step, activations and gradients together. **bound** is
  what lives at the widest instruction of its schedule; no placement can be smaller. **ratio** is
  that of the two.
- **gradients** are those of trained parameters that are whole at some time. All others are applied
  as they are made.
- **arena** is all RAM of the image: trained parameters, optimizer (SGD, no momentum), inputs,
  scratch. **image** is flash.
- **plan** is the time to place all buffers of all programs, on the computer that wrote this page.
- **naive** is the same step with nothing fused, reordered or shared: the sum of all scratch buffers
  of the program as it is lowered from the training graph, with a gradient for each trained
  parameter. Views have no bytes. Weights, optimizer and inputs are not counted, as they are not in
  peak. **times** is naive / peak.
- **onnxruntime** is what the resident set of onnxruntime-training 1.19.2 grows by, from import to
  the highest of five steps. Weights, the framework's own structures and its allocator's reserve are
  in it: compare it with arena + image.

BatchNormalization keeps its running statistics (`--batch-norm frozen`).
"""

COLUMNS = [
    *("network", "scheme", "batch", "peak", "bound", "ratio", "gradients"),
    *("arena", "image", "plan", "naive", "times", "onnxruntime"),
]


def render(rows: Mapping[Case, tuple[Figures, int | str]]) -> str:
    table = ["| " + " | ".join(COLUMNS) + " |", "|---|---|" + "---:|" * (len(COLUMNS) - 2)]
    table += [line(case, figures, resident) for case, (figures, resident) in rows.items()]
    return wrapped("\n".join([HEAD, *summary({c: f for c, (f, _) in rows.items()}), "", *table]) + "\n")


def last_parts() -> str:
    """Return the last parts of the page as they are."""
    text = PAGE.read_text()
    _, title, parts = text.partition(f"\n{BLOCKS}")
    return title + parts


def residents() -> dict[tuple[str, ...], str]:
    """The last column of the page as it is, by the first three."""
    cells = [row.strip("| \n").split(" | ") for row in PAGE.read_text().splitlines() if row.startswith("| ")]
    return {tuple(row[:3]): row[-1] for row in cells}


def named(case: Case) -> tuple[str, str, str]:
    """The first three cells of a row."""
    return NETWORKS[case.network], case.scheme, str(case.batch)


def line(case: Case, f: Figures, resident: int | str) -> str:
    cells: list[str] = [*named(case)]
    cells += [f"{f.peak:,}", f"{f.bound:,}", f"{f.peak / f.bound:.3f}", f"{f.gradients:,}", f"{f.arena:,}"]
    cells += [f"{f.image:,}", f"{f.seconds:.2f} s", f"{f.naive:,}", f"{f.naive / f.peak:.1f}"]
    cells.append(f"{resident:,}" if isinstance(resident, int) else resident)
    return "| " + " | ".join(cells) + " |"


def summary(rows: Mapping[Case, Figures]) -> list[str]:
    ratio = max(f.peak / f.bound for f in rows.values())
    seconds = max(f.seconds for f in rows.values())
    resnet = rows[Case("resnet_8", "full", 1)]
    return [
        f"The largest ratio is {ratio:.3f}, the longest plan takes {seconds:.1f} s.",
        f"ResNet-8, all trained, batch 1: scratch and gradients {resnet.peak:,} B, naive {resnet.naive:,} B, "
        f"{resnet.naive / resnet.peak:.1f} times less.",
    ]
