"""The tables of docs/PERFORMANCE.md, from results.json. The text between them is written by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.speed import boards
from bench.speed.cases import TITLES
from bench.speed.host import FROZEN, ORT, RUNTIME, TORCH, TWIN
from wrap_prose import wrapped

from gradmote.device.boards import board
from gradmote.report.bench.counting import core_of
from gradmote.report.bench.cycles.cores import core_called
from gradmote.report.bench.spread import Spread
from gradmote.terminal.printable import Row, Rows, heading, is_numeric

PAGE = Path(__file__).resolve().parents[3] / "docs" / "PERFORMANCE.md"
NOTHING = "—"
#: Kernels with a smaller part of the step are not listed.
LISTED_SHARE = 0.02
#: The boards and networks whose kernels are listed.
LISTED_BOARDS = ("mps2-an386", "mps3-an547")
LISTED_NETWORKS = ("mlp", "cnn", "ds_cnn", "resnet_8", "mobilenet_v1")

Results = dict[str, Any]


def tables(found: Results) -> dict[str, Rows]:
    """Title -> table, of the parts that were measured."""
    drawn: dict[str, Rows] = {}
    for part, makers in TABLES.items():
        if part in found:
            drawn |= {title: make(found[part]) for title, make in makers.items()}
    return drawn


def write(found: Results) -> None:
    """Put each table between its marks: <!-- title --> and <!-- end -->."""
    text = PAGE.read_text()
    for part, makers in TABLES.items():
        for title in makers if part in found else ():
            text = filled(text, title, f"{described(found[part])}\n\n{markdown(makers[title](found[part]))}")
    PAGE.write_text(wrapped(text))


def filled(text: str, title: str, content: str) -> str:
    """Fill in the place of that title. Raise SystemExit if the text has none, or several."""
    start, end = f"<!-- {title} -->\n", "<!-- end -->"
    text, count = re.subn(f"{start}.*?{end}", lambda _: f"{start}{content}\n{end}", text, flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"{PAGE} has {count} places for the table <!-- {title} -->; it needs one")
    return text


def described(part: Results) -> str:
    """Return the date, the machine and the versions of a measurement."""
    words = [part["made"], *([part["machine"]] if "machine" in part else []), *part.get("versions", ())]
    if "rounds" in part:
        words.append(f"{part['rounds']} rounds")
    if "peak" in part:
        peak = part["peak"]
        words.append(f"peak {peak['macs'] / 1e9:.1f} GMAC/s in vectors of {peak['lanes']}")
        words.append(f"main memory {peak['bandwidth'] / 1e9:.1f} GB/s")
    return f"*{'; '.join(words)}.*"


def markdown(rows: Rows) -> str:
    columns, body = rows
    lines = [cells([heading(column) for column in columns])]
    lines.append("|" + "".join("---:|" if is_numeric(column) else "---|" for column in columns))
    return "\n".join([*lines, *(cells(row) for row in body)])


def cells(row: Row) -> str:
    return f"| {' | '.join(map(str, row))} |"


# ---- This computer


def host_table(part: Results) -> Rows:
    columns = ["network", "batch#", "program", "runtime µs#", "twin µs#", "frozen µs#", "ORT µs#", "PyTorch µs#"]
    columns += ["ORT / runtime#", "ORT / twin#", "PyTorch / runtime#"]
    return columns, [host_row(row) for row in part["rows"]]


def host_row(row: Results) -> Row:
    taken = row["samples"]
    times = [microseconds(Spread.of(taken[name])) if name in taken else NOTHING for name in (RUNTIME, TWIN, FROZEN)]
    times += [microseconds(Spread.of(taken[name])) for name in (ORT, TORCH)]
    ratios = [ratio(Spread.of_ratios(taken[a], taken[b])) for a, b in ((ORT, RUNTIME), (ORT, TWIN), (TORCH, RUNTIME))]
    return [TITLES[row["network"]], str(row["batch"]), row["program"], *times, *ratios]


def ort_table(part: Results) -> Rows:
    """Steps through onnxruntime's classes, and how many times longer onnxruntime takes; the last row is the geometric
    mean of all."""
    columns = ["network", "batch#", "ORT µs#", "ORT-shaped µs#", "twin µs#", "runtime µs#"]
    columns += ["ORT / ORT-shaped#", "ORT / twin#", "ORT / runtime#"]
    own = ("gradmote.training", "twin", "runtime")
    ratios = [[Spread.of_ratios(row["samples"][ORT], row["samples"][name]) for name in own] for row in part["rows"]]
    rows = [
        [TITLES[row["network"]], str(row["batch"])]
        + [microseconds(Spread.of(row["samples"][name])) for name in (ORT, *own)]
        + [ratio(spread) for spread in spreads]
        for row, spreads in zip(part["rows"], ratios)
    ]
    means = [f"{geometric_mean([spread.median for spread in column]):.2f}" for column in zip(*ratios)]
    return columns, [*rows, ["geometric mean", "", "", "", "", "", *means]]


def microseconds(seconds: Spread) -> str:
    """Median, and quartiles as parts of it above and below."""
    below, above = seconds.low / seconds.median - 1, seconds.high / seconds.median - 1
    return f"{figure(seconds.median * 1e6)} {below:+.0%} {above:+.0%}"


def ratio(times: Spread) -> str:
    return f"{times.median:.2f} ({times.low:.2f}–{times.high:.2f})"


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def figure(value: float) -> str:
    """Three digits at least."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


