"""Differential privacy by noise at the server: a base then reveals little about any single device.

This is the Gaussian mechanism of McMahan et al. (2018, "Learning Differentially Private Recurrent Language Models"):
clip each delta to a fixed norm, weigh all the same, add normal noise to the sum, and divide by a fixed number.

The noise is from the discrete Gaussian distribution: normal noise for integers, without the rounding of floats. The
probability of the integer x is proportional to exp(-x^2 / (2 scale^2)). A mechanism that adds it to an integer has the
same guarantee of concentrated differential privacy as with continuous normal noise (Canonne, Kamath and Steinke, 2020,
"The Discrete Gaussian for Differential Privacy"), also in many dimensions. OpenDP samples it exactly, using only
integers and fractions, from the random numbers of the operating system.

Poisson sampling: each device takes part in a round with the same probability, independently of the others. Epsilon over
many rounds is small only if participants are drawn like this and stay secret (Abadi et al., 2016, "Deep Learning with
Differential Privacy").
"""

from __future__ import annotations

import hmac
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..errors import DataError, GradmoteError
from ..formats.delta import BIAS
from .delta_sum import EXAMPLE_PARTS, DeltaSum

# ---- The discrete Gaussian distribution ------------------------------------------------------------------------------

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


# ---- Noise at the server ---------------------------------------------------------------------------------------------

#: The smallest noise multiplier, whose deviation is still 2^41 steps of the grid; its guarantee is useless.
LEAST_NOISE = 0.01
#: The largest noise multiplier, so that the noise on the grid has no more than 64 bits.
MOST_NOISE = 100.0
#: The grid of the sum is 2^32 times finer than the clipping norm, up to a factor of 2.
GRID_BITS = 32
#: Delta.norm is the root of a sum, each rounded to nearest: the true norm is at most this many times as large.
_ROUNDING = 1 + Fraction(1, 2**52)


