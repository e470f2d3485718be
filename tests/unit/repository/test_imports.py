"""Whatever is imported from the package is there.

In tests and benchmarks that seldom run, in code inside of strings, and on the pages.
"""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("tests", "examples", "docs", "site_scons", "arduino", "firmware", "host_tools", "bindings", "README.md")
KINDS = {".py", ".md", "", ".toml"}  # "": SConscript
#: from gradmote.x import a, b as c -- on one line, or in brackets
IMPORT = re.compile(r"\bfrom (gradmote(?:_runtime)?(?:\.\w+)*) import (\([^)]*\)|[\w ,]+)")


def files() -> list[Path]:
    found = {path for folder in FOLDERS for path in (ROOT / folder, *(ROOT / folder).rglob("*"))} - {
        Path(__file__).resolve()
    }
    return sorted(p for p in found if p.is_file() and p.suffix in KINDS and "__pycache__" not in p.parts)


def imported() -> dict[str, set[str]]:
    """Return module -> names, with the file that imports each: "name (file)"."""
    found: dict[str, set[str]] = {}
    for path in files():
        for module, names in IMPORT.findall(path.read_text(errors="replace")):
            for name in re.sub(r"#.*|[()]", "", names).split(","):
                if name.split():
                    found.setdefault(module, set()).add(f"{name.split()[0]} ({path.relative_to(ROOT)})")
    return found


def test_what_is_imported_is_there() -> None:
    missing = {
        module: [name for name in sorted(names) if not has(module, name.split()[0])]
        for module, names in imported().items()
    }
    assert {module: names for module, names in missing.items() if names} == {}


def has(module: str, name: str) -> bool:
    if module.startswith("gradmote.flower"):
        return name in written_names(module)
    try:
        return hasattr(importlib.import_module(module), name) or bool(importlib.import_module(f"{module}.{name}"))
    except ModuleNotFoundError:
        return False


def written_names(module: str) -> set[str]:
    """Return the names that a module's source has, for one that needs what is not installed here."""
    path = ROOT / "host_tools" / module.replace(".", "/")
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    found = {child.stem for child in path.glob("*.py")}
    body = ast.parse(source.read_text()).body
    for node in [*body, *(child for choice in body if isinstance(choice, ast.If) for child in choice.body)]:
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
    return found
