"""Figures of matplotlib (extra `plot`), and the bytes of their files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import GradmoteError, OutputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches. Raises GradmoteError without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise GradmoteError("matplotlib is not installed", "pip install matplotlib") from error
    return Figure(figsize=(width, height), layout="constrained")


def encoded(figure: Figure, path: Path, dpi: int) -> bytes:
    """Return the picture in the format of the path's suffix.

    Raises OutputError if no format has this suffix.
    """
    known = figure.canvas.get_supported_filetypes()
    kind = path.suffix.removeprefix(".").lower() or "png"
    if kind not in known:
        raise OutputError(f"cannot write {path}: there is no picture format '{kind}'", f"there are {', '.join(known)}")
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=dpi, format=kind)
    return buffer.getvalue()
