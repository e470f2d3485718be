"""The host's side of a training, in a file beside its checkpoint: settings, epochs so far, and the best of them.

The checkpoint counts the updates itself. The run is written before each checkpoint, and knows by their digests
the one that is there and the one that is to come: after a crash between the two writes, either is its own.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gradmote.errors import DataError

from ..data.dataset import Dataset
from ..formats.checkpoint import ENCODING, checked_header, unpack
from ..terminal.printable import finite
from .evaluation import Evaluation
from .fitting import Best, Epoch

_VERSION = 1


@dataclass
class Run:
    """A training that can go on.

    Attributes:
        settings: What makes it what it is, by name; another run goes on only with equal ones.
        first: The updates that the model had made before it, skipped ones included.
        epochs: The finished epochs.
        best: The number of the best epoch; None without one.
        checkpoints: The digests of the checkpoint that was written, and of the one that is about to be.
    """

    settings: dict[str, Any]
    first: int
    epochs: list[Epoch] = field(default_factory=list)
    best: int | None = None
    checkpoints: list[str] = field(default_factory=list)

    def as_bytes(self) -> bytes:
        """Return the file's bytes."""
        content = {"version": _VERSION, **asdict(self)}
        return json.dumps(finite(content), indent=1).encode() + b"\n"

    def note(self, checkpoint: bytes) -> None:
        """Count a checkpoint that will be written among the run's own."""
        self.checkpoints = [*self.checkpoints[:1], digest([checkpoint])]

    def settle(self, checkpoint: bytes) -> None:
        """Count a checkpoint that was written as the only one."""
        self.checkpoints = [digest([checkpoint])]

    def require(self, settings: dict[str, Any], path: Path) -> None:
        """Raise DataError unless the settings are those of this run."""
        for name, value in settings.items():
            if self.settings.get(name) != value:
                raise DataError(
                    f"{path} is of a run with another {name}: {self.settings.get(name)}, now {value}",
                    "give the same, or begin a run of its own: --resume instead of --continue",
                )

    def position(self, checkpoint: bytes, each: int) -> tuple[int, int]:
        """Return the epoch to go on in and its updates so far, and forget what came after the checkpoint.

        each: the updates of an epoch. An epoch without its test goes on after its last update. Raises
        DataError for another run's checkpoint.
        """
        if digest([checkpoint]) not in self.checkpoints:
            raise DataError("the checkpoint is not one of this run", "give the run's own, or begin one with --resume")
        if checked_header(checkpoint)["encoding"] == ENCODING["half"]:
            raise DataError(
                "the checkpoint keeps 16 bits of each number, and --continue needs all", "begin a run with --resume"
            )
        self.settle(checkpoint)
        done, step = divmod(updates_of(checkpoint) - self.first, each)
        self.epochs = [epoch for epoch in self.epochs if epoch.epoch <= done]
        tested = done == 0 or any(epoch.epoch == done for epoch in self.epochs)
        return (done + 1, step) if step or tested else (done, each)

    def best_epoch(self, path: Path) -> Best | None:
        """Return the best epoch so far, whose checkpoint is at `path` if it is kept; None if it is not among them."""
        found = next((e for e in self.epochs if e.epoch == self.best and e.test is not None), None)
        if found is None or found.test is None:
            return None
        if not self.settings["keep_best"]:
            return Best(found.epoch, found.test, b"")
        return Best(found.epoch, found.test, path.read_bytes()) if path.is_file() else None


def read_run(path: Path) -> Run:
    """Return the run in a file. Raises DataError if it has none."""
    try:
        content = json.loads(path.read_bytes())
        version, epochs = content.pop("version"), content.pop("epochs")
        if version != _VERSION:
            raise DataError(f"{path} has version {version}", f"this version of Gradmote reads {_VERSION}")
        return Run(**content, epochs=[_epoch(each) for each in epochs])
    except OSError as error:
        raise DataError(f"cannot read {path} ({error})", "a run that began with --checkpoint has left it") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(
            f"{path} is not a run of gradmote train", "name the checkpoint that it was left beside"
        ) from error


def _epoch(content: dict[str, Any]) -> Epoch:
    test = content.pop("test")
    numbers: dict[str, Any] = {name: math.nan if value is None else value for name, value in content.items()}
    return Epoch(**numbers, test=test and Evaluation(**{k: math.nan if v is None else v for k, v in test.items()}))


def updates_of(checkpoint: bytes) -> int:
    """Return how many updates a checkpoint has seen, skipped ones included."""
    control = unpack(checkpoint).control
    return int(control["optimizer_steps"]) + int(control["skipped_steps"])


def digest(parts: Sequence[bytes | memoryview]) -> str:
    """Return the first 16 digits of the SHA-256 of these bytes."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part)
    return whole.hexdigest()[:16]


def data_digest(data: Dataset) -> str:
    """Return a digest of the samples and labels to train on."""
    arrays = [data.x, *([] if data.y is None else [data.y]), *data.more.values()]
    return digest([memoryview(array.tobytes()) for array in arrays])
