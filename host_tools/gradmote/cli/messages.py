"""The messages of commands besides their result, and the options --quiet and --verbose.

The package logs its steps and warnings through Python's logging under the name "gradmote". The
command line shows warnings on stderr. With --verbose it also shows the steps, and with --quiet only
errors.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import logging
import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from ..terminal.printable import printable
from .compiler import parameters_of

logger = logging.getLogger("gradmote")

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors, and what --json prints.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Log on stderr what is done, with times.")]


class OnStderr(logging.Handler):
    """A logging handler that prints each warning once.

    A search compiles a model many times, and would repeat its warnings.
    """

    def __init__(self) -> None:
        """Begin with no warning shown, and the clock of --verbose at 0."""
        super().__init__()
        self.shown: set[str] = set()
        self.start = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record. Called by logging."""
        text = record.getMessage()
        if record.levelno >= logging.WARNING:
            if text not in self.shown:
                typer.secho(printable(f"{record.levelname.lower()}: {text}"), fg="yellow", err=True)
            self.shown.add(text)
        else:
            typer.secho(printable(f"{time.monotonic() - self.start:7.2f} s  {text}"), dim=True, err=True)


def set_level(quiet: bool, verbose: bool) -> None:
    """Set the level of messages from now on; without either option it is unchanged."""
    if quiet and verbose:
        raise typer.BadParameter("say --quiet or --verbose, not both")
    if quiet or verbose:
        logger.setLevel(logging.ERROR if quiet else logging.DEBUG)


def is_quiet() -> bool:
    """Return whether only errors are shown."""
    return logger.level >= logging.ERROR


@contextlib.contextmanager
def level_restored() -> Iterator[None]:
    """Restore the level of messages at the end of the context."""
    level = logger.level
    try:
        yield
    finally:
        logger.setLevel(level)


@contextlib.contextmanager
def on_stderr() -> Iterator[None]:
    """Print messages on stderr: warnings, unless another level was set before."""
    handler = OnStderr()
    logger.addHandler(handler)
    try:
        with level_restored():
            logger.setLevel(logger.level or logging.WARNING)
            yield
    finally:
        logger.removeHandler(handler)


def with_messages(command: Callable[..., None], prints: bool) -> Callable[..., None]:
    """Return the command with the options --quiet and --verbose.

    If `prints`, the command's text is its result, and --quiet does not suppress it.
    """
    own = parameters_of(command)

    @functools.wraps(command)
    def call(quiet: bool, verbose: bool, **given: Any) -> None:
        with on_stderr():
            set_level(quiet, verbose)
            silent = is_quiet() and not prints and not given.get("as_json")
            with contextlib.redirect_stdout(io.StringIO()) if silent else contextlib.nullcontext():
                command(**given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    more = [
        inspect.Parameter("quiet", keyword, default=False, annotation=Quiet),
        inspect.Parameter("verbose", keyword, default=False, annotation=Verbose),
    ]
    parameters = [*(p.replace(kind=keyword) for p in own), *more]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    return call
