"""The browser's tables in docs/PERFORMANCE.md, from results.json."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

from bench.browser.cases import NOTHING as EMPTY
from bench.browser.cases import ORT, PLAIN, SIMD, TFJS_CPU, TFJS_WASM
from bench.browser.speed import TWIN
from bench.speed.cases import TITLES
from bench.speed.page import NOTHING, PAGE, described, figure, filled, markdown, microseconds, ratio
from wrap_prose import wrapped

from gradmote.report.bench.spread import Spread
from gradmote.terminal.printable import Row, Rows

Results = dict[str, Any]


def tables(found: Results) -> dict[str, Rows]:
    """Title -> table, of the parts that were measured."""
    return {title: make(found[part]) for part, (title, make) in TABLES.items() if part in found}


def write(found: Results) -> None:
    """Put each table between its marks: <!-- title --> and <!-- end -->."""
    text = PAGE.read_text()
    for part, (title, make) in TABLES.items():
        if part in found:
            text = filled(text, title, f"{described(found[part])}\n\n{markdown(make(found[part]))}")
    PAGE.write_text(wrapped(text))


# ---- Steps


def speed_table(part: Results) -> Rows:
    columns = ["network", "batch#", "simd µs#", "plain µs#", "twin µs#", "ORT µs#", "TF.js wasm µs#", "TF.js cpu µs#"]
    columns += ["ORT / simd#", "TF.js / simd#", "simd / twin#", "plain / simd#"]
    return columns, [speed_row(row) for row in part["rows"]]


def speed_row(row: Results) -> Row:
    taken = row["samples"]
    names = (SIMD.name, PLAIN.name, TWIN, ORT.name, TFJS_WASM.name, TFJS_CPU.name)
    times = [microseconds(Spread.of(taken[name])) if name in taken else NOTHING for name in names]
    quickest = min((taken[n] for n in (TFJS_WASM.name, TFJS_CPU.name) if n in taken), key=statistics.median)
    pairs = [(taken.get(ORT.name), taken[SIMD.name]), (quickest, taken[SIMD.name])]
    pairs += [(taken[SIMD.name], taken[TWIN]), (taken[PLAIN.name], taken[SIMD.name])]
    return [TITLES[row["network"]], str(row["batch"]), *times, *(quotient(above, below) for above, below in pairs)]


def quotient(above: list[float] | None, below: list[float]) -> str:
    """Return the ratio of the medians; with quartiles if both were timed in the same rounds."""
    if above is None:
        return NOTHING
    if len(above) == len(below):
        return ratio(Spread.of_ratios(above, below))
    return f"{statistics.median(above) / statistics.median(below):.2f}"


# ---- The first step


def cold_table(part: Results) -> Rows:
    columns = ["network", "who", "first step, s#", "of simd's#", "beyond an empty page, s#", "of simd's#"]
    columns += ["loaded, KB#", "files#"]
    return columns, [line for row in part["rows"] for line in cold_rows(row)]


def cold_rows(row: Results) -> list[Row]:
    taken, lines = row["samples"], []
    empty, own = (statistics.median(taken[name]) for name in (EMPTY.name, SIMD.name))
    for name, seconds in taken.items():
        spread, times = Spread.of(seconds), ratio(Spread.of_ratios(seconds, taken[SIMD.name]))
        range_ = f"{spread.median:.2f} ({spread.low:.2f}–{spread.high:.2f})"
        beyond = [f"{spread.median - empty:.2f}", f"{(spread.median - empty) / (own - empty):.1f}"]
        loaded = [f"{row['bytes'][name] / 1000:,.0f}", str(row["files"][name])]
        is_empty = name == EMPTY.name
        reported = [NOTHING] * 3 if is_empty else [times, *beyond]
        lines.append([TITLES[row["network"]], name, range_, *reported, *loaded])
    return lines


# ---- Frames, and sizes


def frames_table(part: Results) -> Rows:
    columns = ["network", "trains in", "steps#", "frames#", "median, ms#", "p95, ms#", "longest, ms#"]
    return columns, [frames_row(row) for row in part["rows"]]


def frames_row(row: Results) -> Row:
    gaps = [f"{row[name]:.1f}" for name in ("median", "p95", "longest")]
    return [TITLES[row["network"]], row["place"], f"{row['steps']:,}", f"{row['frames']:,}", *gaps]


def sizes_table(part: Results) -> Rows:
    columns = ["of", "file", "what it is", "KB#", "KB under brotli#"]
    return columns, [sizes_row(row) for row in part["rows"]]


def sizes_row(row: Results) -> Row:
    return [row["of"], row["file"], row["what"], *(figure(row[name] / 1000) for name in ("bytes", "brotli"))]


#: Part -> the title of its table, and what draws it.
TABLES: dict[str, tuple[str, Callable[[Results], Rows]]] = {
    "speed": ("steps in Chromium", speed_table),
    "cold": ("first step of a cold page", cold_table),
    "frames": ("frames while a network trains", frames_table),
    "sizes": ("sizes in a page", sizes_table),
}
