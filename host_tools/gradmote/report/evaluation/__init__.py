"""How well a model does on samples: classes, one score, or numbers, and which samples it gets most wrong."""

from .evaluate import evaluation
from .findings import Worst
from .result import EvaluationReport

__all__ = ["EvaluationReport", "Worst", "evaluation"]
