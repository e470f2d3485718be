"""Shows the RAM that training takes in float32 and in int8, and writes it to docs/QUANTIZATION.md.

The networks of MCUNetV3 are measured if the environment variable GRADMOTE_MCUNET names their folder.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.quantized import page, streamed
from bench.quantized.memory import FORMS, KB, LIMITS, Figures, broken, measure

from support.quantized import by_onnxruntime, mcunet


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quantized memory", description=__doc__)
    parser.parse_args(arguments)
    found = [measure(network) for network in LIMITS]
    show("memory", *table(found))
    if mcunet.folder():
        show("memory, by rows", *streamed.table([streamed.measure(network) for network in streamed.BLOCKS]))
    raise SystemExit("\n".join(broken(found)) or 0)


def show(title: str, columns: list[str], rows: list[list[str]]) -> None:
    print("\n".join(page.markdown(columns, rows)))
    page.write(title, columns, rows)


def table(found: list[Figures]) -> tuple[list[str], list[list[str]]]:
    """Return columns and rows: kilobytes of 1024 bytes."""
    columns = ["network", *FORMS, "times less"]
    rows = []
    for figures in found:
        arena = figures.arena
        first, *_, last = arena.values()
        cells = [f"{size / KB:.0f} KB" for size in arena.values()]
        rows.append([by_onnxruntime.NETWORKS[figures.network], *cells, f"{first / last:.1f}"])
    return columns, rows
