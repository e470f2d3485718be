"""The names of the classes, which an image stores for the scores of its first output."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence

from ..errors import ModelError
from ..formats.records import NAME_LIMIT
from ..ir.program import Binding, Program
from .options import Options

log = logging.getLogger(__name__)
_ORDER = "give one name for each score, in the order of the model's outputs (--classes A,B,C)"


def class_names(options: Options, programs: Sequence[Program], of_model: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the classes: those of the options, else those of the model, or none.

    of_model: the names in the model's file. Raises ModelError if the options give names that the image cannot have.
    """
    output = next(binding for binding in programs[0].bindings if binding.role == "output")
    count = number_of(output)
    if options.classes is not None:
        check(options.classes, output, count)
        if options.strip_names:
            raise ModelError("names of classes in an image without names", "leave out one of them")
        return tuple(options.classes)
    if of_model and len(of_model) != count:
        log.warning(
            "the model's file names %d classes, and '%s' has %d scores: no names are kept",
            len(of_model),
            output.name,
            count,
        )
    return tuple(of_model) if len(of_model) == count else ()


def number_of(output: Binding) -> int:
    """Return the number of classes that an output distinguishes: two for a single score."""
    scores = output.shape[1] if len(output.shape) > 1 else 1
    return 2 if scores == 1 else scores


def check(names: Sequence[str], output: Binding, count: int) -> None:
    """Raise ModelError for names that do not fit the scores, or that are not valid names."""
    if len(names) != count:
        scores = "one score, for two classes" if output.shape[1:2] in ((), (1,)) else f"{count} scores"
        raise ModelError(f"{len(names)} class names, and '{output.name}' has {scores}", _ORDER)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ModelError(f"two classes are called '{twice[0]}'", _ORDER)
    for name in names:
        if not name or not name.isprintable() or len(name.encode()) >= NAME_LIMIT - 1:
            raise ModelError(f"{name!r} is not a valid class name", "give printable text of less than 4 KB")
