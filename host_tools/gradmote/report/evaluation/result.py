"""The result of an evaluation, and the forms in which it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...metrics.classes import Calibration, Confusion
from ...metrics.detection import Roc
from ...metrics.numbers import Errors


@dataclass(frozen=True)
class Worst:
    """A sample that the model gets wrong, or hits least.

    Attributes:
        sample: Its index in the set.
        label: Its class, or its first target.
        answer: The predicted class, or the first number predicted.
        error: 1 - the probability of its class, or the root of the mean square error of its numbers.
    """

    sample: int
    label: float
    answer: float
    error: float


@dataclass(frozen=True)
class EvaluationReport:
    """How well a model does on samples.

    Attributes:
        samples: The number of samples.
        ignored: How many labels do not count, as they are no class or their mask is 0.
        loss: The mean loss over full batches; NaN without labels or a full batch.
        confusion: For labels that are classes, the confusion matrix; otherwise None.
        calibration: Their calibration; None for quantized scores, which are no probabilities.
        roc: For a single score, its curve; None without samples of both classes.
        threshold: The score above which a single score is taken for class 1; None for several scores.
        errors: For labels that are numbers, the errors; otherwise None.
        worst: The samples with the largest errors, the largest first.
        classes: The names of the classes, if the image or the data has them.
    """

    samples: int
    ignored: int
    loss: float
    confusion: Confusion | None
    calibration: Calibration | None
    roc: Roc | None
    threshold: float | None
    errors: Errors | None
    worst: tuple[Worst, ...]
    classes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything for JSON; NaN becomes None."""
        from .tables import as_dict

        return as_dict(self)

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        from .html import as_html

        return as_html(self)

    def __str__(self) -> str:
        """Return the tables as text."""
        from .tables import as_text

        return as_text(self)

    def plot(self, path: str | Path) -> None:
        """Write a picture, .png, .svg or .pdf: the confusion matrix, and a single score's curve.

        Needs matplotlib (gradmote[plot]). Raises DataError for a report without classes.
        """
        from .picture import plot

        plot(self, Path(path))
