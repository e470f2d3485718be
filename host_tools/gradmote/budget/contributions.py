"""Measures how much training each part of a model adds to its accuracy.

The head alone is trained on the data, then the head and one more part. The gain in accuracy on
held-out samples is that part's contribution. This is the contribution analysis of J. Lin et al.,
"On-Device Training Under 256KB Memory" (2022), section 3.2, on the user's own data. It runs on the
twin. Results are cached, and reused for the same model, data and settings.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..artifacts.schemes import Layer, Scheme
from ..compiler.compile import compile_image
from ..device import Dataset, TwinTarget, evaluate, fit
from ..errors import ModelError, OutputError
from ..formats.files import make_folder, write_atomically
from .scores import Contributions, Part, members, parts
from .task import Task

#: The held-out share of the samples if the data has no test set.
HELD_OUT = 0.25


@dataclass(frozen=True)
class Settings:
    """The settings of the measurement.

    epochs: passes over the data for each part. seed: of the order of samples, and of the choice of
    held-out ones.
    """

    epochs: int = 3
    seed: int = 0


def measure(
    task: Task,
    data: Dataset,
    settings: Settings = Settings(),
    on_part: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> Contributions:
    """Return the measured contribution of each part.

    on_part: called before each training with its index, the number of trainings, and a name. Raises
    DataError if the data does not fit the model.
    """
    known = task.layers()
    data = with_test(data, settings.seed)
    file = cache_file(task, data, settings)
    gains = read(file)
    if gains is None:
        gains = trained_gains(task, known, data, settings, on_part)
        keep(file, gains)
    values = {part: max(gain, 0.0) for part, gain in gains.items()}
    source = f"measured on {len(data.x)} samples, tested on {len(data.x_test)}"  # type: ignore[arg-type]
    return Contributions(known, values, source)


def with_test(data: Dataset, seed: int) -> Dataset:
    """Return the data with a test set, split off its own samples if it has none."""
    if data.x_test is not None:
        return data
    order = np.random.default_rng(seed).permutation(len(data.x))
    test, rest = np.split(order, [math.ceil(HELD_OUT * len(order))])
    return replace(
        data,
        x=data.x[rest], y=None if data.y is None else data.y[rest],
        x_test=data.x[test], y_test=None if data.y is None else data.y[test],
        more={name: array[rest] for name, array in data.more.items()},
        more_test={name: array[test] for name, array in data.more.items()},
    )  # fmt: skip


# ---- Training of parts


def trained_gains(
    task: Task, known: list[Layer], data: Dataset, settings: Settings, on_part: Callable[[int, int, str], None]
) -> dict[Part, float]:
    """Return the gain in score over the head alone for each part.

    For a part of the head itself, it is the gain over no training.
    """
    head = len(known) - 1
    every = parts(known)
    total = 2 + len(every)
    on_part(0, total, "nothing")
    untrained = score(task, Scheme(last=1), data, replace(settings, epochs=0))
    on_part(1, total, "the head")
    base = score(task, Scheme(last=1), data, settings)
    gains = {}
    for index, part in enumerate(every):
        on_part(2 + index, total, f"{part[1]} of {members(known[part[0]], part[1])[0]}")
        beside = known[head].all() if part[0] != head else []
        names = (*beside, *members(known[part[0]], part[1]))
        gains[part] = score(task, Scheme("named", names=names), data, settings) - (base if beside else untrained)
    return gains


def score(task: Task, scheme: Scheme, data: Dataset, settings: Settings) -> float:
    """Return the score on the test set after training that scheme.

    It is the accuracy, or minus the loss if there are no classes. A scheme that the model does not allow
    has the score -inf.
    """
    try:
        choice = replace(task.wanted(), scheme=scheme)
        options = replace(task.options_of(choice), batch=batch_of(task, data))
        image = compile_image(task.artifacts(choice), options).image
    except ModelError:
        return -math.inf
    with TwinTarget() as target:
        target.load_image(image)
        fit(target, data.without_test(), settings.epochs, settings.seed)
        found = evaluate(target, data)
    return -found.loss if math.isnan(found.accuracy) else found.accuracy


def batch_of(task: Task, data: Dataset) -> int:
    """Return the batch for training: from the options, but at most the size of the data."""
    return min(task.options.batch or 1, len(data.x))


# ---- Results of earlier measurements


def cache_file(task: Task, data: Dataset, settings: Settings) -> Path:
    """Return the path of the cached result, named after everything that the result depends on.

    The digest of the whole image covers the model, the loss and the rule.
    """
    whole = compile_image(task.artifacts(task.wanted()), task.options).image
    digest = hashlib.sha256(whole)
    for array in (data.x, data.y, data.x_test, data.y_test, *data.more.values(), *data.more_test.values()):
        digest.update(b"none" if array is None else np.ascontiguousarray(array).tobytes())
    digest.update(repr((settings, data.scale, data.zero)).encode())
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "gradmote" / "contributions" / f"{digest.hexdigest()[:32]}.json"


def keep(file: Path, gains: dict[Part, float]) -> None:
    """Cache the result for the next time.

    If it cannot be written, log that, and use the result anyway.
    """
    try:
        make_folder(file.parent)
        write_atomically(file, json.dumps([[*part, gain] for part, gain in gains.items()]).encode())
    except OutputError as error:
        logging.getLogger(__name__).warning("the measurements are not kept for the next time: %s", error)


def read(file: Path) -> dict[Part, float] | None:
    """Return a cached result, or None if there is no readable one."""
    try:
        return {(int(index), str(kind)): float(gain) for index, kind, gain in json.loads(file.read_text())}
    except (OSError, ValueError):
        return None
