"""Time between the frames of a page while a network trains: in a worker, or in the page itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from bench.browser.chromium import Chromium

BATCH = 32
NETWORKS = ("lenet", "ds_cnn")
#: Which thread trains the network; "nothing" shows the cost of the browser itself.
PLACES = ("nothing", "a worker", "the page")
SECONDS = 10.0


def measure(network: str, place: str, browser: Chromium, seconds: float) -> dict[str, Any]:
    """Return milliseconds between frames, of a page that draws in each of them, and the number of steps."""
    browser.open(f"pages/frames.html?network={network}&batch={BATCH}", "frames")
    try:
        found = browser.ask(call=["frames", "framesIn", place, 1000 * seconds])
    finally:
        browser.ask(close="frames")
    gaps = np.array(found["gaps"])
    median, high = np.quantile(gaps, (0.5, 0.95)).round(2).tolist()
    longest = round(float(gaps.max()), 2)
    return {"frames": len(gaps), "median": median, "p95": high, "longest": longest, "steps": found["steps"]}
