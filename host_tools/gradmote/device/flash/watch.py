"""The callbacks that follow a build or a flash order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..requests import Progress


@dataclass(frozen=True)
class Watch:
    """The callbacks that follow the progress.

    Attributes:
        stage: Called with the name of each stage as it begins.
        line: Called with each line that a tool prints.
        moved: Called with (done, all) of a stage: sources to compile, or bytes to program.
        note: Called with a line that stays on the screen.
    """

    stage: Callable[[str], None] = lambda text: None
    line: Callable[[str], None] = lambda text: None
    moved: Progress = lambda done, total: None
    note: Callable[[str], None] = lambda text: None


#: Follows nothing.
SILENT = Watch()
