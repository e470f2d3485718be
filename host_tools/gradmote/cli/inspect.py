"""The command `gradmote inspect`, which shows the contents of an image or a checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as o
from .output import say_json

if TYPE_CHECKING:
    from ..formats.checkpoint import Checkpoint
    from ..formats.image import Image
    from ..terminal.printable import Rows

    Titled = tuple[str, Rows]


def command(
    image: Annotated[Path, typer.Argument(metavar="FILE", help="A .mote or a .gmck file.")],
    code: Annotated[bool, typer.Option(help="Also list every instruction of every program.")] = True,
    key: Annotated[Path | None, typer.Option(help="Refuse it unless this public key (.pem) signed it.")] = None,
    as_json: o.AsJson = False,
) -> None:
    """Show an image (memory, inputs and outputs, state, programs) or the contents of a checkpoint.

    Also lists every instruction of every program, unless `--no-code` is given.
    """
    from ..formats.image import read_image

    if is_checkpoint(image):
        show_checkpoint(image, as_json)
        return
    found = read_image(image)
    if key is not None:
        require_signed(image, key)
    if as_json:
        say_json(as_dict(found))
        return
    from ..terminal.terminal import console, table

    out = console()
    for title, rows in (memory_table(image, found), tensor_table(found), state_table(found)):
        out.print(table(title, rows))
    out.print(signed_by(found, key is not None))
    out.print(fewer_samples(found))
    out.print(finite_state(found))
    if code:
        for program in found.programs:
            out.print(table(*code_table(program, known_tensors(found))))
        out.print("Dimensions of 1, strides and flags of 0 are left out; --json has everything.")


# ---- Checkpoints ----------------------------------------------------------------------------------------------------


def is_checkpoint(path: Path) -> bool:
    """Return whether the file begins like a checkpoint; False if it cannot be read."""
    from ..generated.records import CHECKPOINT_MAGIC

    try:
        with path.open("rb") as file:
            return file.read(4) == CHECKPOINT_MAGIC.to_bytes(4, "little")
    except OSError:
        return False


def show_checkpoint(path: Path, as_json: bool) -> None:
    """Print the contents of a checkpoint."""
    from ..formats.checkpoint import load

    found = load(path)
    if as_json:
        say_json(checkpoint_dict(found))
        return
    from ..terminal.terminal import console, table

    out = console()
    out.print(table(*checkpoint_table(path, found)))
    for title, values in (("Control", found.control), ("Properties", found.properties)):
        if values:
            out.print(table(title, (("name", "value#"), [(name, str(value)) for name, value in values.items()])))


def checkpoint_dict(found: Checkpoint) -> dict[str, Any]:
    """Return the contents of a checkpoint for JSON; `shapes` has the tensors' shapes by name."""
    return {
        "version": found.version,
        "encoding": found.encoding,
        "model_id": found.model_id.hex(),
        "nominal": found.nominal,
        "parameters": found.parameters,
        "statistics": found.statistics,
        "shapes": {name: list(array.shape) for name, array in found.tensors.items()},
        "control": found.control,
        "properties": found.properties,
    }


def checkpoint_table(path: Path, found: Checkpoint) -> Titled:
    """Return a table of the tensors in a checkpoint."""
    encoding = "float32 in 16 bits (half)" if found.encoding == "half" else found.encoding
    model = found.model_id.hex() if any(found.model_id) else "none, made on the host"
    title = f"{path.name}  {path.stat().st_size:,} B, version {found.version}, {encoding}, model {model}"
    rows = []
    for name, array in found.tensors.items():
        role = "parameter" if name in found.parameters else "statistic" if name in found.statistics else "slot"
        largest = "" if found.nominal or not array.size else f"{abs(array).max():.6g}"
        rows.append((name, role, shape(list(array.shape)), largest))
    return title, (("name", "role", "shape", "largest#"), rows)


# ---- Images ---------------------------------------------------------------------------------------------------------


def as_dict(image: Image) -> dict[str, Any]:
    """Return the contents of an image for JSON."""
    header = {k: v for k, v in image.header.items() if k not in ("sections", "model_id", "scheme")}
    return {
        "model_id": image.model_id.hex(),
        "key_id": image.key_id.hex() or None,
        "header": header,
        "scheme": image.scheme or None,
        "classes": list(image.classes),
        "sections": image.sizes,
        "tensors": image.tensors,
        "state": image.state,
        "store": image.store,
        "largest_rate": image.largest_rate or None,
        "programs": image.programs,
    }


def require_signed(path: Path, key: Path) -> None:
    """Raise an error unless this public key signed the image."""
    from ..formats.signing import check, load_public_key

    check(path.read_bytes(), load_public_key(key))


def signed_by(image: Image, checked: bool) -> str:
    """Return a sentence on the image's signature."""
    if not image.key_id:
        return "Not signed."
    checks = "the signature is valid" if checked else "to check the signature: --key key.pub.pem"
    return f"Signed by key {image.key_id.hex()}; {checks}."


