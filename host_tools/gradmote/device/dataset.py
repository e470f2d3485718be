"""The data that targets train on, under the name that programs import."""

from __future__ import annotations

from ..data.dataset import Array, Dataset

__all__ = ["Array", "Dataset"]
