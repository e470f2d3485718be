"""The report of a federation from the server's records: the figures of each round and each device."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING, Any

from ..device.evaluation import Evaluation
from ..federated.simulate import Round
from ..terminal.printable import Rows, finite
from .federated_report import page, rows, shown

if TYPE_CHECKING:
    from ..federated.coordinator import RoundRecord


def as_round(done: RoundRecord) -> Round:
    """Return the figures of a round over all devices. Its seconds are those of the slowest device."""
    test = Evaluation(done.test.get("loss", math.nan), done.test.get("accuracy", math.nan))
    counted, up, down = len(done.counted), int(done.total("bytes_up")), int(done.total("bytes_down"))
    slowest = max((row["seconds"] for row in done.rows.values()), default=0.0)
    return Round(done.round + 1, counted, len(done.rows) - counted, done.loss, test, up, down, slowest)


def rounds_table(history: Sequence[RoundRecord]) -> Rows:
    """Return the table of all rounds."""
    return rows([as_round(done) for done in history])


def devices_table(history: Sequence[RoundRecord], most: int | None = None) -> Rows:
    """Return the table of all devices; the device that was slowest in most rounds is the straggler.

    most: the most devices in the table, first those that failed most often, then those that were the slowest most
    often; the last row counts the others. None shows all.
    """
    columns = ("device", "rounds#", "failed#", "examples#", "last loss#", "last accuracy#", "bytes up#", "bytes down#",
               "median s#", "slowest of#", "last fault")  # fmt: skip
    own: dict[str, list[dict[str, Any]]] = {}
    for done in history:
        for name, row in done.rows.items():
            own.setdefault(name, []).append(row)
    slow = Counter(slowest(done) for done in history)
    accuracy = {name: figures["accuracy"] for done in history for name, figures in done.tests.items()}
    names = sorted(own) if most is None else _worst(own, slow, most)
    found = [_device(name, own[name], accuracy.get(name), slow[name]) for name in names]
    others = len(own) - len(names)
    return columns, [*found, (f"{others:,} others", *[""] * (len(columns) - 1))] if others else found


def _worst(own: Mapping[str, Sequence[dict[str, Any]]], slow: Mapping[str, int], most: int) -> list[str]:
    """Return the names of the `most` worst devices, sorted: those that failed most often, then the slowest."""
    faults = {name: sum(bool(row["fault"]) for row in rows) for name, rows in own.items()}
    return sorted(sorted(own, key=lambda name: (-faults[name], -slow[name], name))[:most])


def _device(name: str, own: Sequence[dict[str, Any]], accuracy: float | None, slowest_of: int) -> tuple[str, ...]:
    """Return the row of a device that answered in the rounds of `own`, and was the slowest in `slowest_of` of them.

    accuracy: from its last test; None if it was not tested.
    """
    good, faults = [row for row in own if not row["fault"]], [row["fault"] for row in own if row["fault"]]
    up, down = (sum(row[key] for row in own) for key in ("bytes_up", "bytes_down"))
    return (
        name, f"{len(good):,}", f"{len(faults):,}", f"{good[-1]['examples']:,}" if good else "",
        shown(good[-1]["loss"], ".4f") if good else "", "" if accuracy is None else shown(accuracy, ".2%"),
        f"{int(up):,}", f"{int(down):,}",
        f"{median(row['seconds'] for row in good):.2f}" if good else "",
        f"{slowest_of:,}", faults[-1] if faults else "",
    )  # fmt: skip


def slowest(done: RoundRecord) -> str:
    """Return the slowest device of a round."""
    return max(done.counted, key=lambda name: (done.rows[name]["seconds"], name), default="")


def rounds_page(title: str, history: Sequence[RoundRecord]) -> str:
    """Return curves and both tables as one self-contained HTML page."""
    return page(title, [as_round(done) for done in history], devices_table(history))


def rounds_json(history: Sequence[RoundRecord]) -> str:
    """Return all figures as JSON, with null for each NaN."""
    return json.dumps({"rounds": [finite(asdict(done)) for done in history]}, indent=1) + "\n"
