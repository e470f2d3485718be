"""One trained model on every core: the SHA-256 of the .onnx file that each form of the runtime writes.

    cd tests && python -m device.one_export [--only NAME] [--form NAME]

Forty models: drawn graphs and convolutional networks in float32, drawn QDQ networks, int16 masters and float gradients
of int8 weights, the last layers, shares of channels, ties, copies, folded normalizations, and weights in external data
in each opset from 8 to 23. Each form trains two steps and exports. What it writes must be what `gradmote export` writes
of the twin's checkpoint after the same steps, in the numerics profile of the form. A board gets image and export table
over its serial line, and sends the .onnx file. At the end a line says whether all are the same.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / part) for part in ("tests", "site_scons", "bindings/python")]

import numpy as np  # noqa: E402
import onnx  # noqa: E402
from device.one_state import PROFILES, Missing, require_node  # noqa: E402

from gradmote import Session, compile_model, losses, optimizers  # noqa: E402
from gradmote.artifacts.export import trained_model  # noqa: E402
from gradmote.artifacts.export_table import export_table  # noqa: E402
from gradmote.device import BoardTarget  # noqa: E402
from gradmote.device.boards import board  # noqa: E402
from gradmote.device.emulated_firmware import default_firmware  # noqa: E402
from gradmote.device.emulator import Emulator, missing  # noqa: E402
from gradmote.errors import DeviceError, RuntimeFault  # noqa: E402
from gradmote.formats.export_table import with_export_table  # noqa: E402
from gradmote.frontend import Source  # noqa: E402
from gradmote.ir.write import proto_bytes  # noqa: E402
from runtime_sources import ROOT  # noqa: E402
from support import npm_package  # noqa: E402
from support.drawn_graphs import Drawn, drawn, drawn_convolutional, drawn_quantized  # noqa: E402
from support.firmware import scons_firmware  # noqa: E402
from support.oracle import make_model, node, values  # noqa: E402
from support.quantized import small_cnn  # noqa: E402

STEPS = 2
#: Board -> core. The firmware of the first has room for int8 only if it is built for one such image.
BOARDS = {"microbit": "Cortex-M0", "mps2-an386": "Cortex-M4F", "riscv-virt": "rv32"}
FOR_OWN_IMAGES = "microbit"
FOLDER = ROOT / "build" / "one_export"


@dataclass(frozen=True)
class Case:
    """A model, and how it is compiled. source: makes it. is_int8: it needs kernels for int8."""

    name: str
    source: Callable[[], Source]
    batch: int = 2
    is_int8: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    optimizer: optimizers.Optimizer = field(default_factory=lambda: optimizers.adam(0.1))

    @cached_property
    def model(self) -> Source:
        return self.source()

    @cached_property
    def image(self) -> bytes:
        """The image: one for all forms."""
        proto = self.model if isinstance(self.model, onnx.ModelProto) else onnx.load(self.model)
        first = [proto.graph.output[0].name]
        settings = {"outputs": first, "batch": self.batch, **self.options}
        return compile_model(self.model, losses.cross_entropy(), self.optimizer, **settings).image

    @cached_property
    def table(self) -> bytes:
        return export_table(self.model, self.image, tie=self.options.get("tie", ()))

    @cached_property
    def samples(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Inputs and labels of each step. Inputs are multiples of a half."""
        random = np.random.default_rng(7)
        with Session(self.image, "strict") as session:
            x, y = session.inputs()[0]["shape"], session.labels()[0]["shape"]
        inputs = random.integers(-3, 4, (STEPS, *x)).astype(np.float32) / 2
        return list(zip(inputs, random.integers(0, 2, (STEPS, *y)).astype(np.int32), strict=True))


def of_drawn(name: str, graph: Drawn, is_int8: bool = False, **options: Any) -> Case:
    return Case(name, lambda: graph.model, graph.batch, is_int8, options)


def of_opset(opset: int) -> Path:
    """Write a model whose weights are in a file of their own."""
    nodes = [node("Gemm", "x w b", "h"), node("Relu", "h", "r"), node("MatMul", "r v", "y")]
    weights = {"w": values(1, 6, 20), "b": values(2, 20), "v": values(3, 20, 3)}
    model = make_model(nodes, weights, {"x": ("N", 6)}, opset=opset)
    path = FOLDER / f"opset_{opset}.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".data").unlink(missing_ok=True)
    onnx.save(model, path, save_as_external_data=True, location=f"opset_{opset}.data", size_threshold=0)
    return path


