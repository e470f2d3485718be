"""The absolute error, as PyTorch's L1Loss."""

from __future__ import annotations

from collections.abc import Sequence

from .each_element import elementwise, masking
from .loss import Loss


def l1(
    reduction: str = "mean",
    target_name: str = "target",
    mask: bool = False,
    mask_name: str = "mask",
    mask_axes: int | Sequence[int] | None = None,
) -> Loss:
    """Return the loss |x - t|, with a target of the output's shape.

    mask, mask_axes: as for mse.
    """
    return elementwise("L1Loss", reduction, target_name, masking(mask, mask_name, mask_axes))
