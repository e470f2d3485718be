"""Render everything; with --check, only report which committed files are stale or left over (exit status 1)."""

from __future__ import annotations

import sys
from pathlib import Path

from . import (
    c_console,
    c_console_handlers,
    c_errors,
    c_handle,
    c_handle_errors,
    c_instructions,
    c_opcodes,
    c_records,
    c_rules,
    csharp_calls,
    docs_console,
    docs_numerics,
    docs_records,
    js_tables,
    micropython,
    python_console,
    python_instructions,
    python_tables,
    rust_errors,
)
from .spec import (
    C_OUT,
    CSHARP_OUT,
    DOCS_OUT,
    FIRMWARE_OUT,
    IR_OUT,
    JS_OUT,
    MICROPYTHON_OUT,
    PYTHON_OUT,
    ROOT,
    RUST_OUT,
    SHARED_OUT,
)

NOTICE = "Rendered from runtime_c/spec by `scons render`; do not edit."
SESSION_NOTICE = "Rendered from bindings/shared/spec/session.toml by `scons render`; do not edit."
#: Suffixes of files in folders that have only rendered ones. A left-over header would still be included.
SOURCES = (".c", ".cs", ".h", ".py", ".rs", ".ts")


def rendered() -> dict[Path, str]:
    """Return the path and text of every generated file."""
    files: dict[Path, str] = {}
    for module in (c_errors, c_records, c_rules, c_instructions, c_opcodes):
        files |= {C_OUT / name: f"/* {NOTICE} */\n{text}" for name, text in module.render().items()}
    for module in (c_console, c_console_handlers):
        files |= {FIRMWARE_OUT / name: f"/* {NOTICE} */\n{text}" for name, text in module.render().items()}
    files |= {SHARED_OUT / name: f"/* {NOTICE} */\n{text}" for name, text in c_handle_errors.render().items()}
    files |= {SHARED_OUT / name: f"/* {SESSION_NOTICE} */\n{text}" for name, text in c_handle.render().items()}
    files |= {CSHARP_OUT / name: f"// {SESSION_NOTICE}\n{text}" for name, text in csharp_calls.render().items()}
    for module, out in ((python_tables, PYTHON_OUT), (python_console, PYTHON_OUT), (python_instructions, IR_OUT)):
        files |= {out / name: f"# {NOTICE}\n# fmt: off\n{text}" for name, text in module.render().items()}
    files |= {JS_OUT / name: f"// {NOTICE}\n\n{text}" for name, text in js_tables.render().items()}
    files |= {MICROPYTHON_OUT / name: f"/* {NOTICE} */\n{text}" for name, text in micropython.render_c().items()}
    for name, text in micropython.render_python().items():
        files[MICROPYTHON_OUT / name] = f"# {NOTICE}\n# fmt: off\n{text}"
    files |= {RUST_OUT / name: f"// {NOTICE}\n\n{text}" for name, text in rust_errors.render().items()}
    for module in (docs_console, docs_numerics, docs_records):
        files |= {DOCS_OUT / name: text for name, text in module.render().items()}
    return files


def left_over(files: dict[Path, str]) -> list[Path]:
    """Return the sources in the folders of generated files that nothing renders any longer."""
    folders = {path.parent for path in files if "generated" in path.relative_to(ROOT).parts}
    found = {path for folder in folders for path in folder.iterdir() if path.suffix in SOURCES}
    return sorted(path for path in found - files.keys() if path.name != "__init__.py")


def main() -> int:
    check = "--check" in sys.argv[1:]
    files = rendered()
    stale = [p for p, text in files.items() if not p.exists() or p.read_text() != text]
    for path in stale:
        print(f"{'stale' if check else 'rendered'}: {path.relative_to(ROOT)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path])
    extra = left_over(files)
    for path in extra:
        print(f"{'left over' if check else 'removed'}: {path.relative_to(ROOT)}")
        if not check:
            path.unlink()
    return 1 if check and (stale or extra) else 0


if __name__ == "__main__":
    raise SystemExit(main())
