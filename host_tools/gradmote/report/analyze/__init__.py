"""The report of `gradmote analyze`: the cost of training a model, before anything is flashed."""

from .drawn import as_drawn
from .gather import Report, analyze_image, analyze_result
from .machine import as_dict

__all__ = ["Report", "analyze_image", "analyze_result", "as_dict", "as_drawn"]
