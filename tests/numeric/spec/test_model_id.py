"""docs/SPEC.md says how a model id is made: the second implementation makes the same."""

from __future__ import annotations

import numpy as np
import pytest
from numeric.spec.model_id import model_id
from numeric.spec.read_image import Image
from numeric.spec.trained_models import OPTIMIZERS, RULES, image

from gradmote import losses
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from support import digits


def stated(data: bytes) -> bytes:
    """Return the id in an image."""
    return np.array(Image(data).header.model_id, np.uint32).tobytes()


@pytest.mark.parametrize("store", [0, 12])
@pytest.mark.parametrize("optimizer", RULES)
def test_all_weights_are_trained(optimizer: str, store: int) -> None:
    data = image("mlp", optimizer, store=store)
    assert stated(data) == model_id(Image(data), {})


def test_some_are_frozen_and_some_are_statistics() -> None:
    """A Reshape's shape is a weight of the model too, and so is the epsilon that rewriting makes an initializer."""
    frozen = {name: values for name, values in digits.weights().items() if name.startswith("0.")}
    built = build_artifacts(digits.model(), ["2.weight", "2.bias"], losses.cross_entropy(), OPTIMIZERS["adam"])
    data = compile_image(built, Options(batch=4)).image
    assert stated(data) == model_id(Image(data), frozen)
    data, added = image("normalized", "adam", accumulate=True), {"n1.epsilon": np.float32([1e-5])}
    assert stated(data) == model_id(Image(data), added | {"shape": np.array([-1, 1, 8, 8])})
