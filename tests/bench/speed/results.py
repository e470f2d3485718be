"""The measurements in bench/speed/results.json: one part for each kind of measurement, with its date."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results.json")
PARTS = ("host", "ort", "boards", "roofline", "layers", "threads", "wasm")


def read() -> dict[str, Any]:
    """Part -> {"made", "rows", ...}; parts that were never measured are missing."""
    found: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return found


def write(part: str, rows: list[dict[str, Any]], **more: Any) -> None:
    """Replace one part with a new one."""
    made = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    found = {**read(), part: {"made": made, **more, "rows": rows}}
    RESULTS.write_text(f"{formatted({name: found[name] for name in PARTS if name in found})}\n")


def formatted(parts: dict[str, Any]) -> str:
    """A line for each row, so that changes can be read."""
    lines = []
    for name, part in parts.items():
        rows = ",\n".join(f"   {json.dumps(row)}" for row in part["rows"])
        head = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in part.items() if key != "rows")
        lines.append(f' {json.dumps(name)}: {{\n{head}  "rows": [\n{rows}\n  ]\n }}')
    return "{\n" + ",\n".join(lines) + "\n}"
