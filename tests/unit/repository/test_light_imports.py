"""Modules that tests share import heavy packages only in functions that use them, so one small test starts at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[2]
HEAVY = ("torch", "onnxruntime", "sklearn", "scipy", "matplotlib", "ortools")
#: Modules of PyTorch networks, which only tests with PyTorch import.
OF_TORCH = tuple(f"numeric/models/{name}.py" for name in ("networks", "onnx_network", "transformers"))
FOLDERS = (
    "",
    "c/signature",
    "numeric/models",
    "numeric/onnx_backend",
    "support",
    "unit/budget",
    "unit/frontend",
    "unit/store",
)
LOAD = """
import importlib, sys
sys.path[:0] = sys.argv[1].split(":")
for name in sys.argv[3:]:
    importlib.import_module(name)
    print(name, *(heavy for heavy in sys.argv[2].split(":") if heavy in sys.modules))
"""


def shared_modules() -> list[str]:
    """Return the names of the modules that tests import: neither tests themselves, nor of PyTorch, nor programs."""
    found = [path for folder in FOLDERS for path in sorted((TESTS / folder).glob("*.py"))]
    left_out = ("test_", "__", "conftest")
    names = [path.relative_to(TESTS).as_posix() for path in found if not path.name.startswith(left_out)]
    return [name.removesuffix(".py").replace("/", ".") for name in names if name not in OF_TORCH]


def test_no_shared_module_imports_a_heavy_package(root: Path) -> None:
    folders = [str(root / folder) for folder in ("tests", "site_scons", "bindings/python")]
    modules = shared_modules()
    command = [sys.executable, "-c", LOAD, ":".join(folders), ":".join(HEAVY), *modules]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(modules) > 20
    assert done.stdout.splitlines() == modules
