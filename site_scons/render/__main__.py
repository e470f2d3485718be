"""Renders everything; with --check, only says which committed files are stale (exit status 1)."""

from __future__ import annotations

import sys
from pathlib import Path

from . import c_errors, c_opcodes, c_records, c_rules, python_tables
from .spec import C_OUT, PYTHON_OUT, ROOT

NOTICE = "Rendered from runtime_c/spec by `scons render`; do not edit."


def rendered() -> dict[Path, str]:
    """Every generated file's path and text."""
    files: dict[Path, str] = {}
    for module in (c_errors, c_records, c_rules, c_opcodes):
        files |= {C_OUT / name: f"/* {NOTICE} */\n{text}" for name, text in module.render().items()}
    files |= {
        PYTHON_OUT / name: f"# {NOTICE}\n# fmt: off\n{text}" for name, text in python_tables.render().items()
    }
    return files


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = [p for p, text in rendered().items() if not p.exists() or p.read_text() != text]
    for path in stale:
        print(f"{'stale' if check else 'rendered'}: {path.relative_to(ROOT)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(rendered()[path])
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
