"""The report of `gradmote analyze`: the cost of training a model, before anything is flashed."""

from .gather import Report, analyze_image, analyze_result
from .machine import as_dict, as_drawn

__all__ = ["Report", "analyze_image", "analyze_result", "as_dict", "as_drawn"]
