"""Sums and products of integers are refused: they would be computed as if the bits were those of float32 numbers."""

from __future__ import annotations

import onnx.parser
import pytest

from gradmote import compile_model
from gradmote.compiler.options import Options
from gradmote.errors import UnsupportedOperator


@pytest.mark.parametrize("operator", ["Add", "Mul"])
def test_they_are_refused(operator: str) -> None:
    nodes = f"g (int64[2] a, int64[2] b) => (int64[2] y) {{ y = {operator}(a, b) }}"
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> {nodes}')
    with pytest.raises(UnsupportedOperator, match="integers"):
        compile_model(model, options=Options(batch=None))
