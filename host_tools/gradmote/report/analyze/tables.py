"""The tables of a report as rows of text."""

from __future__ import annotations

from ...device.boards import Board, smallest
from ...terminal.printable import LINE, Bar, Row, Rows
from .compare import FIELDS, Change, Number, changes, layer_changes
from .gather import Code, Layer, Report, macs

#: How many buffers at the peak are listed by name.
LARGEST = 8


def rounded(count: float) -> str:
    """Return the count with three digits and a unit: 78.2 k."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= 0.9995 * size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f}"


def verdict(report: Report) -> tuple[bool, str]:
    """Return whether the board holds the model, and a sentence about it.

    Without a board, the sentence names the smallest board in `gradmote boards` that holds it.
    """
    if report.board is not None:
        lacks = report.board.lacks(report.arena, report.image)
        return not lacks, f"{report.board.name} " + (f"lacks {' and '.join(lacks)}" if lacks else "holds it")
    holder = smallest(report.arena, report.image)
    if holder is None:
        return False, "none of `gradmote boards` holds it"
    return True, f"{holder.name} ({holder.title}) holds it with its firmware"


def percent(part: int, whole: int) -> str:
    """Return the share of a part in the whole; "" if the whole is 0."""
    return f"{part / whole:.0%}" if whole else ""


def memory_rows(report: Report) -> Rows:
    """Return the regions of the arena, and the scratch of each program."""
    rows: list[Row] = [
        (r.name, f"{r.offset:,}", f"{r.size:,}", percent(r.size, report.arena), Bar(r.size, report.arena))
        for r in report.regions
        if r.size
    ]
    rows += [LINE, ("all of it", "", f"{report.arena:,}", "", "")]
    for program in report.programs:
        fits = "no plan needs less" if program.scratch <= program.bound else f"{program.bound:,} are unavoidable"
        rows.append((f"  scratch of {program.kind}", "", f"{program.scratch:,}", "", fits))
    return ("region", "offset#", "bytes#", "share#", ""), rows


def board_title(board: Board) -> str:
    """Return the title of the board's table."""
    return f"{board.title}, {board.core}: {board.ram:,} B of RAM"


def board_rows(report: Report, board: Board) -> Rows:
    """Return the use of the board's RAM down to the last byte, then of its flash."""
    way = f"at most {board.stack_bound:,} are used: {' > '.join(board.stack_way)}"
    code = f"of {board.flash:,}" if board.measured else f"of {board.flash:,}; an estimate"
    ram = [("arena", report.arena, f"of {board.arena_available:,} that are left for it")]
    ram += [(name, size, "") for name, size in board.buffers.items()]
    ram.append(("stack", board.stack_size, way if board.measured else "what is used of it was not measured"))
    flash = [("image", report.image, f"of {board.image_area:,}"), ("firmware", board.code, code)]
    flash += [(f"  {name}", size, "") for name, size in board.code_parts.items() if size]
    rows: list[Row] = [(name, f"{size:,}", note) for name, size, note in ram]
    used = sum(size for _, size, _ in ram)
    rows += [LINE, ("all RAM in use", f"{used:,}", f"of {board.ram:,}"), LINE]
    return ("", "bytes#", ""), [*rows, *((name, f"{size:,}", note) for name, size, note in flash)]


def peak_title(report: Report) -> str:
    """Return a title with the number of bytes alive at the peak, and the peak's instruction."""
    program = report.main
    index = program.peak()
    step, whole = program.steps[index], sum(s.size for s in program.alive(index))
    where = step.opcode if step.layer.startswith(step.opcode) else f"{step.opcode} of {step.layer}"
    return f"Peak of {program.kind}: {whole:,} B of scratch at instruction {index}, {where}"


def peak_rows(report: Report) -> Rows:
    """Return the buffers alive at the peak."""
    alive = report.main.alive(report.main.peak())
    whole = sum(s.size for s in alive)
    rows: list[Row] = [
        (s.name, f"{s.offset:,}", f"{s.size:,}", percent(s.size, whole), f"{s.start}..{s.end - 1}", Bar(s.size, whole))
        for s in alive[:LARGEST]
    ]
    rest = alive[LARGEST:]
    if rest:
        rows.append((f"{len(rest)} more", "", f"{sum(s.size for s in rest):,}", "", "", ""))
    return ("buffer", "offset#", "bytes#", "share#", "alive", ""), rows


def layer_rows(report: Report) -> Rows:
    """Return one row for each layer, and their totals.

    The columns `trained`, `MAC` and `backward` are counts, `machine` is an estimate of machine
    instructions, and the others are bytes.
    """
    columns = ("layer", "output", "trained#", "MAC#", "backward#", "saved#", "scratch#", "flash#", "machine#")
    return columns, [*map(layer_row, report.layers), LINE, total_row(report)]


