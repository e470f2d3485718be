"""The error of a loader whose data is not installed; no loader invents a substitute."""

from __future__ import annotations

from gradmote.errors import DataError


class MissingData(DataError):
    """The data is not on this computer. `command` installs it."""

    def __init__(self, what: str, command: str) -> None:
        super().__init__(f"{what} is not installed", f"install it: {command}")
        self.command = command