@dataclass(frozen=True)
class GaussianNoise:
    """The settings of a server that adds noise, and its arithmetic.

    The guarantee. Two sets of devices that differ in one whole device lead to sums whose difference has a norm of at
    most clipping_norm: exactly, in integers. The server adds discrete Gaussian noise to the sum before it uses it.
    The noise has a deviation of noise_multiplier times clipping_norm, and comes from the operating system's
    cryptographic source. So one round has rho = 1 / (2 noise_multiplier^2) of zero-concentrated differential privacy
    for each device, whatever that device sends, and so does everything computed from the noised sum: the base, the
    server's optimizer, and the delta that goes down. dp-accounting computes epsilon for several rounds. If each
    device takes part independently with the same probability (Poisson sampling), and nobody sees which ones did,
    epsilon is much smaller.

    Outside of the guarantee. The server, and anybody who reads its memory or its journal, sees each device's delta:
    they are trusted, and so is a gateway that sends sums, because the server believes its devices' norms. The record
    of a round contains the devices, their examples, their losses and their seconds without noise, and tests on
    devices report their results: these are for the server's operator, and must not be published. The number of
    devices that took part is public, too. A device that took part under several names counts several times.

    Attributes:
        clipping_norm: The largest Euclidean norm of a delta; a longer one is shortened to it. Do not choose it by
            looking at the data to protect.
        noise_multiplier: The deviation of the noise in multiples of clipping_norm, 0.01 .. 100.
        devices_per_round: The expected number of devices in a round, 1 or more, for example their number times the
            probability of each. The sum is divided by it instead of by the number that came, which depends on the
            devices.
    """

    clipping_norm: float
    noise_multiplier: float
    devices_per_round: float

    def __post_init__(self) -> None:
        """Raise DataError if a setting is impossible, and GradmoteError if OpenDP is not installed."""
        if not 0 < self.clipping_norm < math.inf:
            raise DataError(f"a clipping norm of {self.clipping_norm}", "give a positive number, such as 0.5")
        if not LEAST_NOISE <= self.noise_multiplier <= MOST_NOISE:
            raise DataError(
                f"a noise multiplier of {self.noise_multiplier}",
                f"give {LEAST_NOISE:g} to {MOST_NOISE:g}, such as 1; without noise there is no privacy",
            )
        if not 1 <= self.devices_per_round < math.inf:
            raise DataError(f"{self.devices_per_round} devices per round", "give the expected number, from 1")
        require_opendp()

    def weight(self, norm: float) -> int:
        """Return the weight of a delta, 0 .. EXAMPLE_PARTS: EXAMPLE_PARTS min(1, clipping_norm / norm), rounded down.

        norm: `Delta.norm`, of the numbers that the codes represent, so that clipping includes the device's rounding.
        The weight times the true norm is at most EXAMPLE_PARTS clipping_norm.
        """
        if not norm:
            return EXAMPLE_PARTS
        longest = Fraction(norm) * _ROUNDING
        return min(EXAMPLE_PARTS, math.floor(EXAMPLE_PARTS * Fraction(self.clipping_norm) / longest))

    def noised_means(self, total: DeltaSum) -> list[np.ndarray]:
        """Return the sum of deltas with these weights, plus noise, over devices_per_round: float64 for each parameter.

        Each call draws new noise. Two published results of the same sum reveal more than one.
        """
        sums = [on_grid(parts, count, self.lowest_exponent) for parts, count in zip(total.sums, total.elements)]
        noise = discrete_gaussian(self.scale, sum(total.elements))
        noised = np.concatenate(sums) + np.array(noise, object)
        summed = np.ldexp(noised.astype(np.float64), self.lowest_exponent - BIAS)
        means = summed / (EXAMPLE_PARTS * self.devices_per_round)
        return np.split(means, np.cumsum(total.elements)[:-1])

    @property
    def scale(self) -> float:
        """Return the deviation of the noise in steps of the grid, never rounded down."""
        step = self.lowest_exponent - BIAS
        return math.nextafter(self.noise_multiplier * math.ldexp(self.clipping_norm, -step) * EXAMPLE_PARTS, math.inf)

    @property
    def lowest_exponent(self) -> int:
        """Return the stored exponent of a step of the grid; the clipping norm is 2^32 .. 2^33 steps.

        It depends only on the settings. A grid that depended on the deltas would reveal something about them.
        """
        return math.frexp(self.clipping_norm)[1] - 1 - GRID_BITS + BIAS


def on_grid(parts: dict[int, np.ndarray], count: int, lowest: int) -> np.ndarray:
    """Return the sums of all exponents of one parameter in steps of 2^(lowest - BIAS), as Python integers.

    Leaves out smaller exponents. That rule applies to each delta separately, and makes none longer: a parameter
    whose numbers are all below 2^-25 of the clipping norm counts as zeros.
    """
    total = np.zeros(count, object)
    for exponent, sums in parts.items():
        if exponent >= lowest:
            total += sums.astype(object) << (exponent - lowest)
    return total


# ---- Poisson sampling ------------------------------------------------------------------------------------------------

#: The size of a key, and of a tag, in bytes.
KEY_BYTES = 32


def poisson_sample(names: Iterable[str], probability: float, key: bytes, number: int) -> list[str]:
    """Return the devices that take part in a round, sorted.

    names: of all devices. probability: of each, 0 .. 1. key: a secret from a cryptographic source; whoever has it can
    compute who took part. number: of the round. Equal arguments give the same result, so a restarted server continues
    with the same devices.
    """
    below = int(Fraction(probability) * 2 ** (8 * KEY_BYTES))
    return [name for name in sorted(names) if _drawn(key, number, name) < below]


def _drawn(key: bytes, number: int, name: str) -> int:
    """Return a number in 0 .. 2^256 - 1 that looks uniform and independent to anybody without the key."""
    return int.from_bytes(hmac.digest(key, f"{number}\n{name}".encode(), "sha256"), "little")
