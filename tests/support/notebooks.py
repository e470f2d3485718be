"""Runs notebooks without Jupyter: the cells of code in order, in one namespace, as a kernel runs them."""

from __future__ import annotations

import ast
import json
import shlex
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from gradmote import cli


class Kernel:
    """A stand-in for IPython in a kernel: it keeps what was displayed, and each update of it."""

    def __init__(self) -> None:
        self.shown: list[list[str]] = []
        self.kernel = object()

    def get_ipython(self) -> Kernel:
        return self

    def display(self, content: Any, display_id: bool = False) -> Kernel:
        self.shown.append([])
        self.update(content)
        return self

    def update(self, content: Any) -> None:
        html = getattr(content, "_repr_html_", None)
        self.shown[-1].append(repr(content) if html is None else html())


def install(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """Return a kernel that code finds by importing IPython."""
    kernel = Kernel()
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    module = types.ModuleType("IPython.display")
    module.display = kernel.display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return kernel


def cells(path: Path) -> list[dict[str, Any]]:
    """Return the cells of a notebook."""
    found = json.loads(path.read_text())
    assert found["nbformat"] == 4
    return list(found["cells"])


def run(path: Path, kernel: Kernel) -> dict[str, Any]:
    """Run a notebook in the current folder, and return its variables.

    The last expression of a cell is displayed, unless a semicolon ends it; a cell `!gradmote ...` is a command.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells(path):
        text = "".join(cell["source"])
        if cell["cell_type"] == "code" and text.startswith("!gradmote "):
            assert cli.main(shlex.split(text.replace("\\\n", ""))[1:]) == 0, text
        elif cell["cell_type"] == "code":
            _run_cell(text, f"{path.name}: {cell['id']}", names, kernel)
    return names


def _run_cell(text: str, name: str, names: dict[str, Any], kernel: Kernel) -> None:
    body = ast.parse(text).body
    last = body.pop() if isinstance(body[-1], ast.Expr) and not text.endswith(";") else None
    exec(compile(ast.Module(body, []), name, "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), name, "eval"), names)
        if value is not None:
            kernel.display(value)
