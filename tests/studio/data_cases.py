"""Files that the studio's modules and the host tools read, and what each of them finds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gradmote.data.dataset import Dataset
from gradmote.data.reading import Reading
from gradmote.errors import DataError
from studio import page
from support import npm_package

SOURCES = npm_package.ROOT / "bindings" / "js" / "studio" / "src"
MODULES = ("data/read", "data/reading", "data/fit", "data/dataset", "data/pictures/images")


@dataclass
class Case:
    """Files that are read together.

    Attributes:
        name: What tests call it.
        files: The path that the page sees, and the path of the bytes.
        reading: The page's settings that differ from those at the beginning.
        model: What a model takes, as fit.ts has it; None if there is no model.
    """

    name: str
    files: dict[str, Path]
    reading: dict[str, object] = field(default_factory=dict)
    model: dict[str, object] | None = None

    def as_json(self) -> dict[str, object]:
        files = [{"path": path, "file": str(file)} for path, file in self.files.items()]
        return {"name": self.name, "files": files, "reading": self.reading, "model": self.model}


def files_in(folder: Path) -> dict[str, Path]:
    """Return the files of a folder as a browser names them: by their paths from the folder above."""
    return {str(p.relative_to(folder.parent)): p for p in sorted(folder.rglob("*")) if p.is_file()}


@cache
def bundle() -> Path:
    """Bundle the modules for node, and return the file."""
    page.require()
    out = npm_package.ROOT / "build" / "studio-tests" / "data.mjs"
    script = page.SCRIPTS / "bundle.mjs"
    npm_package.run("node", str(script), str(npm_package.TOOLS), str(SOURCES), str(out), *MODULES, folder=page.ROOT)
    return out


def read_in_node(folder: Path, cases: Iterable[Case]) -> dict[str, Any]:
    """Return what the modules find or refuse, by the cases' names."""
    asked = folder / "cases.json"
    asked.write_text(json.dumps([case.as_json() for case in cases]))
    script = page.SCRIPTS / "read_cases.mjs"
    found: dict[str, Any] = json.loads(
        npm_package.run("node", str(script), str(bundle()), str(asked), folder=page.ROOT)
    )
    return found


def read_in_python(path: Path, reading: Reading | None = None) -> dict[str, Any]:
    """Return what the host tools find, in the words of read_cases.mjs."""
    try:
        return described(Dataset.read(path, reading=reading))
    except DataError as error:
        return {"error": {"text": error.message, "hint": error.hint}}


def described(data: Dataset) -> dict[str, Any]:
    """Return digests and shapes of the samples, as a page has them."""
    found = part(data.widened(), data.y)
    kind = "int32" if data.y is None or data.y.dtype.kind in "iu" else "float32"
    test = None
    if data.x_test is not None:
        held_out = Dataset(data.x_test, data.y_test, scale=data.scale, zero=data.zero)
        test = part(held_out.widened(), data.y_test)
    label_shape = [] if data.y is None else list(data.y.shape[1:])
    return {**found, "kind": kind, "sampleShape": list(data.x.shape[1:]), "labelShape": label_shape, "test": test}


def part(x: np.ndarray, y: np.ndarray | None) -> dict[str, Any]:
    labels = np.zeros(0, np.int32) if y is None else y.astype(np.float32 if y.dtype.kind == "f" else np.int32)
    return {"x": digest(x), "y": digest(labels), "count": len(x)}


def digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def assert_same(found: dict[str, Any], wanted: dict[str, Any], name: str) -> None:
    """Both were read to the same bits, or both were refused."""
    assert ("error" in found) == ("error" in wanted), (name, found, wanted)
    if "error" not in wanted:
        assert {key: found.get(key) for key in wanted} == wanted, (name, found, wanted)
