"""The findings of an evaluation, as data."""

from __future__ import annotations

from dataclasses import dataclass

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
class Findings:
    """How well a model does on samples.

    Attributes:
        samples: The number of samples.
        ignored: How many labels do not count, as they name no class or their mask is 0.
        loss: The mean loss over full batches; NaN without labels or a full batch.
        confusion: For labels that are classes, the confusion matrix; otherwise None.
        calibration: Their calibration; None for quantized scores, which give no probabilities.
        roc: For a single score, its curve, or that of the mean squared error of a model that rebuilds samples with
            marked anomalies; None without samples of both classes.
        threshold: The score above which a single score is taken for class 1; None for several scores, and for errors.
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
