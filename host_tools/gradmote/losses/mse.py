"""The squared error, as PyTorch's MSELoss."""

from __future__ import annotations

from collections.abc import Sequence

from .each_element import elementwise, masking
from .loss import Loss


def mse(
    reduction: str = "mean",
    target_name: str = "target",
    mask: bool = False,
    mask_name: str = "mask",
    mask_axes: int | Sequence[int] | None = None,
) -> Loss:
    """Return the loss (x - t)^2, with a target of the output's shape.

    mask: adds an input that weights each element. mask_axes: the axes of the output that the mask has,
    including the batch; all by default. (0, 1) is one number per step of a sequence (N, T, features),
    (0, 2, 3) one per pixel of an image (N, C, H, W).
    """
    return elementwise("MSELoss", reduction, target_name, masking(mask, mask_name, mask_axes))
