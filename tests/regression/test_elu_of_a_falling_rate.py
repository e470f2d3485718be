"""ELU with a negative rate: expm1 was made for numbers up to 0. Of those above 88 it made wrong bits, and of larger
ones other bits on each processor: no integer holds what it converted. No compiler writes such rates, but a file may."""

import numpy as np
import pytest

from gradmote import Session
from support.program_image import SCRATCH, instruction, program_image

#: Of operands in the constants.
CONSTANT_BIT = 1 << 31
#: What expm1 promises (docs/NUMERICS.md).
MOST_ULP = 1.75


def elu(x, rate, profile):
    """Return what an ELU of that rate makes of x."""
    called = instruction(
        "ELU", {"x": CONSTANT_BIT, "y": SCRATCH}, {"n": len(x), "scale": 1.0, "alpha": 1.0, "rate": rate}
    )
    image = program_image([called], SCRATCH + x.nbytes, x.tobytes())
    with Session(image, profile) as session:
        session.run_program("infer")
        return np.frombuffer(bytes(session._memory[SCRATCH : SCRATCH + x.nbytes]), np.float32)


@pytest.mark.parametrize("rate", [-1.0, -0.5, -3e38, 1.0])
def test_elu_is_expm1_of_any_number(rate, profile):
    x = -np.concatenate([np.geomspace(1e-40, 3.4e38, 20_000), np.linspace(0, 130, 20_000), [2**31, np.inf]])
    with np.errstate(over="ignore"):
        x = x.astype(np.float32)
        expected = np.expm1((np.float32(rate) * x).astype(np.float64))
        nearest = expected.astype(np.float32)
    found, is_large = elu(x, rate, profile), np.isinf(nearest)
    assert (found[is_large] == np.inf).all()
    assert (np.abs(found - expected)[~is_large] <= MOST_ULP * np.spacing(np.abs(nearest[~is_large]))).all()
