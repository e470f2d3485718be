"""The compiler for the studio page: files are bytes, and reports are JSON texts.

It imports neither the command line nor anything that needs threads, processes or the compiled
runtime, so that it runs in a browser. An image is bitwise equal to that of `gradmote compile` with
the same options.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..artifacts.artifact_options import ArtifactOptions
from ..artifacts.export import trained_model
from ..artifacts.schemes import Scheme
from ..budget import Found, Limits, Task, bytes_of, search
from ..budget.choice import Choice
from ..budget.search import as_dict as search_as_dict
from ..compiler.compile import Result, compile_with
from ..compiler.options import Options
from ..device.boards import board, boards
from ..errors import CheckpointError, ModelError
from ..formats.checkpoint import unpack
from ..formats.image import read_image
from ..ir.write import proto_bytes
from ..losses import named_loss
from ..optimizers import OPTIMIZERS
from ..report.analyze import Report, analyze_image, analyze_result, as_drawn
from ..report.analyze.machine import on

#: A function that shows a line of progress.
Tell = Callable[[str], object]
_WHOLE = "full"


@dataclass(frozen=True)
class Wanted:
    """The options that the page offers.

    Without a loss the image only infers. `budget` is the RAM for training, such as "96K", or "" for no
    limit. With a budget, the scheme "full" lets a search choose any scheme. `boards` are the names of
    boards to report on; None means all.
    """

    loss: str = "cross_entropy"
    optimizer: str = "sgd"
    learning_rate: float = 1e-3
    scheme: str = _WHOLE
    batch: int = 1
    budget: str = ""
    boards: tuple[str, ...] | None = None

    @classmethod
    def from_json(cls, text: str) -> Wanted:
        """Return the options in the page's CompileOptions."""
        given = json.loads(text)
        chosen = given.get("boards")
        return cls(
            given["loss"],
            given["optimizer"],
            float(given["learningRate"]),
            given["scheme"].strip() or _WHOLE,
            int(given["batch"]),
            given["budget"].strip(),
            None if chosen is None else tuple(chosen),
        )

    def artifact_options(self) -> ArtifactOptions:
        """Return what to train, and how. Raises ModelError."""
        if not self.loss:
            return ArtifactOptions.training(None, None, self.scheme)
        if self.optimizer not in OPTIMIZERS:
            raise ModelError(f"there is no optimizer '{self.optimizer}'", f"use one of {', '.join(OPTIMIZERS)}")
        optimizer = OPTIMIZERS[self.optimizer](self.learning_rate)
        return ArtifactOptions.training(None, None, self.scheme, loss=named_loss(self.loss), optimizer=optimizer)


def compile_onnx(name: str, model: bytes, options: str, tell: Tell = lambda _: None) -> tuple[bytes, str]:
    """Return the image of an ONNX model, and its report. Raises GradmoteError.

    options: Wanted in JSON. tell: called with lines of progress.
    """
    wanted = Wanted.from_json(options)
    found, warned = None, list[str]()
    if wanted.budget:
        found = _searched(model, wanted, tell)
        result = found.result
    else:
        result, warned = _compiled(model, wanted, tell)
    tell("Analyzing the image")
    report = analyze_result(result, name)
    report.notes.extend(warned)
    return result.image, _report_json(report, wanted.boards, found)


def analyze_mote(name: str, image: bytes, board_names: Sequence[str] | None = None) -> str:
    """Return the report on an image alone. Raises ImageError."""
    return _report_json(analyze_image(image, name), board_names, None)


def export_onnx(image: bytes, model: bytes, checkpoint: bytes) -> bytes:
    """Return the ONNX model with the state that a session of the image has learned.

    Raises CheckpointError if the checkpoint is for another image, or ModelError.
    """
    trained = unpack(checkpoint)
    if trained.model_id not in (bytes(16), read_image(image).model_id):
        raise CheckpointError(
            "the checkpoint belongs to another image", "export what this model has learned, or open the other image"
        )
    return proto_bytes(trained_model(model, trained))


def _compiled(model: bytes, wanted: Wanted, tell: Tell) -> tuple[Result, list[str]]:
    """Return the image for the options, and the compiler's warnings."""
    tell("Reading the model")
    with _reporting(tell) as warned:
        result = compile_with(model, wanted.artifact_options(), Options(batch=wanted.batch, tell=tell))
    return result, warned


def _searched(model: bytes, wanted: Wanted, tell: Tell) -> Found:
    """Return the best training within the budget. Raises BudgetError if nothing fits."""
    options = wanted.artifact_options()
    if options.loss is None or options.optimizer is None:
        raise ModelError("a budget without a loss", "choose a loss, which says what to train")
    tell("Searching for what trains best in the budget")
    scheme = options.scheme or Scheme()
    task = Task(model, options.loss, options.optimizer, Options(batch=wanted.batch), scheme, options)
    families = None if wanted.scheme == _WHOLE else [[scheme]]
    tried = 0

    def on_try(choice: Choice) -> None:
        nonlocal tried
        tried += 1
        tell(f"Trying choice {tried}: {choice.scheme}, {choice.optimizer.rule}, batches of {choice.micro_batch}")

    return search(task, Limits(ram=bytes_of(wanted.budget)), None, families, on_try)


def _report_json(report: Report, board_names: Sequence[str] | None, found: Found | None) -> str:
    """Return the report with the boards, and with the search if there was one."""
    chosen = boards() if board_names is None else [board(name) for name in board_names]
    drawn: dict[str, Any] = as_drawn(report)
    drawn["boards"] = [on(one, report) for one in chosen]
    drawn["budget"] = found and search_as_dict(found)
    return json.dumps(drawn)


@contextmanager
def _reporting(tell: Tell) -> Iterator[list[str]]:
    """Send what the compiler logs to `tell`, as sentences; yield the list that receives its warnings."""
    handler = _Reporter(tell)
    log = logging.getLogger("gradmote")
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield handler.warnings
    finally:
        log.setLevel(before)
        log.removeHandler(handler)


class _Reporter(logging.Handler):
    """A logging handler that reports each record as one line."""

    def __init__(self, tell: Tell) -> None:
        super().__init__(logging.INFO)
        self._tell = tell
        self.warnings: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Report the line, with its first letter in upper case, and keep it if it is a warning."""
        line = record.getMessage()
        self._tell(line[:1].upper() + line[1:])
        if record.levelno >= logging.WARNING:
            self.warnings.append(line)
