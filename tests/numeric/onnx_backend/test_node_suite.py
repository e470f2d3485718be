"""ONNX's own node tests (onnx.backend.test), run by its runner. A skipped test is one that not_passing.json lists."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import onnx
import pytest
from numeric.onnx_backend import suite
from onnx.backend.test import BackendTest

from gradmote.onnx_backend import GradmoteBackend, GradmoteRep

LISTED = suite.read_list()
CASES = {case.name: case for case in suite.load_cases()}
#: Of the tests of our operators, how many must pass.
SHARE = 0.95


class ListedRep(GradmoteRep):
    """Skips what the list has, and insists on its reasons."""

    def run(self, inputs: Any, **options: Any) -> tuple[np.ndarray, ...]:
        name = self.model.graph.name
        if name in LISTED["different"]:
            raise unittest.SkipTest(LISTED["different"][name])
        try:
            outputs = super().run(inputs, **options)
        except suite.REFUSALS as error:
            if LISTED["refused"].get(name) == str(error):
                raise unittest.SkipTest(str(error)) from None
            raise
        assert name not in LISTED["refused"], f"{name} runs now: `./run scons accept ONLY=operators`"
        return outputs


class ListedBackend(GradmoteBackend):
    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **options: Any) -> GradmoteRep:
        rep = super().prepare(model, device, **options)
        return ListedRep(rep.model, rep.profile)


NodeTest = BackendTest(ListedBackend, __name__).test_cases["OnnxBackendNodeModelTest"]
for test in [name for name in vars(NodeTest) if name.startswith("test_") and name[: -len("_cpu")] not in CASES]:
    delattr(NodeTest, test)


@pytest.mark.parametrize("name", LISTED["different"])
def test_what_differs_on_purpose_differs(name):
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        suite.refusal(CASES[name])


def test_share_of_tests_that_pass():
    listed = {name for reasons in LISTED.values() for name in reasons}
    assert listed <= set(CASES), f"ONNX has no test {listed - set(CASES)}"
    assert len(listed) <= (1 - SHARE) * len(CASES)
