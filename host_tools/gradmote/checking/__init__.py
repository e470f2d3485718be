"""Checks that an image computes what its model says, against another engine, and against differences in float64."""

from .checked import Checked, Row
from .comparison import check, require

__all__ = ["Checked", "Row", "check", "require"]
