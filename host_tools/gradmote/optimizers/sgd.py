"""Stochastic gradient descent, as PyTorch's torch.optim.SGD.

It has momentum, Nesterov momentum and weight decay.
"""

from __future__ import annotations

import math

from ..errors import ModelError
from .optimizer import Optimizer, check


def sgd(
    learning_rate: float = 1e-3,
    momentum: float = 0.0,
    nesterov: bool = False,
    weight_decay: float = 0.0,
    clip_norm: float | None = None,
    clip_value: float | None = None,
    clip_steps: float | None = None,
) -> Optimizer:
    """Return the rule g += wd p; v = momentum v + g; p -= lr (nesterov ? g + momentum v : v).

    Without momentum there is no v. The limits are those of Optimizer. Raises ModelError for Nesterov momentum
    without momentum.
    """
    if nesterov and momentum == 0:
        raise ModelError("Nesterov momentum needs a momentum above 0", "pass momentum=0.9")
    hyper = check(momentum=(momentum, 0, 1), weight_decay=(weight_decay, 0, math.inf))
    if momentum == 0:
        del hyper["momentum"]
        return Optimizer("sgd", learning_rate, hyper, clip_norm, clip_value, clip_steps)
    hyper["nesterov"] = float(nesterov)
    return Optimizer("momentum", learning_rate, hyper, clip_norm, clip_value, clip_steps)


STEPS = {
    "sgd": """
SgdStep <weight_decay: float> (p, g, lr, scale) => (p_new) {
  wd = Constant <value_float: float = @weight_decay> ()
  scaled = Mul (g, scale)
  decay = Mul (wd, p)
  grad = Add (scaled, decay)
  step = Mul (lr, grad)
  p_new = Sub (p, step)
}""",
    "momentum": """
MomentumStep <weight_decay: float, momentum: float, nesterov: float> (p, g, lr, scale, v) => (p_new, v_new) {
  wd = Constant <value_float: float = @weight_decay> ()
  mu = Constant <value_float: float = @momentum> ()
  look_ahead = Constant <value_float: float = @nesterov> ()
  one = Constant <value_float = 1.0> ()
  scaled = Mul (g, scale)
  decay = Mul (wd, p)
  grad = Add (scaled, decay)
  old = Mul (mu, v)
  v_new = Add (old, grad)
  ahead = Mul (mu, v_new)
  nesterov_grad = Add (grad, ahead)
  keep = Sub (one, look_ahead)
  plain_part = Mul (keep, v_new)
  nesterov_part = Mul (look_ahead, nesterov_grad)
  direction = Add (plain_part, nesterov_part)
  step = Mul (lr, direction)
  p_new = Sub (p, step)
}""",
}
