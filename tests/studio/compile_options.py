"""Options of a compilation, as the page sends them to its compiler."""

from __future__ import annotations

from typing import Any

OPTIONS: dict[str, Any] = {
    "loss": "cross_entropy",
    "optimizer": "adamw",
    "learningRate": 0.01,
    "scheme": "full",
    "batch": 4,
    "budget": "",
}
