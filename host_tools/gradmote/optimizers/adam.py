"""Adam and its variants with decoupled weight decay.

Adam: Kingma & Ba 2015. AdamW, in PyTorch's form: Loshchilov & Hutter 2019. The third variant is
onnxruntime-training's AdamW.
"""

from __future__ import annotations

import math

from .optimizer import Optimizer, check


def adam(
    learning_rate: float = 1e-3,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    weight_decay: float = 0.0,
    clip_norm: float | None = None,
    clip_value: float | None = None,
    clip_steps: float | None = None,
) -> Optimizer:
    """Return PyTorch's torch.optim.Adam, which adds weight decay to the gradient."""
    return Optimizer("adam", learning_rate, _hyper(beta1, beta2, eps, weight_decay), clip_norm, clip_value, clip_steps)


def adamw(
    learning_rate: float = 1e-3,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    weight_decay: float = 1e-2,
    clip_norm: float | None = None,
    clip_value: float | None = None,
    clip_steps: float | None = None,
) -> Optimizer:
    """Return PyTorch's torch.optim.AdamW, which shrinks the parameter before the update."""
    return Optimizer("adamw", learning_rate, _hyper(beta1, beta2, eps, weight_decay), clip_norm, clip_value, clip_steps)


def adamw_ort(
    learning_rate: float = 1e-3,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-6,
    weight_decay: float = 0.0,
    clip_norm: float | None = None,
    clip_value: float | None = None,
    clip_steps: float | None = None,
) -> Optimizer:
    """Return onnxruntime-training's AdamW, with its defaults.

    eps is outside the bias correction, and decay comes after the update.
    """
    return Optimizer(
        "adamw_ort", learning_rate, _hyper(beta1, beta2, eps, weight_decay), clip_norm, clip_value, clip_steps
    )


def _hyper(beta1: float, beta2: float, eps: float, weight_decay: float) -> dict[str, float]:
    return check(
        beta1=(beta1, 0, 1), beta2=(beta2, 0, 1), eps=(eps, 0, math.inf), weight_decay=(weight_decay, 0, math.inf)
    )


_HEADER = (
    "<weight_decay: float, beta1: float, one_minus_beta1: float, beta2: float, one_minus_beta2: float, eps: float> "
    "(p, g, lr, scale, m, v, correction) => (p_new, m_new, v_new)"
)
_MOMENTS = """
  b2 = Constant <value_float: float = @beta2> ()
  c1 = Constant <value_float: float = @one_minus_beta1> ()
  c2 = Constant <value_float: float = @one_minus_beta2> ()
  small = Constant <value_float: float = @eps> ()
  wd = Constant <value_float: float = @weight_decay> ()
  first = Constant <value_int = 0> ()
  second = Constant <value_int = 1> ()
  correction1 = Gather (correction, first)
  correction2 = Gather (correction, second)
  toward = Sub (grad, m)
  m_move = Mul (c1, toward)
  m_new = Add (m, m_move)
  v_kept = Mul (b2, v)
  square = Mul (grad, grad)
  v_part = Mul (c2, square)
  v_new = Add (v_kept, v_part)
  root = Sqrt (v_new)
  root_correction = Sqrt (correction2)"""
_TORCH_UPDATE = """
  unbiased = Div (root, root_correction)
  denominator = Add (unbiased, small)
  rate = Div (lr, correction1)
  ratio = Div (m_new, denominator)
  step = Mul (rate, ratio)"""

STEPS = {
    "adam": f"""
AdamStep {_HEADER} {{
  decay_rate = Constant <value_float: float = @weight_decay> ()
  scaled = Mul (g, scale)
  decay = Mul (decay_rate, p)
  grad = Add (scaled, decay){_MOMENTS}{_TORCH_UPDATE}
  p_new = Sub (p, step)
}}""",
    "adamw": f"""
AdamwStep {_HEADER} {{
  grad = Mul (g, scale){_MOMENTS}{_TORCH_UPDATE}
  one = Constant <value_float = 1.0> ()
  lr_wd = Mul (lr, wd)
  keep = Sub (one, lr_wd)
  decayed = Mul (p, keep)
  p_new = Sub (decayed, step)
}}""",
    "adamw_ort": f"""
AdamwOrtStep {_HEADER} {{
  grad = Mul (g, scale){_MOMENTS}
  denominator = Add (root, small)
  corrected = Mul (lr, root_correction)
  rate = Div (corrected, correction1)
  ratio = Div (m_new, denominator)
  step = Mul (rate, ratio)
  moved = Sub (p, step)
  lr_wd = Mul (lr, wd)
  decay = Mul (lr_wd, moved)
  p_new = Sub (moved, decay)
}}""",
}
