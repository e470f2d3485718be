"""Lets a Python with onnxruntime-training, but without PyTorch, generate artifacts. Imports nothing else."""

from __future__ import annotations

import importlib.util
import sys
import types
from pathlib import Path


def without_torch() -> None:
    """Make onnxruntime.training importable without its __init__, which imports PyTorch; artifacts do not need that."""
    found = importlib.util.find_spec("onnxruntime")
    assert found is not None and found.submodule_search_locations is not None
    package = types.ModuleType("onnxruntime.training")
    package.__path__ = [str(Path(found.submodule_search_locations[0]) / "training")]
    sys.modules[package.__name__] = package
