"""The documents of a server by address: files in folders, and documents generated on request."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

#: The types of files by suffix. A system's own table may be wrong about any of them, and a browser
#: compiles no module and runs no script with the wrong type.
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".whl": "application/zip",
    ".zip": "application/zip",
}
_OTHER = "application/octet-stream"


@dataclass(frozen=True)
class Document:
    """A document of the site: its type, the tag of its version, its size, and a function that opens it."""

    type: str
    tag: str
    size: int
    open: Callable[[], BinaryIO]


class Site:
    """Documents by address. A generated document precedes a file, and an inner folder an outer one."""

    def __init__(self, folders: Mapping[str, Path], made: Mapping[str, Callable[[], bytes]]) -> None:
        """Take the folders by the path under which they are served, "" for the root, and makers by complete path."""
        self._folders = {prefix: folder.resolve() for prefix, folder in folders.items()}
        self._made = dict(made)

    def find(self, target: str) -> Document | None:
        """Return the document for a request's target, or None."""
        path = unquote(urlsplit(target).path)
        if not path.startswith("/"):
            return None
        name = path[1:] + ("index.html" if path.endswith("/") else "")
        if name in self._made:
            return _made_document(name, self._made[name]())
        for prefix in sorted(self._folders, key=len, reverse=True):
            if name.startswith(prefix):
                return _file(self._folders[prefix], name.removeprefix(prefix))
        return None


def _made_document(name: str, content: bytes) -> Document:
    tag = hashlib.sha256(content).hexdigest()[:32]
    return Document(_type_of(name), tag, len(content), lambda: io.BytesIO(content))


def _file(folder: Path, name: str) -> Document | None:
    """Return a file below a folder.

    Paths that leave the folder do not count, not even through links; hidden files do not count either.
    """
    parts = name.split("/")
    if any(part in ("", ".", "..") or part.startswith(".") for part in parts) or set("\\\0:") & set(name):
        return None
    path = folder.joinpath(*parts).resolve()
    if not path.is_relative_to(folder) or not path.is_file():
        return None
    about = path.stat()
    return Document(_type_of(name), f"{about.st_mtime_ns:x}-{about.st_size:x}", about.st_size, lambda: path.open("rb"))


def _type_of(name: str) -> str:
    return TYPES.get(Path(name).suffix.lower(), _OTHER)
