"""Importing is cheap, and what cannot load says what to do."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gradmote
from gradmote.errors import GradmoteError
from gradmote_runtime import library


@pytest.mark.parametrize("statement", ["import gradmote", "import gradmote.errors"])
def test_import_is_light(statement: str) -> None:
    heavy = "{'numpy', 'onnx', 'onnx_ir', 'cffi', '_cffi_backend', 'typer', 'rich', 'gradmote_runtime'}"
    script = f"import sys; {statement}; print(sorted({heavy} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_session_needs_no_numpy() -> None:
    script = "import sys, gradmote; gradmote.Session; print(sorted({'numpy', 'onnx', 'onnx_ir'} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_package_refuses_unknown_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Sesion'"):
        _ = gradmote.Sesion


def test_unknown_profile_is_refused(image: bytes) -> None:
    with pytest.raises(GradmoteError, match="no numerics profile 'fast' - use profile='fused' or profile='strict'"):
        gradmote.Session(image, "fast")


def test_a_cpu_without_fma_is_told_to_use_strict(image: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "cpu_has_fma", lambda: False)
    with pytest.raises(GradmoteError, match="no fused multiply-add.*use profile='strict'"):
        gradmote.Session(image)
    assert gradmote.Session(image, "strict").profile == "strict"


def test_a_runtime_that_was_not_built_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    library._load.cache_clear()
    monkeypatch.setattr(library, "is_there", lambda: True)
    monkeypatch.setitem(sys.modules, "gradmote_runtime._strict", None)
    with pytest.raises(GradmoteError, match=r"profile 'strict' does not load .* - install the package again"):
        library.load("strict")
    library._load.cache_clear()