def with_norm(group: int) -> onnx.ModelProto:
    """Return a convolution with a normalization after it, which is folded into its weights."""
    nodes = [
        node("Conv", "x w b", "c", group=group, pads=[1, 1, 1, 1]),
        node("BatchNormalization", "c scale bias mean var", "n", epsilon=1e-3),
        node("GlobalAveragePool", "n", "p"),
        node("Flatten", "p", "y"),
    ]
    weights = {"w": values(1, 4, 4 // group, 3, 3), "b": values(2, 4), "var": np.abs(values(9, 4)) + 0.2}
    weights |= {name: values(seed, 4) for seed, name in enumerate(("scale", "bias", "mean"), 6)}
    return make_model(nodes, weights, {"x": ("N", 4, 5, 5)})


def with_copy(copy: str, transposed: bool) -> onnx.ModelProto:
    """Return a network that uses a weight twice, once as a copy that an exporter made."""
    weight = values(1, 5, 5)
    nodes = [node("MatMul", "x w", "h"), node("Relu", "h", "r"), node("MatMul", f"r {copy}", "y")]
    return make_model(
        nodes, {"w": weight, copy: np.ascontiguousarray(weight.T) if transposed else weight}, {"x": ("N", 5)}
    )


@cache
def cases() -> dict[str, Case]:
    """Return the forty models by their names; the drawn ones are of seeds for which a micro:bit has room."""
    found = [of_drawn(f"graph {k}", drawn(k), scheme=s) for k, s in enumerate((None, "last:2", "last:1", None))]
    schemes = ((8, None), (1, "head"), (2, "sparse:0.5"), (3, "sparse:0.25"))
    found += [of_drawn(f"convolutions {k}", drawn_convolutional(k), scheme=s) for k, s in schemes]
    schemes = ((6, None), (7, "last:2"), (8, "sparse:0.5"), (9, None), (10, "last:1"), (14, "sparse:0.25"))
    found += [of_drawn(f"QDQ {k}", drawn_quantized(k), True, scheme=s) for k, s in schemes]
    found.append(of_drawn("int16 masters", drawn_quantized(6), True, weights="int16"))
    found.append(of_drawn("float gradients", drawn_quantized(6), True, gradients="float"))
    for weights in ("int8", "int16"):
        options = {"weights": weights, "gradients": "int16"}
        found.append(Case(f"CNN of {weights}", small_cnn.model, 1, True, options, optimizers.sgd(0.5)))
    found.append(of_drawn("biases", drawn_convolutional(11), scheme="bias"))
    found.append(of_drawn("int16 channels", drawn_quantized(8), True, weights="int16", scheme="sparse:0.5"))
    found.append(Case("tie", lambda: with_copy("v", False), options={"tie": [("w", "v")]}))
    found.append(Case("copy", lambda: with_copy("val_1", True)))
    found += [Case(f"folded norm, group {group}", lambda group=group: with_norm(group)) for group in (1, 2)]
    found += [Case(f"opset {opset}", lambda opset=opset: of_opset(opset)) for opset in range(8, 24)]
    return {case.name: case for case in found}


@cache
def expected(name: str, profile: str) -> str:
    """Return the digest of what `gradmote export` writes of the twin's checkpoint."""
    case = cases()[name]
    with Session(case.image, profile) as session:
        for x, y in case.samples:
            session.step(x, y)
        model = trained_model(case.model, session.save(), tie=case.options.get("tie", ()))
    return digest(proto_bytes(model))


def digest(model: bytes) -> str:
    return hashlib.sha256(model).hexdigest()


# ---- Forms --------------------------------------------------------------------------------------------------------

#: Exports the trained model of a case. Raises Missing.
Export = Callable[[Case], bytes]


@contextmanager
def twin(profile: str) -> Iterator[Export]:
    """Export in this process."""

    def export(case: Case) -> bytes:
        with Session(case.image, profile) as session:
            for x, y in case.samples:
                session.step(x, y)
            return session.export_model(case.table)

    yield export


@contextmanager
def wasm(form: str) -> Iterator[Export]:
    """Export in node."""
    require_node()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def export(case: Case) -> bytes:
            samples = b"".join(x.tobytes() + y.tobytes() for x, y in case.samples)
            files = [folder / each for each in ("model.mote", "samples.bin", "model.gmex")]
            for file, content in zip(files, (case.image, samples, case.table), strict=True):
                file.write_bytes(content)
            npm_package.node("one_export.mjs", *files, folder / "trained.onnx", form)
            return (folder / "trained.onnx").read_bytes()

        yield export


@contextmanager
def emulated(name: str) -> Iterator[Export]:
    """Export on an emulated board."""
    boards: dict[Path, BoardTarget] = {}

    def export(case: Case) -> bytes:
        elf = firmware(name, case)
        if elf not in boards:
            emulator = Emulator(name, elf)
            boards[elf] = BoardTarget(emulator.connect(), emulator.stop)
        return exported_by(boards[elf], case)

    try:
        yield export
    finally:
        for target in boards.values():
            target.close()


def exported_by(target: BoardTarget, case: Case) -> bytes:
    """Train a board, and let it export."""
    try:
        target.load_image(with_export_table(case.image, case.table))
    except (DeviceError, RuntimeFault) as error:
        raise Missing(f"room: {error}") from error
    for x, y in case.samples:
        target.write("input", 0, x)
        target.write("label", 0, y)
        target.run("step")
    return target.board.export_model()


def firmware(name: str, case: Case) -> Path:
    """Build a board's firmware: for this image alone if int8 has no room beside all else."""
    if name != FOR_OWN_IMAGES or not case.is_int8:
        scons_firmware(board=name)
        if missing(name):
            raise Missing(missing(name))
        return default_firmware(name)
    model = FOLDER / f"one_export_{case.name.replace(' ', '_')}.mote"
    model.parent.mkdir(parents=True, exist_ok=True)
    model.write_bytes(case.image)
    try:
        scons_firmware(f"MODEL={model}", board=name)
    except AssertionError as error:
        if "will not fit" not in str(error):
            raise
        raise Missing("room for its kernels") from error
    return default_firmware(name).parents[1] / f"{name}-{model.stem}" / "firmware.elf"


def forms() -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield the name of each form, its profile, and what opens it."""
    for profile in PROFILES:
        yield f"twin, {profile}", profile, partial(twin, profile)
    yield "wasm, simd", "strict", partial(wasm, "simd")
    for name, core in BOARDS.items():
        yield f"{core}, {name}", board(name).profile, partial(emulated, name)


# ---- The table ----------------------------------------------------------------------------------------------------


def column(form: Callable[[], Any], profile: str, wanted: Iterable[Case]) -> dict[str, str]:
    """Return "yes", "NO", or why a case was not run, of each case."""
    found = {}
    try:
        with form() as export:
            for case in wanted:
                try:
                    found[case.name] = "yes" if digest(export(case)) == expected(case.name, profile) else "NO"
                except Missing as lack:
                    found[case.name] = f"no {lack}"
    except Missing as lack:
        return {case.name: f"no {lack}" for case in wanted}
    return found


def main() -> int:
    """Print the table, and return the number of files that differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="NAME", help="models whose name contains this")
    parser.add_argument("--form", default="", metavar="NAME", help="forms whose name contains this")
    given = parser.parse_args()
    logging.getLogger("gradmote").setLevel(logging.ERROR)
    wanted = [case for name, case in cases().items() if given.only in name]
    used = [form for form in forms() if given.form in form[0]]
    columns = {name: column(form, profile, wanted) for name, profile, form in used}
    print(f"{'SHA-256 of gradmote export, strict':62}", *(name.split(",")[-1].strip().rjust(10) for name in columns))
    for case in wanted:
        cells = [found[case.name] for found in columns.values()]
        words = (cell if cell in ("yes", "NO") else "-" for cell in cells)
        print(f"{case.name:24}{expected(case.name, 'strict')[:32]:38}", *(word.rjust(10) for word in words))
    for name, found in columns.items():
        for case, said in found.items():
            if said not in ("yes", "NO"):
                print(f"not run: {name}: {case}: {said}")
    cells = [cell for found in columns.values() for cell in found.values()]
    print(f"{cells.count('yes')} files are those of gradmote export, {cells.count('NO')} differ")
    return cells.count("NO")


if __name__ == "__main__":
    raise SystemExit(main())
