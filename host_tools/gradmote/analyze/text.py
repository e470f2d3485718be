"""A report as tables: whether it fits first, then what takes the memory, then each layer."""

from __future__ import annotations

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ..microcontrollers import smallest
from .gather import Code, Layer, Region, Report

#: Pieces of the peak that are listed by name.
LARGEST = 8
BAR = 24


def show(report: Report, console: Console) -> None:
    """Prints everything."""
    console.print(headline(report), highlight=False)
    console.print(memory_table(report))
    console.print(peak_table(report))
    console.print(layer_table(report))
    console.print(image_table(report))
    for note in report.notes:
        console.print(f"note: {note}", highlight=False)


def headline(report: Report) -> str:
    main, holder = report.main, smallest(report.arena, report.image)
    fits = f"a {holder.name} holds it with its firmware" if holder else "no microcontroller in our list holds it"
    lines = [
        f"[bold]{report.name}[/]  batch {report.batch}:  [bold]{report.arena:,} B of RAM[/] (arena), "
        f"[bold]{report.image:,} B of flash[/] (image): {fits}",
        f"one {main.kind}: {len(main.steps)} instructions, "
        f"{sum(layer.macs_forward + layer.macs_backward for layer in report.layers):,} MAC"
        + (f", about {rounded(main.machine)} machine instructions on a Cortex-M4F" if main.machine else ""),
    ]
    return "\n".join(lines)


def rounded(count: float) -> str:
    """Three digits: 78.2 k."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f}"


def table_of(title: str, *columns: str) -> Table:
    """A table whose columns ending in `#` hold numbers."""
    table = Table(
        title=title, title_justify="left", title_style="bold", show_edge=False, pad_edge=False, box=SIMPLE_HEAD
    )
    for column in columns:
        number = column.endswith("#")
        table.add_column(column.rstrip("#"), justify="right" if number else "left", no_wrap=number, overflow="fold")
    return table


def bar(part: int, whole: int) -> str:
    """A length that stands for a share."""
    return "█" * round(BAR * part / whole) if whole else ""


def memory_table(report: Report) -> Table:
    table = table_of("\nArena", "region", "offset#", "bytes#", "share#", "")
    for region in report.regions:
        if region.size:
            share = f"{region.size / report.arena:.0%}"
            table.add_row(region.name, f"{region.offset:,}", f"{region.size:,}", share, bar(region.size, report.arena))
    table.add_section()
    table.add_row("all of it", "", f"{report.arena:,}", "", "")
    for program in report.programs:
        excess = program.scratch - program.bound
        bound = "no plan needs less" if excess <= 0 else f"{program.bound:,} are unavoidable"
        table.add_row(f"  scratch of {program.kind}", "", f"{program.scratch:,}", "", bound)
    return table


def peak_table(report: Report) -> Table:
    """What lives when most does."""
    program = report.main
    index = program.peak()
    alive = program.alive(index)
    whole = sum(s.size for s in alive)
    step = program.steps[index]
    where = step.opcode if step.layer.startswith(step.opcode) else f"{step.opcode} of {step.layer}"
    title = f"\nPeak of {program.kind}: {whole:,} B of scratch at instruction {index}, {where}"
    table = table_of(title, "buffer", "offset#", "bytes#", "share#", "alive", "")
    for span in alive[:LARGEST]:
        lives = f"{span.start}..{span.end - 1}"
        table.add_row(
            span.name, f"{span.offset:,}", f"{span.size:,}", f"{span.size / whole:.0%}", lives, bar(span.size, whole)
        )
    rest = alive[LARGEST:]
    if rest:
        table.add_row(f"{len(rest)} more", "", f"{sum(s.size for s in rest):,}", "", "", "")
    return table


def layer_table(report: Report) -> Table:
    """Parameters and multiply-accumulates are counts, machine instructions an estimate, the rest bytes."""
    columns = ("layer", "output", "trained#", "MAC#", "backward#", "saved#", "scratch#", "flash#", "machine#")
    table = table_of("\nLayers", *columns)
    for layer in report.layers:
        table.add_row(*layer_row(layer))
    table.add_section()
    table.add_row(*total_row(report.layers, report.main))
    return table


def layer_row(layer: Layer) -> Iterable[str]:
    shape = "" if layer.shape is None else "x".join(map(str, layer.shape)) or "scalar"
    macs = [rounded(n) if n else "" for n in (layer.macs_forward, layer.macs_backward)]
    numbers = [f"{n:,}" if n else "" for n in (layer.parameters, layer.saved, layer.scratch, layer.flash)]
    machine = "?" if layer.machine is None else rounded(layer.machine)
    return (layer.name, shape, numbers[0], *macs, *numbers[1:], machine if layer.machine != 0 else "")


def total_row(layers: list[Layer], program: Code) -> Iterable[str]:
    macs = [rounded(sum(macs)) for macs in ([n.macs_forward for n in layers], [n.macs_backward for n in layers])]
    parameters, saved, flash = (sum(getattr(n, name) for n in layers) for name in ("parameters", "saved", "flash"))
    machine = "?" if program.machine is None else rounded(program.machine)
    return ("all", "", f"{parameters:,}", *macs, f"{saved:,}", f"{program.bound:,}", f"{flash:,}", machine)


def image_table(report: Report) -> Table:
    table = table_of("\nImage", "section", "offset#", "bytes#", "share#", "")
    for section in report.sections:
        if section.size:
            table.add_row(*section_row(section, report.image))
    table.add_section()
    table.add_row("all of it", "", f"{report.image:,}", "", "")
    return table


def section_row(section: Region, whole: int) -> Iterable[str]:
    offset = "" if section.name == "alignment" else f"{section.offset:,}"
    return (section.name, offset, f"{section.size:,}", f"{section.size / whole:.0%}", bar(section.size, whole))
