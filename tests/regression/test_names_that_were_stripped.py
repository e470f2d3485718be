"""An image without names calls its parameters 0, 1, ...: parameter() refused what parameter_names() gave."""

import numpy as np

from gradmote import Session, optimizers
from gradmote.compiler import Options, compile_image
from support import digits


def test_every_name_that_is_given_is_taken(profile):
    made = digits.artifacts(optimizers.sgd(0.1))
    image = compile_image(made, Options(batch=1, accumulate=True, strip_names=True)).image
    with Session(image, profile) as session:
        assert session.parameter_names() == ["0", "1", "2", "3"]
        for index, name in enumerate(session.parameter_names()):
            assert np.array_equal(session.parameter(name), session.parameter(index))
            assert np.array_equal(session.gradient(name), session.gradient(index))
