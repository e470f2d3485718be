"""The measurements in bench/browser/results.json, part by part."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from bench.speed.results import formatted

RESULTS = Path(__file__).with_name("results.json")
PARTS = ("speed", "cold", "frames", "sizes")


def read() -> dict[str, Any]:
    """Return the parts that were measured."""
    found: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return found


def part(rows: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return rows with the date, and with what else is known of how they were measured."""
    made = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    return {"made": made, **more, "rows": rows}


def write(parts: dict[str, Any]) -> None:
    """Put each part in the place of its last one."""
    found = {**read(), **parts}
    RESULTS.write_text(f"{formatted({name: found[name] for name in PARTS if name in found})}\n")
