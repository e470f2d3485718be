"""Options that several commands share: the fields of a dataclass become options of a command."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints


def with_shared(name: str, kind: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that gives a command the fields of `kind` instead of its parameter `name`."""
    shared = parameters_of(kind)

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def call(**given: Any) -> None:
            options = {p.name: given.pop(p.name) for p in shared}
            command(**given, **{name: kind(**options)})

        own = parameters_of(command)
        at = [p.name for p in own].index(name)
        parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in (*own[:at], *shared, *own[at + 1 :])]
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {p.name: p.annotation for p in parameters}
        return call

    return decorate


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a function or a dataclass, with annotations as objects."""
    hints = get_type_hints(function, include_extras=True)
    return [p.replace(annotation=hints[p.name]) for p in inspect.signature(function).parameters.values()]
