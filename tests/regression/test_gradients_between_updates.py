"""Each update takes the gradients of its own samples alone, even if an image keeps gradients: fit() and `train` on a
board once went on adding to those of the updates before."""

import numpy as np
import pytest

from gradmote import optimizers
from gradmote.compiler import Options, compile_image
from gradmote.device import Dataset, TwinTarget, fit
from support.digits import artifacts, samples


def fitted(batch: int, accumulate: bool, micro_batches: int) -> np.ndarray:
    pixels, labels = samples()
    image = compile_image(artifacts(optimizers.sgd(0.1)), Options(batch=batch, accumulate=accumulate)).image
    with TwinTarget() as target:
        target.load_image(image)
        fit(target, Dataset(pixels[:64], labels[:64]), epochs=2, micro_batches=micro_batches)
        return np.frombuffer(target.parameters(), np.float32)


@pytest.mark.parametrize("micro_batches", [1, 4])
def test_fit_with_kept_gradients_is_fit_without(micro_batches):
    expected = fitted(8, accumulate=False, micro_batches=1)
    np.testing.assert_allclose(fitted(8 // micro_batches, True, micro_batches), expected, atol=1e-5)
