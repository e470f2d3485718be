"""`--loss-set weight=balanced`: weights of classes from the samples of --data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import DataError
from .messages import is_quiet
from .output import say

if TYPE_CHECKING:
    import numpy as np

    from ..data import Dataset

WORD = "balanced"


def balanced(settings: list[str] | None, samples: Dataset | None) -> list[str] | None:
    """Return a loss's settings with numbers instead of "weight=balanced" or "pos_weight=balanced".

    Raises DataError without samples whose labels are classes, or if a class has none.
    """
    names = [setting.partition("=")[0] for setting in settings or [] if setting.partition("=")[2] == WORD]
    if not names or settings is None:
        return settings
    counts = _counts(names[0], samples)
    made = {name: f"{name}={_text(name, counts)}" for name in names}
    if not is_quiet():
        say(f"{', '.join(made.values())}: from {int(counts.sum()):,} labels", err=True)
    return [made.get(setting.partition("=")[0], setting) for setting in settings]


def _counts(name: str, samples: Dataset | None) -> np.ndarray:
    """Return how many samples each class has."""
    import numpy as np

    y = None if samples is None else samples.y
    if y is None:
        raise DataError(f"{name}={WORD} counts the labels of --data", "gradmote compile takes --data; or give numbers")
    if y.dtype.kind not in "iu" and not np.isin(y, (0, 1)).all():
        raise DataError(f"{name}={WORD} counts classes, and the labels of --data are numbers", "give class indices")
    labels = y[y >= 0].astype(np.int64)
    named = len(samples.classes) if samples is not None and samples.classes else 0
    counts = np.bincount(labels, minlength=max(named, 2))
    if not counts.all():
        missing = np.flatnonzero(counts == 0)[0]
        raise DataError(f"class {missing} has no sample, so that nothing balances it", f"give {name} as numbers")
    return counts


def _text(name: str, counts: np.ndarray) -> str:
    """Return samples / (classes * those of the class) for each, as scikit-learn's class_weight="balanced".

    pos_weight is that of class 1 relative to class 0.
    """
    if name == "pos_weight":
        return f"{counts[0] / counts[1:].sum():.6g}"
    return ",".join(f"{counts.sum() / (len(counts) * count):.6g}" for count in counts)
