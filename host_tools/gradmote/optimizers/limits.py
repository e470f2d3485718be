"""The learning rates up to which a rule keeps a finite state finite.

This holds for all gradients below GRADIENT_LIMIT. The proof is in docs/NUMERICS.md ("Finite state");
runtime_c/src/sound_state.c checks its conditions on the initial state.
"""

from __future__ import annotations

import numpy as np

from ..generated.optimizers import RULES
from ..generated.records import MOMENTS_BF16

#: The bound for each element of a scaled gradient, so that its square is finite.
GRADIENT_LIMIT = 2.0**63

#: The first moment of Adam is at most this times the root of the second.
MOMENTS_RATIO = 2.0**10

_MOST = 2.0**14  # no rate is allowed above this one
_LAST_DIGIT = 2.0**-7  # the relative size of a bfloat16's last digit
_FINEST = 2.0**-13  # the smallest 1 - beta, so that rounding is far below the decay of a moment


def largest_rate(record: bytes) -> float:
    """Return the limit that a learning rate must be below, for the 8 words of a rule.

    0 means that there is no such rate.
    """
    words = np.frombuffer(record, "<u4")
    kind = int(words[0]) & ~MOMENTS_BF16
    rule, spec = next((name, spec) for name, spec in RULES.items() if spec["kind"] == kind)
    values = words[1 : 1 + len(spec["hyper"])].view("<f4")
    hyper = dict(zip(spec["hyper"], map(float, values), strict=True))
    return _LIMITS[rule](worst_rounded(hyper) if int(words[0]) & MOMENTS_BF16 else hyper)


def worst_rounded(hyper: dict[str, float]) -> dict[str, float]:
    """Return the hyper-parameters that represent the worst rounding of moments to bfloat16.

    In each update, a first moment may be too large by the last digit of a bfloat16, and a second one too small.
    """
    names = {"beta1": 1 + _LAST_DIGIT, "one_minus_beta1": 1 + _LAST_DIGIT,
             "beta2": 1 - _LAST_DIGIT, "one_minus_beta2": 1 - _LAST_DIGIT}  # fmt: skip
    return {name: value * names.get(name, 1.0) for name, value in hyper.items()}


def _sgd(hyper: dict[str, float]) -> float:
    return _MOST if hyper["weight_decay"] == 0 else _below(hyper["weight_decay"], 0.5)


def _momentum(hyper: dict[str, float]) -> float:
    """Return the limit for SGD with momentum.

    With weight decay it keeps the pair of parameter and velocity overdamped, so that no gradients can make
    it oscillate.
    """
    rest, decay = 1 - hyper["momentum"], hyper["weight_decay"]
    if decay == 0:
        return _MOST
    if rest < _FINEST or decay < 2.0**-30:
        return 0.0
    return _below(decay, rest**2 / (2 * (1 + hyper["momentum"])))


def _adam(hyper: dict[str, float]) -> float:
    """Return the limit for Adam, whose weight decay is part of the gradient."""
    return _of_moments(hyper) if hyper["weight_decay"] <= 1 else 0.0


def _adamw(hyper: dict[str, float]) -> float:
    """Return the limit for AdamW, whose weight decay is applied beside the gradient."""
    return min(_of_moments(hyper), _below(hyper["weight_decay"], 1.0) if hyper["weight_decay"] else _MOST)


def _of_moments(hyper: dict[str, float]) -> float:
    """Return the limit that follows from the moments alone.

    By Cauchy and Schwarz, m^2 <= (1 - beta1)^2 / ((1 - beta2) (1 - beta1^2 / beta2)) v.
    """
    rest1, rest2 = hyper["one_minus_beta1"], hyper["one_minus_beta2"]
    forgets = 1 - hyper["beta1"] ** 2 / hyper["beta2"] if hyper["beta2"] > 0 else 0.0
    if forgets <= 0 or rest1 < _FINEST or rest2 <= 0 or hyper["eps"] < 2.0**-60:
        return 0.0
    is_bounded = rest1**2 / (rest2 * forgets) <= (MOMENTS_RATIO / 2) ** 2
    return min(_MOST, 2.0**24 * rest1) if is_bounded else 0.0


def _below(decay: float, most: float) -> float:
    """Return the rate at which rate times decay is `most`.

    It is 0 for a decay above 1, which could overflow by itself.
    """
    return min(_MOST, float(np.nextafter(np.float32(most / decay), np.float32(0)))) if decay <= 1 else 0.0


_LIMITS = {"sgd": _sgd, "momentum": _momentum, "adam": _adam, "adamw": _adamw, "adamw_ort": _adamw}
