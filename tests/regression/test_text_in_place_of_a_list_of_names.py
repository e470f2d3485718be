"""`build_artifacts(model, "full")` took the text for a list of its letters, and said that no weight matches 'f'."""

import pytest

from gradmote import losses
from gradmote.artifacts import build_artifacts
from gradmote.errors import ModelError
from support.oracle import make_model, node, values

MODEL = make_model([node("MatMul", "x w", "y")], {"w": values(1, 3, 2)}, {"x": (1, 3)})


@pytest.mark.parametrize("argument", ["train", "freeze"])
@pytest.mark.parametrize("text", ["full", "w"])
def test_a_text_is_refused(argument, text):
    with pytest.raises(ModelError, match=f"'{text}' is a string, but a list of names") as refused:
        build_artifacts(MODEL, loss=losses.mse(), **{argument: text})
    assert f"['{text}']" in str(refused.value) and f"scheme='{text}'" in str(refused.value)
