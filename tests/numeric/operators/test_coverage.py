"""Every operator that the table lists is named by a test."""

from pathlib import Path

import pytest

from gradmote.operators import OPERATORS

NUMERIC = Path(__file__).resolve().parents[1]
SOURCES = "".join(p.read_text() for folder in ("operators", "losses") for p in sorted((NUMERIC / folder).glob("*.py")))

#: The loss that the graph has as an ONNX operator is tested through gradmote.losses.
THROUGH_LOSSES = {"SoftmaxCrossEntropyLoss": "losses.cross_entropy"}


@pytest.mark.parametrize("op_type", sorted(op_type for domain, op_type in OPERATORS if not domain))
def test_operator_has_a_test(op_type):
    assert THROUGH_LOSSES.get(op_type, f'"{op_type}"') in SOURCES