# ---- Boards


def board_table(part: Results) -> Rows:
    """Two rows for each network and batch, a column for each board; what a board does not run has a dash."""
    columns = ["network", "batch#", "program", "arena#", "MACs#"]
    columns += [f"{core_of(name)}#" for name in boards.WITH_OWN_CODE]
    return columns, [line for case, found in by_case(part).items() for line in board_rows(*case, found)]


def by_case(part: Results) -> dict[tuple[str, str, int], dict[str, Results]]:
    """(network, optimizer, batch) -> board -> its row."""
    found: dict[tuple[str, str, int], dict[str, Results]] = {}
    for row in part["rows"]:
        found.setdefault((row["network"], row["optimizer"], row["batch"]), {})[row["board"]] = row
    return found


def board_rows(network: str, optimizer: str, batch: int, found: dict[str, Results]) -> list[Row]:
    """Return the row of the step, and that of the inference, which is the same for all optimizers."""
    any_board, rows = next(iter(found.values())), list(map(found.get, boards.WITH_OWN_CODE))
    head = [TITLES[network], str(batch)]
    steps = [f"{row['step']:,} ({per_mac(row['step'], row['macs'])})" if row else NOTHING for row in rows]
    lines = [[*head, f"step, {optimizer}", f"{any_board['arena']:,}", f"{any_board['macs']:,}", *steps]]
    if optimizer == "sgd":
        lines.append([*head, "infer", "", "", *(f"{row['infer']:,}" if row else NOTHING for row in rows)])
    return lines


def cycles_table(part: Results) -> Rows:
    """The same cases in modelled cycles; for each board those, and the time at its clock."""
    names = [name for name in boards.BOARDS if core_called(core_of(name)) is not None]
    columns = ["network", "batch#", "program"]
    for name in names:
        columns += [f"{core_of(name)}#", f"ms at {board(name).clock // 10**6} MHz#"]
    return columns, [line for case, found in by_case(part).items() for line in cycles_rows(*case, found, names)]


def cycles_rows(network: str, optimizer: str, batch: int, found: dict[str, Results], names: list[str]) -> list[Row]:
    rows = {name: found.get(name, {}) for name in names}
    lines = []
    for program in ("step", "infer") if optimizer == "sgd" else ("step",):
        title = f"step, {optimizer}" if program == "step" else "infer"
        cells = [cell for name, row in rows.items() for cell in cycles_cells(row, program, board(name).clock)]
        lines.append([TITLES[network], str(batch), title, *cells])
    return lines


def cycles_cells(row: Results, program: str, clock: int) -> tuple[str, str]:
    if "cycles" not in row:
        return NOTHING, NOTHING
    cycles = row["cycles"][program]
    return f"{cycles:,}" + (f" ({per_mac(cycles, row['macs'])})" if program == "step" else ""), figure(
        1e3 * cycles / clock
    )


def per_mac(instructions: int, macs: int) -> str:
    return f"{instructions / macs:.2f}" if macs else NOTHING


