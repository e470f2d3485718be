"""The discrete Gaussian distribution: normal noise for integers, without the rounding of floats.

The probability of the integer x is proportional to exp(-x^2 / (2 scale^2)). A mechanism that adds it to an integer
has the same guarantee of concentrated differential privacy as with continuous normal noise (Canonne, Kamath and
Steinke, 2020, "The Discrete Gaussian for Differential Privacy"), also in many dimensions. OpenDP samples
it exactly, using only integers and fractions, from the random numbers of the operating system.
"""

from __future__ import annotations

from ..errors import GradmoteError

#: The largest scale: OpenDP's integers have 64 bits, and this leaves them 64 deviations on each side.
LARGEST_SCALE = 2.0**57


def discrete_gaussian(scale: float, count: int) -> list[int]:
    """Return `count` independent integers from the discrete Gaussian distribution.

    scale: its parameter, above 0 and up to 2^57; from 1 on, it equals the deviation to within 10^-7.
    Raises GradmoteError if OpenDP is not installed.
    """
    require_opendp()
    from opendp import domains, measurements, metrics, mod

    assert 0 < scale <= LARGEST_SCALE
    # OpenDP requires this before it allows anything that its committee has not proved line by line.
    mod.enable_features("contrib")
    integers = domains.vector_domain(domains.atom_domain(T="i64"))
    noise = measurements.make_gaussian(integers, metrics.l2_distance(T="f64"), scale)
    return list(noise([0] * count))


def require_opendp() -> None:
    """Raise GradmoteError if OpenDP is not installed."""
    try:
        import opendp.measurements  # noqa: F401
    except ImportError as error:
        raise GradmoteError("noise needs OpenDP, which is not installed", "pip install 'opendp>=0.12'") from error
