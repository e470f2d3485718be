"""The message about a wrong label also named labels that the loss ignores, as if these were wrong too."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.device import TwinTarget, fit
from gradmote.device.dataset import Dataset
from gradmote.errors import DataError
from gradmote.project.example import AXES, CLASSES, SAMPLES, classifier


@pytest.mark.parametrize("ignored", [-1, -100, CLASSES + 7])
@pytest.mark.parametrize("wrong", [-2, CLASSES])
def test_they_are_not_called_wrong(ignored: int, wrong: int) -> None:
    loss = losses.cross_entropy(ignore_index=ignored)
    image = compile_model(classifier(), loss, optimizers.sgd(0.01), Options(batch=8)).image
    y = np.array([0, ignored, 1, ignored, 2, wrong, 0, ignored])
    with TwinTarget() as twin:
        twin.load_image(image)
        data = Dataset(np.zeros((8, AXES * SAMPLES), np.float32), y)
        with pytest.raises(DataError, match=rf"^y\[5\] is {wrong}: labels must be in 0 \.\. {CLASSES - 1} - "):
            fit(twin, data, 1)