def layer_row(layer: Layer) -> Row:
    """Return the row of one layer; a 0 is left blank."""
    shape = "" if layer.shape is None else "x".join(map(str, layer.shape)) or "scalar"
    macs = [rounded(n) if n else "" for n in (layer.macs_forward, layer.macs_backward)]
    numbers = [f"{n:,}" if n else "" for n in (layer.parameters, layer.saved, layer.scratch, layer.flash)]
    machine = "?" if layer.machine is None else rounded(layer.machine) if layer.machine else ""
    return (layer.name, shape, numbers[0], *macs, *numbers[1:], machine)


def total_row(report: Report) -> Row:
    """Return the row with the totals of all layers."""
    layers, program = report.layers, report.main
    macs = [rounded(sum(macs)) for macs in ([n.macs_forward for n in layers], [n.macs_backward for n in layers])]
    parameters, saved, flash = (sum(getattr(n, name) for n in layers) for name in ("parameters", "saved", "flash"))
    machine = "?" if program.machine is None else rounded(program.machine)
    return ("all", "", f"{parameters:,}", *macs, f"{saved:,}", f"{program.bound:,}", f"{flash:,}", machine)


def image_rows(report: Report) -> Rows:
    """Return the sections of the image."""
    rows: list[Row] = []
    for section in report.sections:
        if section.size:
            offset = "" if section.name == "alignment" else f"{section.offset:,}"
            part = (percent(section.size, report.image), Bar(section.size, report.image))
            rows.append((section.name, offset, f"{section.size:,}", *part))
    rows += [LINE, ("all of it", "", f"{report.image:,}", "", "")]
    return ("section", "offset#", "bytes#", "share#", ""), rows


def plan_rows(report: Report, program: Code) -> Rows:
    """Return the permanent regions, then every scratch buffer by its first instruction."""
    lasting = [r for r in report.regions if r.name != "scratch"]
    rows: list[Row] = [(r.name, f"{r.offset:,}", f"{r.size:,}", "always") for r in lasting]
    spans = sorted(program.spans, key=lambda s: (s.start, s.offset))
    rows += [LINE, *((s.name, f"{s.offset:,}", f"{s.size:,}", f"{s.start}..{s.end - 1}") for s in spans)]
    return ("buffer", "offset#", "bytes#", "instructions"), rows


# ---- Comparisons


def change_rows(before: Report, after: Report) -> Rows:
    """Return every changed quantity, and always arena and image."""
    shown = [c for c in changes(before, after) if c.difference != 0 or c.name in ("arena", "image")]
    return ("", f"{before.name}#", f"{after.name}#", "change#", "%#"), [change_row(c) for c in shown]


def layer_change_rows(before: Report, after: Report) -> Rows:
    """Return by how much the figures of each layer changed."""
    columns = ("layer", *(f"{column}#" for column in COLUMN_OF.values()))
    rows: list[Row] = []
    for layer, some in layer_changes(before, after).items():
        moved = {change.name: change.difference for change in some}
        rows.append((layer, *(difference(moved.get(name, 0)) for name in COLUMN_OF)))
    return columns, rows


#: The column of each figure of a layer.
COLUMN_OF = dict(zip(FIELDS, ("trained", "MAC", "backward", "saved", "scratch", "flash", "machine"), strict=True))


def difference(number: Number) -> str:
    """Return a change with its sign; "" for none, and ? if it is unknown."""
    return "?" if number is None else f"{round(number):+,}" if number else ""


def change_row(change: Change) -> Row:
    """Return the row of one quantity: before, after, difference, and percent."""
    numbers = (exact(change.before), exact(change.after))
    part = f"{change.difference / change.before:+.1%}" if change.difference and change.before else ""
    return (change.name, *numbers, difference(change.difference), part)


def exact(number: Number) -> str:
    """Return all digits of a number, or ? if it is unknown."""
    return "?" if number is None else f"{round(number):,}"


# ---- Schemes


def scheme_rows(report: Report) -> Rows:
    """Return the schemes that could be trained instead, side by side."""
    columns = ("scheme", "trained#", "arena#", "", "scratch#", "image#", "MAC#", "machine#", "")
    most = max((s.arena for s in report.schemes), default=0)
    rows: list[Row] = []
    for s in report.schemes:
        trained = sum(layer.parameters for layer in s.layers)
        machine = "?" if s.main.machine is None else rounded(s.main.machine)
        sizes = (f"{trained:,}", f"{s.arena:,}", Bar(s.arena, most), f"{s.main.scratch:,}", f"{s.image:,}")
        rows.append((s.name, *sizes, rounded(macs(s)), machine, verdict(s)[1]))
    return columns, rows
