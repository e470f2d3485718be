"""ScatterND and GatherND of a scalar for indices ended in an IndexError."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import compile_model
from gradmote.errors import ModelError
from support.oracle import make_model, node


@pytest.mark.parametrize("shape", [(), (4,)])
@pytest.mark.parametrize("operator", ["ScatterND", "GatherND"])
def test_they_are_refused(operator, shape):
    inputs = "x i u" if operator == "ScatterND" else "x i"
    model = make_model([node(operator, inputs, "y")], {"i": np.array(0)}, {"x": shape, "u": ()})
    if operator == "GatherND":
        del model.graph.input[1]
    with pytest.raises(ModelError):
        compile_model(model, batch=None)
