"""gradmote.hpp has every function of gradmote.h, and each of them does what the C function does."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import tomllib
from bindings.digits import check_export

from bindings import narrow
from gradmote import losses, optimizers
from gradmote.artifacts.export_table import export_table
from gradmote.compiler import Options, compile_model
from gradmote.compiler.sample_store import StoreOptions
from runtime_sources import INCLUDES, ROOT
from support import digits
from support.classifier_image import classifier_image
from support.objects import host_library, run

HEADER, CPP = INCLUDES[0] / "gradmote.h", INCLUDES[0] / "gradmote.hpp"
CALLS = Path(__file__).with_name("calls.cpp")
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
#: Standards and what they leave out; what a program has of exceptions and spans follows from them.
FORMS = {
    "c++17": ["-std=c++17"],
    "c++17 without exceptions": ["-std=c++17", "-fno-exceptions", "-fno-rtti"],
    "c++20": ["-std=c++20"],
    "c++20, sanitized": ["-std=c++20", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
}
COMPILERS = ["g++", "clang++-14"]


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)


def functions(text: str) -> set[str]:
    """Return the functions that a header declares at its top level."""
    return set(re.findall(r"^[\w *]*\b(gm_\w+)\(", without_comments(text), re.MULTILINE))


def test_every_function_has_its_counterpart() -> None:
    called = set(re.findall(r"\b(gm_\w+)\(", without_comments(CPP.read_text())))
    known = functions(HEADER.read_text())
    assert len(known) >= 69
    assert known - called == set()


def test_every_counterpart_is_called() -> None:
    """A template that no test calls may not compile."""
    public = without_comments(CPP.read_text()).partition("class Session")[2].partition("private:")[0]
    methods = set(re.findall(r"^    (?=\S)(?:template <[^{;]*> )?[\w<> :*]+?\b(\w+)\(", public, re.MULTILINE))
    called = set(re.findall(r"session\.(\w+)[<(]", CALLS.read_text()))
    assert len(methods) > 60
    assert methods - called - {"Session", "c"} == set()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The files that calls.cpp takes."""
    folder = tmp_path_factory.mktemp("images")
    options = Options(batch=1, store=StoreOptions(12), classes=["zero", "one", *"23456789"])
    stored = compile_model(digits.model(), losses.cross_entropy(), optimizers.sgd(0.1), options).image
    contents = (classifier_image(), stored, export_table(digits.model(), stored), narrow.image())
    paths = [folder / name for name in ("classifier.mote", "store.mote", "store.gmex", "narrow.mote")]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return list(map(str, paths))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_each_does_what_the_function_does(files: list[str], tmp_path: Path, compiler: str, form: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    program = tmp_path / "calls"
    flags = [*FORMS[form], *WARNINGS, "-O0", "-DGM_THREADS=1", "-pthread", *(f"-I{path}" for path in INCLUDES)]
    run([compiler, *flags, str(CALLS), str(host_library("strict")), "-o", str(program)])
    passed, *texts = run([str(program), *files, str(tmp_path)]).splitlines()
    assert re.fullmatch(r"[1-9]\d\d passed", passed)
    spec = tomllib.loads((ROOT / "runtime_c" / "spec" / "handle_errors.toml").read_text())["error"]
    assert texts == next([error["text"], error["hint"]] for error in spec if error["name"] == "WRONG_DTYPE")
    check_export(tmp_path)
