"""gradmote inspect: what is in an image."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as o

if TYPE_CHECKING:
    from rich.table import Table

    from ..image import Image


def command(
    image: Annotated[Path, typer.Argument(help="A .mote file.")],
    code: Annotated[bool, typer.Option(help="Also list every instruction of every program.")] = True,
    as_json: o.AsJson = False,
) -> None:
    """Show an image: memory, inputs and outputs, state, programs and every instruction."""
    from ..image import read_image

    found = read_image(image)
    if as_json:
        typer.echo(json.dumps(as_dict(found)))
        return
    from rich.console import Console

    console = Console()
    for table in (memory_table(image, found), tensor_table(found), state_table(found)):
        console.print(table)
    if code:
        for program in found.programs:
            console.print(code_table(program, known_places(found)))
        console.print("Dimensions of 1, strides and flags of 0 are left out; --json has everything.")


def as_dict(image: Image) -> dict[str, Any]:
    header = {k: v for k, v in image.header.items() if k not in ("sections", "model_id", "scheme")}
    return {
        "model_id": image.model_id.hex(),
        "header": header,
        "scheme": image.scheme or None,
        "sections": image.sizes,
        "tensors": image.tensors,
        "state": image.state,
        "programs": image.programs,
    }


def table_of(title: str, *columns: str) -> Table:
    """A table whose columns ending in `#` hold numbers."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column.rstrip("#"), justify="right" if column.endswith("#") else "left", overflow="fold")
    return table


def memory_table(path: Path, image: Image) -> Table:
    h = image.header
    table = table_of(
        f"{path.name}  {h['size']:,} B of flash, {h['arena_size']:,} B of RAM, batch {h['batch']}",
        "RAM",
        "offset#",
        "bytes#",
    )
    inputs = h["gradients_offset"] + h["gradients_size"]
    rows = [
        ("parameters", 0, h["parameters_size"]),
        ("statistics, control, properties, moments", h["parameters_size"], h["state_size"] - h["parameters_size"]),
        ("gradients", h["gradients_offset"], h["gradients_size"]),
        ("inputs and labels", inputs, h["scratch_offset"] - inputs),
        ("scratch", h["scratch_offset"], h["arena_size"] - h["scratch_offset"]),
    ]
    for name, offset, size in rows:
        table.add_row(name, f"{offset:,}", f"{size:,}")
    return table


def tensor_table(image: Image) -> Table:
    table = table_of("Signature", "name", "role", "dtype", "shape", "programs", "offset#")
    for t in image.tensors:
        table.add_row(t["name"], t["role"], t["dtype"], shape(t["shape"]), " ".join(t["programs"]), f"{t['offset']:,}")
    return table


def state_table(image: Image) -> Table:
    title = f"State, scheme {image.scheme}" if image.scheme else "State"
    table = table_of(title, "name", "role", "shape", "offset#", "bytes#", "gradient#")
    for s in image.state:
        gradient = "" if s["gradient"] is None else f"{s['gradient']:,}"
        table.add_row(s["name"], s["role"], shape(s["shape"]), f"{s['offset']:,}", f"{s['size']:,}", gradient)
    return table


def known_places(image: Image) -> dict[str, str]:
    """Names of the arena offsets that mean the same in every program."""
    scratch = image.header["scratch_offset"]
    lasting = [t for t in image.tensors if t["role"] in ("input", "label") and t["offset"] < scratch]
    return {f"arena+{row['offset']}": row["name"] for row in (*image.state, *lasting) if row["name"]}


def code_table(program: dict[str, Any], places: dict[str, str]) -> Table:
    sizes = f"{program['code_size']:,} B of code, {program['arena_size']:,} B of arena, work {program['work']:,}"
    copies = sum(i["opcode"] == "COPY" for i in program["instructions"])
    title = f"Program {program['kind']}: {sizes}, {copies} copies"
    table = table_of(title, "#", "instruction", "operands", "parameters")
    for index, i in enumerate(program["instructions"]):
        operands = " ".join(f"{k}={places.get(v, v)}" for k, v in i["operands"].items() if v != "none")
        params = " ".join(f"{k}={v}" for k, v in i["params"].items() if not is_trivial(i["opcode"], k, v))
        table.add_row(str(index), i["opcode"], operands, params)
    return table


def is_trivial(opcode: str, param: str, value: Any) -> bool:
    """Whether a parameter says nothing: a dimension of 1, a stride or flag of 0, an enum's `none`."""
    from ..generated.opcodes import OPCODES

    kind = OPCODES[opcode]["params"][param][0]
    return value == {"dim": 1, "stride": 0, "flag": 0, "enum": "none"}.get(kind)


def shape(dims: list[int]) -> str:
    return "x".join(map(str, dims)) or "scalar"
