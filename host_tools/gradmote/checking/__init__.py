"""Whether an image computes what its model says: compared with another engine, and with differences in float64."""

from .checked import Checked, Row
from .comparison import check, require

__all__ = ["Checked", "Row", "check", "require"]