def kernel_table(part: Results) -> Rows:
    """Return the columns and rows of the kernels that take most cycles of a step at batch 1 with SGD."""
    columns = ["board", "network", "kernel", "MACs#", "instructions#", "per MAC#", "cycles#", "per MAC#", "share#"]
    rows = []
    for row in part["rows"]:
        if row["board"] in LISTED_BOARDS and row["network"] in LISTED_NETWORKS and is_plain(row):
            cycles = row["cycles"]["kernels"]
            for (kernel, count, macs), taken in zip(row["kernels"], cycles, strict=True):
                if taken >= LISTED_SHARE * sum(cycles):
                    line = [core_of(row["board"]), TITLES[row["network"]], kernel, f"{macs:,}", f"{count:,}"]
                    line += [per_mac(count, macs), f"{taken:,}", per_mac(taken, macs)]
                    rows.append([*line, f"{taken / sum(cycles):.1%}"])
    return columns, rows


def is_plain(row: Results) -> bool:
    return row["optimizer"] == "sgd" and row["batch"] == 1


# ---- Share of the peak


def roofline_table(part: Results) -> Rows:
    columns = ["kernel", "layer", "batch#", "MACs#", "MAC / byte#", "GB/s#", "GMAC/s#", "quartiles#", "of the peak#"]
    return columns, [roofline_row(row, part["peak"]["macs"]) for row in part["rows"]]


def roofline_row(row: Results, peak: float) -> Row:
    rate, low, high = row["rate"]
    intensity = row["macs"] / row["bytes"]
    line = [row["kernel"], row["shape"], str(row["batch"]), f"{row['macs']:,}", f"{intensity:.2f}"]
    line += [f"{rate / intensity / 1e9:.1f}", f"{rate / 1e9:.2f}", f"{low / 1e9:.2f}–{high / 1e9:.2f}"]
    return [*line, f"{rate / peak:.1%}"]


def layers_table(part: Results) -> Rows:
    """Return the layers that are below their limit at every width."""
    widths = list(part["rows"][0]["shares"])
    columns = ["network", "batch#", "kernel", "layer", "layers#", *(f"{width} bits#" for width in widths), "limit#"]
    below = [row for row in part["rows"] if max(row["shares"].values()) < row["limit"]]
    return columns, [layers_row(row, widths) for row in below]


def layers_row(row: Results, widths: list[str]) -> Row:
    shares = [f"{row['shares'][width]:.0%}" for width in widths]
    limit = f"{row['limit']:.0%}{' of GB/s' if row['update'] else ''}"
    return [TITLES[row["network"]], str(row["batch"]), row["kernel"], row["shape"], str(row["layers"]), *shares, limit]


# ---- Threads


def threads_table(part: Results) -> Rows:
    """The gain is over one thread; of the ideal: of as many times as there are threads."""
    columns = ["network", "batch#", "threads#", "µs#", "gain#", "of the ideal#"]
    return columns, [line for row in part["rows"] for line in threads_rows(row)]


def threads_rows(row: Results) -> list[Row]:
    taken, lines = row["samples"], []
    for threads in taken:
        gain = Spread.of_ratios(taken["1"], taken[threads])
        line = [TITLES[row["network"]], str(row["batch"]), threads, microseconds(Spread.of(taken[threads]))]
        lines.append([*line, ratio(gain), f"{gain.median / int(threads):.0%}"] if threads != "1" else [*line, "", ""])
    return lines


# ---- WebAssembly


def webassembly_table(part: Results) -> Rows:
    columns = ["network", "batch#", "native µs#", "twin µs#", "simd µs#", "plain µs#"]
    columns += ["simd / native#", "simd / twin#", "plain / simd#"]
    return columns, [webassembly_row(row) for row in part["rows"]]


def webassembly_row(row: Results) -> Row:
    taken = row["samples"]
    times = [microseconds(Spread.of(taken[name])) for name in ("runtime", "twin", "simd", "plain")]
    pairs = (("simd", "runtime"), ("simd", "twin"), ("plain", "simd"))
    ratios = [ratio(Spread.of_ratios(taken[a], taken[b])) for a, b in pairs]
    return [TITLES[row["network"]], str(row["batch"]), *times, *ratios]


#: Part -> title -> what draws its table.
TABLES: dict[str, dict[str, Callable[[Results], Rows]]] = {
    "host": {"this computer": host_table},
    "boards": {"boards": board_table, "cycles on boards": cycles_table, "kernels on boards": kernel_table},
    "roofline": {"share of the peak": roofline_table},
    "layers": {"share of the peak, layer by layer": layers_table},
    "threads": {"threads": threads_table},
    "ort": {"steps of onnxruntime's classes": ort_table},
    "wasm": {"steps in WebAssembly": webassembly_table},
}
