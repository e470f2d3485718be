"""The result of an evaluation, with the forms in which it is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .findings import Findings
from .html import as_html
from .picture import plot
from .tables import as_dict, as_text


class EvaluationReport(Findings):
    """How well a model does on samples, for programs and notebooks."""

    def as_dict(self) -> dict[str, Any]:
        """Return everything for JSON; NaN becomes None."""
        return as_dict(self)

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        return as_html(self)

    def __str__(self) -> str:
        """Return the tables as text."""
        return as_text(self)

    def plot(self, path: str | Path) -> None:
        """Write a picture, .png, .svg or .pdf: the confusion matrix, and a single score's curve.

        Needs matplotlib (gradmote[plot]). Raises DataError for a report without classes.
        """
        plot(self, Path(path))
