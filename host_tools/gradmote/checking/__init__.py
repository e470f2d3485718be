"""Whether an image computes what its model says: compared with another engine, and with differences in float64."""

from .comparison import Checked, Row, check, require

__all__ = ["Checked", "Row", "check", "require"]
