"""Runs ONNX's node tests, and writes what does not pass, what operators run on, docs/OPERATORS.md, and the list of
kernels that only training needs.

    cd tests && python -m numeric.onnx_backend

Bytes are measured if arm-none-eabi-gcc is found, and kept as they are otherwise.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping

from numeric.onnx_backend import page, suite
from numeric.onnx_backend.training_kernels import training_kernels
from onnx.backend.test.case.test_case import TestCase

from wasm_module import TRAINING_KERNELS


def main() -> None:
    cases = suite.load_cases()
    listed = refresh_list(cases)
    failing = {name for reasons in listed.values() for name in reasons}
    facts = measure(cases, failing)
    page.write_facts(facts)
    TRAINING_KERNELS.write_text("".join(f"{name}\n" for name in training_kernels(facts)))
    page.PAGE.write_text(page.render(facts, suite.totals(cases, failing), listed))


def refresh_list(cases: list[TestCase]) -> Mapping[str, Mapping[str, str]]:
    """Write the list of tests that do not pass: those listed as different, and those refused now. Return the list.

    Raise AssertionError if a test computes something else and is not listed as different.
    """
    different = suite.read_list()["different"]
    reasons = {case.name: suite.refusal(case) for case in cases if case.name not in different}
    listed = {"different": different, "refused": {name: r for name, r in reasons.items() if r is not None}}
    suite.LIST.write_text(json.dumps(listed, indent=1) + "\n")
    return listed


def measure(cases: list[TestCase], failing: set[str]) -> dict[str, page.Facts]:
    by_operator: dict[str, list[TestCase]] = {}
    for case in cases:
        if case.name not in failing:
            by_operator.setdefault(suite.operator_of(case), []).append(case)
    found = {op: suite.kernels_of(group) for op, group in by_operator.items()}
    before = page.read_facts() if page.MEASURED.exists() else {}
    return {op: facts_of(kernels, before.get(op)) for op, kernels in found.items()}


def facts_of(kernels: suite.Kernels, before: page.Facts | None) -> page.Facts:
    if shutil.which("arm-none-eabi-gcc") is None:
        return page.Facts(kernels, *((before.inference_bytes, before.training_bytes) if before else (0, 0)))
    whole = frozenset(kernels.forward | kernels.gradient)
    return page.Facts(kernels, page.kernel_bytes(frozenset(kernels.forward)), page.kernel_bytes(whole))


if __name__ == "__main__":
    main()
