"""Bytecode of the loaded modules as an archive, so that the next visit need not compile their sources."""

from __future__ import annotations

import io
import marshal
import sys
import zipfile
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER, source_hash

#: The flags of a file whose source is not looked at again.
UNCHECKED = (1).to_bytes(4, "little")


def bytecode_of(loader: SourceFileLoader) -> bytes:
    """Return the contents of a module's bytecode file."""
    source = loader.get_data(loader.path)
    code = loader.source_to_code(source, loader.path)
    return MAGIC_NUMBER + UNCHECKED + source_hash(source) + marshal.dumps(code)


def archive() -> bytes:
    """Return a zip archive, from the root, of the bytecode files of all modules that are loaded from sources."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as files:
        for module in list(sys.modules.values()):
            spec = getattr(module, "__spec__", None)
            if spec is not None and spec.cached and isinstance(spec.loader, SourceFileLoader):
                files.writestr(spec.cached.lstrip("/"), bytecode_of(spec.loader))
    return made.getvalue()
