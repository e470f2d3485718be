"""`--moments bf16` took the bias correction of Adam for a moment if a single weight trains, and refused."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import Session, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.formats.image import read_image
from support.quantized import small_cnn


@pytest.mark.parametrize("factory", [optimizers.adam, optimizers.adamw, optimizers.adamw_ort])
def test_the_bias_correction_stays_float32(factory) -> None:
    made = build_artifacts(small_cnn.model(), ["w5_quantized"], losses.cross_entropy(), factory(0.01))
    image = compile_image(made, Options(batch=4, moments="bf16")).image
    slots = {row["name"]: row["dtype"] for row in read_image(image).state if row["role"] == "slot"}
    assert sorted(slots.values()) == ["bf16", "bf16", "f32"], slots
    curve = []
    with Session(image) as session:
        for x, labels in small_cnn.batches(4, 60):
            curve.append(session.step(x, labels))
    assert np.mean(curve[-20:]) < 0.9 * np.mean(curve[:20])
