"""Runs onnxruntime's own tests of its Python training API against Gradmote, and prints which pass.

Not part of the normal test run: the tests are onnxruntime's, and are read from a checkout of its release 1.19.2, the
last one with On-Device Training. Run it from `tests`, in an environment that has PyTorch and onnxruntime:

    python -m numeric.training.ort_own_tests CHECKOUT [--only WORD]

CHECKOUT: the checkout, or a folder with the two files. Only what MOVED lists changes in them: imports, "cuda" to
"cpu", the opset to the newest of that time, and PyTorch's exporter to the default of that time. Tests of CUDA itself
(CUDA_ONLY) do not run. The exit code is 1 if a test fails that REASONS does not explain, or if one of these passes.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("orttraining/orttraining/test/python")
FILES = ("orttraining_test_ort_apis_onnxblock.py", "orttraining_test_ort_apis_py_bindings.py")

#: Patterns and what replaces them; first the imports, as docs/MIGRATING.md says.
MOVED = (
    (r"import onnxruntime\.training\.onnxblock as onnxblock", "from gradmote import onnxblock"),
    (r"from onnxruntime\.training import artifacts", "from gradmote import artifacts"),
    (r"from onnxruntime\.training\.api import", "from gradmote.training import"),
    (r'device = "cuda"', 'device = "cpu"'),
    (r"onnx\.defs\.onnx_opset_version\(\)", "21"),
    (r"do_constant_folding=False,", "do_constant_folding=False, dynamo=False,"),
)

#: Tests of CUDA, and of a library that is built for CUDA.
CUDA_ONLY = ("test_cuda_execution_provider", "test_ort_custom_ops", "test_get_and_set_parameter_values[cuda]")

#: The tests that fail, and why.
REASONS = {
    "test_eval_model_has_no_training_mode_dropout": "the eval model has no Dropout at all",
    "test_eval_model_has_no_training_mode_batchnorm": "the eval model has no BatchNormalization: it computes with the "
    "running statistics, which are state",
    "test_save_ort_format": "the files are there, but opset 14 is now 16, in which ScatterElements adds",
    "test_string_inputs": "a board has no texts: the input of type STRING is refused",
}


@dataclass(frozen=True)
class Outcome:
    """The outcome of one test; error is empty if it passed."""

    name: str
    error: str


def main() -> int:
    """Run the tests, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", default="", help="run only tests whose name contains this word")
    options = parser.parse_args()
    outcomes = run(options.checkout, options.only)
    for outcome in outcomes:
        print(f"{'failed' if outcome.error else 'passed'}  {outcome.name}")
        if outcome.error:
            print(f"        {REASONS.get(outcome.name, outcome.error)}")
    failed = [o for o in outcomes if o.error]
    print(f"{len(outcomes) - len(failed)} of {len(outcomes)} passed")
    surprises = [o.name for o in outcomes if bool(o.error) != (o.name in REASONS)]
    if surprises:
        print(f"not as expected: {', '.join(surprises)}")
    return int(bool(surprises) or not outcomes)


def run(checkout: Path, only: str) -> list[Outcome]:
    """Return the outcomes of all tests that need no CUDA."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in FILES:
            (folder / file).write_text(moved(source(checkout, file)))
        report = folder / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", "-c", os.devnull]
        command += ["--rootdir", name, f"--junitxml={report}", *(["-k", only] if only else [])]
        command += [f"--deselect={FILES[1]}::{test}" for test in CUDA_ONLY]
        made = subprocess.run([*command, *FILES], cwd=folder, capture_output=True, text=True, check=False)
        if not report.exists():
            sys.exit(made.stdout + made.stderr)
        return [outcome_of(case) for case in ElementTree.parse(report).iter("testcase")]


def source(checkout: Path, file: str) -> str:
    """Return the text of one of the files."""
    found = next((path for path in (checkout / FOLDER / file, checkout / file) if path.exists()), None)
    if found is None:
        sys.exit(f"{checkout} has no {FOLDER / file}: check out the tag v1.19.2 of microsoft/onnxruntime")
    return found.read_text()


def moved(text: str) -> str:
    """Return a file of tests after the move to Gradmote."""
    for pattern, replacement in MOVED:
        text = re.sub(pattern, replacement, text)
    return text


def outcome_of(case: ElementTree.Element) -> Outcome:
    """Return the outcome of one test in pytest's report."""
    problem = next((part for part in case if part.tag in ("failure", "error", "skipped")), None)
    error = "" if problem is None else (problem.get("message") or problem.tag).splitlines()[0]
    return Outcome(str(case.get("name")), error)


if __name__ == "__main__":
    sys.exit(main())
