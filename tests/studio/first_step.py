"""The time from dropping an ONNX file on the studio to the first training step: `python -m studio.first_step`.

Three visits by one browser: the first loads everything, the second finds it kept, and the third
drops the model once the page has prepared the compiler by itself. Bytes are those that the server
sent. Pyodide comes from its npm package and its public address, or from GRADMOTE_PYODIDE.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from gradmote.studio.own_site import studio_site
from gradmote.studio.server import serving
from gradmote.studio.site import Document
from studio.page import PAGE, SCRIPTS, built
from studio.pyodide_release import release
from support.npm_package import BUILT, ROOT, run

VISITS = {"nothing kept": "", "files kept": "", "files kept, compiler prepared": "wait"}


def visit(address: str, profile: str, wait: str) -> dict[str, Any]:
    """Return the times of one visit in seconds."""
    given = [SCRIPTS / "first_step.mjs", shutil.which("chromium"), BUILT / "tools", profile, address]
    model = PAGE / "examples" / "digits-mlp.onnx"
    found: dict[str, Any] = json.loads(run("node", *map(str, given), str(model), wait, folder=ROOT, seconds=300.0))
    return found


def counting(find: Callable[[str], Document | None], sent: dict[str, int]) -> Callable[[str], Document | None]:
    """Return `find` that also notes the size of each document that is sent, by its path."""

    def counted(target: str) -> Document | None:
        found = find(target)
        return found and replace(found, open=lambda: noted(target, found))

    def noted(target: str, found: Document) -> BinaryIO:
        sent[target.partition("?")[0]] = found.size
        return found.open()

    return counted


def part_of(path: str) -> str:
    """Return the part of the page that a file belongs to."""
    if path.startswith("/pyodide/"):
        return "Pyodide and its wheels"
    return "wheels beside the page" if path.endswith(".whl") else "the page"


def show(name: str, found: dict[str, Any], sent: dict[str, int]) -> None:
    """Print the figures of one visit."""
    print(f"\n{name}: the page is open after {found['opened']:.2f} s")
    for seconds, line in found["stages"]:
        print(f"  {seconds:6.2f} s  {line}")
    for part in ("Pyodide and its wheels", "wheels beside the page", "the page"):
        sizes = [size for path, size in sent.items() if part_of(path) == part]
        print(f"  the server sent {sum(sizes):>12,} B in {len(sizes):>2} files: {part}")
    print(f"  processor time of the browser, all threads: {found['busy']:.1f} s")


def main() -> None:
    """Make the visits."""
    built()
    site, sent = studio_site(PAGE, release()), dict[str, int]()
    site.find = counting(site.find, sent)  # type: ignore[method-assign]
    with serving(site, "127.0.0.1", 0) as server, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name, wait in VISITS.items():
            sent.clear()
            show(name, visit(server.address, str(Path(profile)), wait), sent)
        server.shutdown()


if __name__ == "__main__":
    main()
