"""The second implementation has its knowledge from the pages and tables alone, and these say what the sources say."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from numeric.spec.numerics import tables
from numeric.spec.read_tables import ROOT
from numeric.spec.regions import LIMIT
from numeric.spec.verify_program import MAX_WORK, MOST_DIM

FOLDER = Path(__file__).parent
#: What compares both implementations, and so has to do with the product.
COMPARE = {"compare_mutants.py", "example_image.py", "run_drawn.py", "trained_models.py"}
SECOND = [
    path for path in sorted(FOLDER.glob("*.py")) if not path.name.startswith("test_") and path.name not in COMPARE
]
LIBRARIES = {"numpy", "tomli", "spec"}


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports from outside of its folder."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(str(node.module).split(".")[0])
    return found


@pytest.mark.parametrize("path", SECOND, ids=lambda path: path.name)
def test_it_imports_nothing_of_the_product(path: Path) -> None:
    assert imported(path) - LIBRARIES - sys.stdlib_module_names == set()


def test_the_coefficients_are_those_of_the_runtime() -> None:
    """Each polynomial is in numerics.c as the row of the page has it, except log's, which is one expression."""
    source = (ROOT / "runtime_c" / "src" / "numerics.c").read_text()
    written = [np.float32(float.fromhex(text)) for text in re.findall(r"-?0x[0-9a-f]+\.?[0-9a-f]*p[+-]?\d+", source)]
    rows = {name: numbers for name, numbers in tables().items() if len(numbers) > 1}
    assert len(rows) == 8
    for name, numbers in rows.items():
        row = list(numbers[::-1]) if name == "log_r" else list(numbers)
        places = [i for i in range(len(written)) if written[i : i + len(row)] == row]
        assert places or (name == "log_r" and set(row) <= set(written)), name


def test_the_errors_of_polynomials_are_those_of_the_runtime() -> None:
    source = (ROOT / "runtime_c" / "src" / "numerics.c").read_text()
    page = (ROOT / "docs" / "NUMERICS.md").read_text()
    in_source = sorted(re.findall(r"(?:relative error|error of its exponential is) (\d\.\de-\d+)", source))
    assert in_source == sorted(re.findall(r"^\| `\w+_[a-z]` \|.*\| (\d\.\de-\d+), of", page, re.MULTILINE))


def test_the_limits_of_a_build_are_those_of_the_runtime() -> None:
    """Every option of gm_config.h is named, and those that limit what is accepted have their default in the table."""
    config = (ROOT / "runtime_c" / "include" / "gm_config.h").read_text()
    page = (ROOT / "docs" / "SPEC.md").read_text()
    section = page[page.index("### Limits of a build") :].split("\n## ")[0]
    defaults = dict(re.findall(r"#ifndef (GM_\w+)\n#define \1 (.*)", config)) | {"GM_FUSED": "", "GM_CHAINED": ""}
    assert set(re.findall(r"`(GM_\w+)`", section)) == set(defaults)
    for option, default in re.findall(r"^\| `(GM_\w+)` \| ([^|]*) \|", section, re.MULTILINE):
        assert _value(default.strip("` ")) == _value(defaults[option]), option


def _value(text: str) -> str | int:
    """Return a default as a number if it is a power of two, or else as it is written."""
    shifted = re.fullmatch(r"\(UINT64_C\(1\) << (\d+)\)|2\^(\d+)", text)
    return 1 << int(shifted[1] or shifted[2]) if shifted else text.strip("()")


def test_the_limits_of_the_second_verifier_are_those_of_the_page() -> None:
    assert (LIMIT, MAX_WORK, MOST_DIM) == (1 << 30, 1 << 34, (1 << 31) - 1)
