"""The progress bar of commands that build firmware or program a board."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import options as o

if TYPE_CHECKING:
    from ..device.flash.watch import Watch

_WORDS = 60  # characters of a tool's output that the bar shows


@contextmanager
def watching(quiet: bool) -> Iterator[Watch]:
    """Yield the callbacks of a progress bar, which appears with the first stage.

    Without a terminal, they print a line for each stage.
    """
    from ..device.flash.watch import Watch
    from ..device.progress import progress_bar

    with progress_bar(quiet) as bar:
        task = bar.add_task("", total=None, visible=False)

        def stage(text: str) -> None:
            bar.update(task, description=text, completed=0, total=None, visible=True)
            if bar.disable and not quiet:
                o.tell(text)

        yield Watch(
            stage,
            lambda text: bar.update(task, description=text[:_WORDS]),
            lambda done, total: bar.update(task, completed=done, total=total),
            lambda text: None if quiet else bar.console.print(text, highlight=False, soft_wrap=True),
        )
