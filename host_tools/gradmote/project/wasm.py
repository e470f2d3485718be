"""Builds WebAssembly modules with the kernels of some images, from the package's sources."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ..errors import GradmoteError
from ..formats.files import Output, make_folder, write_together
from ..formats.kernel_selection import needs_of
from ..sources.parts import build_module


def write_modules(images: list[Path], folder: str | os.PathLike[str], with_rounds: bool = False) -> list[Path]:
    """Write gradmote-simd.wasm and gradmote.wasm for these images into a folder, and return their paths.

    with_rounds: let pages also take part in rounds of federated learning. Raises GradmoteError if there is no
    compiler for WebAssembly, or it fails, and ImageError if an image is damaged.
    """
    wasm = build_module("wasm_module")
    flags = needs_of(*images).flags()
    outputs = [Output(make_folder(folder) / wasm.file_name(form)) for form in wasm.FORMS]
    modules = [built(form, flags, with_rounds) for form in wasm.FORMS]
    write_together([(output, module, None) for output, module in zip(outputs, modules, strict=True)])
    return [output.path for output in outputs]


def built(form: str, flags: list[str], with_rounds: bool = False) -> bytes:
    """Return one form of the module. Raises GradmoteError.

    flags: compiler flags that leave kernels out.
    """
    wasm = build_module("wasm_module")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "module.wasm"
        try:
            wasm.build_module(target, form, flags, with_rounds)
        except wasm.WasmError as error:
            raise GradmoteError(*error.args) from error
        return target.read_bytes()
