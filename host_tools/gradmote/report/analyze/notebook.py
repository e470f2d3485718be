"""A compiled image in a notebook: sizes, memory map, arena and layers."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ...compiler.compile import Result
from ..html_tables import table
from ..notebook import scrolled, shown
from .gather import Report, analyze_result, macs
from .memory_map import memory_map
from .tables import layer_rows, memory_rows, rounded, verdict


def result_as_html(result: Result) -> str:
    """Return the memory map and the layers of an image just compiled."""
    return shown(_parts(analyze_result(result, "image")))


def _parts(report: Report) -> Iterator[str]:
    main = report.main
    scheme = f" Scheme: {escape(report.scheme)}." if report.scheme else ""
    yield (
        f"<p><b>{report.arena:,} bytes of RAM</b> (arena), <b>{report.image:,} bytes of flash</b> (image): "
        f"{escape(verdict(report)[1])}. One {main.kind} with a batch of {report.batch}: {len(main.steps):,} "
        f"instructions, {rounded(macs(report))} MAC.{scheme}</p>"
    )
    yield f"<h4>Memory of one {main.kind}</h4>{memory_map(report, main)}"
    for title, rows in (("Arena", memory_rows(report)), ("Layers", layer_rows(report))):
        yield f"<h4>{title}</h4>{scrolled(table(rows))}"