def fewer_samples(image: Image) -> str:
    """Return a sentence on the programs that count fewer samples than the batch."""
    batch, programs = image.header["batch"], {p["kind"] for p in image.programs} - {"optimizer"}
    counting = [p for p in programs if any(p in t["rows_in"] for t in image.tensors)]
    if batch == 1:
        return "A batch is one sample."
    if len(counting) == len(programs):
        return f"Every program takes 1 to {batch} samples."
    others = ", ".join(sorted(programs - set(counting)))
    return f"These programs take whole batches of {batch}, as their samples depend on each other: {others}."


def finite_state(image: Image) -> str:
    """Return a sentence on what a successful step guarantees about the numbers in the state."""
    if not image.updates:
        return "No program updates the state."
    if image.largest_rate:
        return (
            f"A step that answers OK leaves a finite state; the learning rate must be below {image.largest_rate:.6g}."
        )
    return "A step that answers OK may leave a state that is not finite: the rule does not promise it."


def memory_table(path: Path, image: Image) -> Titled:
    """Return a table of the regions of the arena."""
    h = image.header
    inputs = h["gradients_offset"] + h["gradients_size"]
    rest = h["state_size"] - h["parameters_size"]
    regions = [
        ("parameters", 0, h["parameters_size"]),
        ("statistics, control, store, properties, moments", h["parameters_size"], rest),
        ("gradients", h["gradients_offset"], h["gradients_size"]),
        ("inputs and labels", inputs, h["scratch_offset"] - inputs),
        ("scratch", h["scratch_offset"], h["arena_size"] - h["scratch_offset"]),
    ]
    title = f"{path.name}  {h['size']:,} B of flash, {h['arena_size']:,} B of RAM, batch {h['batch']}"
    title += f", version {h['image_version']}" if h["image_version"] else ""
    return title, (("RAM", "offset#", "bytes#"), [(name, f"{offset:,}", f"{size:,}") for name, offset, size in regions])


def tensor_table(image: Image) -> Titled:
    """Return a table of the inputs, labels and outputs."""
    from ..data.quoting import listed

    rows = [
        (t["name"], t["role"], t["dtype"], shape(t["shape"]), " ".join(t["programs"]), f"{t['offset']:,}")
        for t in image.tensors
    ]
    title = f"Signature, with the classes {listed(image.classes, 10)}" if image.classes else "Signature"
    return title, (("name", "role", "dtype", "shape", "programs", "offset#"), rows)


def state_table(image: Image) -> Titled:
    """Return a table of the tensors of the state."""
    rows = []
    for s in image.state:
        gradient = "" if s["gradient"] is None else f"{s['gradient']:,}"
        rows.append((s["name"], s["role"], shape(s["shape"]), f"{s['offset']:,}", f"{s['size']:,}", gradient))
    title = f"State, scheme {image.scheme}" if image.scheme else "State"
    return title, (("name", "role", "shape", "offset#", "bytes#", "gradient#"), rows)


def known_tensors(image: Image) -> dict[str, str]:
    """Return the names of the arena addresses with the same meaning in every program."""
    scratch = image.header["scratch_offset"]
    lasting = [t for t in image.tensors if t["role"] in ("input", "label") and t["offset"] < scratch]
    return {f"arena+{row['offset']}": row["name"] for row in (*image.state, *lasting) if row["name"]}


def code_table(program: dict[str, Any], names: dict[str, str]) -> Titled:
    """Return a table of the instructions of a program."""
    sizes = f"{program['code_size']:,} B of code, {program['arena_size']:,} B of arena, work {program['work']:,}"
    copies = sum(i["opcode"] == "COPY" for i in program["instructions"])
    rows = []
    for index, i in enumerate(program["instructions"]):
        operands = " ".join(f"{k}={names.get(v, v)}" for k, v in i["operands"].items() if v != "none")
        params = " ".join(f"{k}={v}" for k, v in i["params"].items() if not is_trivial(i["opcode"], k, v))
        rows.append((str(index), i["opcode"], operands, params))
    title = f"Program {program['kind']}: {sizes}, {copies} copies"
    return title, (("#", "instruction", "operands", "parameters"), rows)


def is_trivial(opcode: str, param: str, value: Any) -> bool:
    """Return whether a parameter has the value that the table omits.

    It is a dimension of 1, a stride or flag of 0, or an enum's `none`.
    """
    from ..generated.opcodes import OPCODES

    kind = OPCODES[opcode]["params"][param][0]
    return value == {"dim": 1, "stride": 0, "flag": 0, "enum": "none"}.get(kind)


def shape(dims: list[int]) -> str:
    """Return the dimensions as text: `2x3`, or `scalar`."""
    return "x".join(map(str, dims)) or "scalar"
