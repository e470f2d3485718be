"""See the package."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import bench.browser
from bench.browser import cases, cold, frames, page, results, site, sizes, speed
from bench.browser.chromium import Chromium, chromium
from rich.console import Console
from rich.progress import Progress

from gradmote.report.bench.twin import processor
from gradmote.terminal.terminal import console, table
from support import npm_package

PEERS = ("onnxruntime-web 1.17.3", "TensorFlow.js 4.22.0")


@dataclass(frozen=True)
class Effort:
    """How long everything is measured."""

    speed: speed.Effort
    cold_rounds: int
    frame_seconds: float


WHOLE = Effort(speed.Effort(), cold_rounds=5, frame_seconds=frames.SECONDS)
QUICK = Effort(speed.QUICK, cold_rounds=1, frame_seconds=2.0)


def main() -> None:
    arguments = parse()
    found = results.read() if arguments.part == "page" else measured(arguments)
    if arguments.json:
        print(json.dumps(found, indent=1))
    else:
        for title, rows in page.tables(found).items():
            console().print(table(title, rows))
    if not arguments.quick:
        results.write(found)
        page.write(results.read())


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.browser", description=bench.browser.__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("part", nargs="?", default="all", choices=["all", *results.PARTS, "page"])
    parser.add_argument("--json", action="store_true", help="print what was measured as JSON")
    parser.add_argument("--quick", action="store_true", help="few and short rounds, which are not kept")
    return parser.parse_args()


def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the requested parts. Raise SystemExit if a tool is missing."""
    missing = npm_package.lacking() or ("" if shutil.which("chromium") else "chromium")
    if missing:
        raise SystemExit(f"there is no {missing} - ./run setup installs it")
    root = site.make()
    site.add_peers()
    effort, found = QUICK if arguments.quick else WHOLE, {}
    with chromium(root) as browser, Progress(console=Console(stderr=True)) as progress:
        known = {"machine": processor(), "versions": [f"Chromium {browser.ask(version=True)}", *PEERS]}
        for name in results.PARTS:
            if arguments.part in (name, "all"):
                task = progress.add_task(name, total=None)
                found[name] = results.part(list(MEASURES[name](browser, effort)), **known)
                progress.update(task, total=1, completed=1)
    return found


Row = dict[str, Any]


def measure_speed(browser: Chromium, effort: Effort) -> Iterator[Row]:
    for case in cases.CASES:
        found = speed.measure(case, cases.ALL, browser, effort.speed)
        yield {"network": case.network, "batch": case.batch, **found}


def measure_cold(browser: Chromium, effort: Effort) -> Iterator[Row]:
    for network in cases.NETWORKS:
        yield {"network": network, **cold.measure(network, (cases.NOTHING, *cases.ALL), browser, effort.cold_rounds)}


def measure_frames(browser: Chromium, effort: Effort) -> Iterator[Row]:
    for network in frames.NETWORKS:
        for place in frames.PLACES:
            found = frames.measure(network, place, browser, effort.frame_seconds)
            yield {"network": network, "place": place, **found}


def measure_sizes(_browser: Chromium, _effort: Effort) -> Iterator[Row]:
    yield from sizes.measure()


MEASURES: dict[str, Callable[[Chromium, Effort], Iterator[Row]]] = {
    "speed": measure_speed, "cold": measure_cold, "frames": measure_frames, "sizes": measure_sizes,
}  # fmt: skip

if __name__ == "__main__":
    main()
