"""Images, the files of examples/digits_files.py, and what a program in another language prints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import trained_model
from gradmote.artifacts.export_table import export_table
from gradmote.compiler import Options, compile_image
from gradmote.formats import properties_trailer
from gradmote.formats.checkpoint import unpack
from gradmote.ir.write import proto_bytes
from gradmote_runtime import Session
from support import digits
from support.lasting_record import lasting_record

#: What begins a line that is not code: a comment or an import, in any of the languages.
NO_CODE = ("//", "/*", "*", "import ", "using ", "package ", "#import", "#include", "@import")


def images(folder: Path) -> tuple[Path, Path]:
    """Write the MLP of same_state as an image with steps, and as one that accumulates gradients.

    Beside them are head.mote, which accumulates too, and in which only the last layer trains, and batches.mote, which
    has batches of four. lasting.gmck is a checkpoint with lasting records and a property, epoch.
    """
    (folder / "batches.mote").write_bytes(digits.image(optimizers.sgd(0.1), batch=4))
    made = build_artifacts(digits.model(), None, losses.cross_entropy(), optimizers.sgd(0.1), scheme="head")
    (folder / "head.mote").write_bytes(compile_image(made, Options(accumulate=True)).image)
    paths = folder / "model.mote", folder / "accumulating.mote"
    for path, accumulate in zip(paths, (False, True)):
        image = digits.image(optimizers.adamw(0.003), batch=1, accumulate=accumulate)
        path.write_bytes(image)
        path.with_suffix(".gmex").write_bytes(export_table(digits.model(), image))
    records = lasting_record(b"policy..") + lasting_record(b"", 8)
    with Session(paths[0].read_bytes()) as session:
        (folder / "lasting.gmck").write_bytes(session.save() + records + properties_trailer.pack({"epoch": 3}))
    return paths


def check_export(folder: Path) -> None:
    """Compare the model that a program exported, trained.onnx, with the host's export of its checkpoint."""
    expected = proto_bytes(trained_model(digits.model(), folder / "trained.gmck"))
    assert (folder / "trained.onnx").read_bytes() == expected


def digits_folder(folder: Path, accumulate: bool = False) -> Path:
    """Write the files that the examples train from."""
    import digits_files

    digits_files.main(folder, accumulate)
    return folder


def accuracy(printed: str) -> float:
    """Return the accuracy after training, as an example printed it; it must have been low before."""
    found = re.search(r"accuracy (\d\.\d+) -> (\d\.\d+)", printed)
    assert found, printed
    assert float(found[1]) < 0.4
    return float(found[2])


def code_lines(paths: Iterable[Path]) -> int:
    """Return the number of lines that are neither empty, nor comments, nor imports."""
    lines = [line.strip() for path in paths for line in path.read_text().splitlines()]
    return sum(bool(line) and not line.startswith(NO_CODE) for line in lines)


def check_properties(folder: Path) -> None:
    """Compare the properties that a program saved in kept.gmck with those that it added."""
    numbers = {"epoch": 3, "best": 0.5, "device": 7, "a count under a long name": 2**40}
    assert unpack((folder / "kept.gmck").read_bytes()).properties == {**numbers, "größe": 'said "5"\n', "empty": ""}
