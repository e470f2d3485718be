"""The settings with which samples are read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .expected import Expected


@dataclass(frozen=True)
class Reading:
    """How samples are read. What a form does not need is not looked at, or refused where it misleads.

    Attributes:
        labels: A file of y alone.
        label: The column of a table with the labels, or several with commas between them; the last
            one by default.
        test: A file or folder of the same form with the samples to test on.
        test_labels: A file of their labels alone.
        classes: The names of the classes in the order of the model's outputs; sorted by default.
        header: Whether the first line of a table has the names of its columns; None looks.
        scale: The factor of the samples, (x - zero) * scale. By default 1, and 1/255 for pictures.
        zero: What is subtracted before.
        resize: Whether pictures of another size than the model's are resized to it.
        rate: The sample rate that recordings must have; by default all must have the same.
        length: The numbers in one sample of a recording; by default as many as the model takes.
        expected: What the model takes; None where there is no model.
        beside: A column of a table with numbers that are no part of the sample, such as a person's.
    """

    labels: Path | None = None
    label: str | None = None
    test: Path | None = None
    test_labels: Path | None = None
    classes: tuple[str, ...] | None = None
    header: bool | None = None
    scale: float | None = None
    zero: float | None = None
    resize: bool = False
    rate: int | None = None
    length: int | None = None
    expected: Expected | None = None
    beside: str | None = None

    def rebuilds(self) -> bool:
        """Return whether the model's label has the type and shape of its input, as an autoencoder's has."""
        first, label = (self.expected.tensor(role, 0) if self.expected else None for role in ("input", "label"))
        return first is not None and label is not None and (first.dtype, first.shape) == (label.dtype, label.shape)

    def sample_shape(self) -> tuple[int | None, ...] | None:
        """Return the shape of one sample that the model takes; None where it is not known."""
        first = self.expected.tensor("input", 0) if self.expected else None
        return None if first is None else first.shape
