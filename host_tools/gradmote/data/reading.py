"""The settings for reading samples."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .expected import Expected


@dataclass(frozen=True)
class Reading:
    """How to read samples. Settings that a format does not need are ignored, or refused if misleading.

    Attributes:
        labels: A file with only y.
        label: The column of a table with the labels, or several separated by commas; the last one by
            default.
        test: A file or folder in the same format with the samples to test on.
        test_labels: A file with only their labels.
        classes: The names of the classes in the order of the model's outputs; sorted by default.
        header: Whether the first line of a table has the names of its columns; None detects it.
        scale: The factor of the samples, (x - zero) * scale. By default 1, and 1/255 for pictures.
        zero: The number to subtract first.
        resize: Whether to resize pictures that differ in size from the model's.
        rate: The required sample rate of recordings; by default all must have the same.
        length: The numbers in one sample of a recording; by default as many as the model takes.
        expected: What the model takes; None without a model.
        beside: A column of a table with numbers outside of the sample, such as a person's.
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
        """Return whether the model's label has the type and shape of its input, as in an autoencoder."""
        return self.expected is not None and self.expected.rebuilds()

    def sample_shape(self) -> tuple[int | None, ...] | None:
        """Return the shape of one sample that the model takes; None if it is unknown."""
        first = self.expected.tensor("input", 0) if self.expected else None
        return None if first is None else first.shape
