"""Make everything that is published into build/dist, and check it: `./run dist`.

    ./run dist                      all of it, with a table at the end
    ./run dist --only NAME          one of it (./run dist --list names them), and what that is made of
    ./run dist --without-trials     make and audit, but run nothing

Wheels with the runtime are compiled by ziglang's clang, and tried in fresh environments, under qemu and under wine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from . import android, apple, archives, cmsis_pack, maven, nuget, studio, swift_package, wheels
from .audits import audit
from .commands import OUT, WORK, Failed, Missing
from .targets import TARGETS
from .trials import trials

sdist = cache(wheels.sdist)


@cache
def pure() -> Path:
    return wheels.pure_wheel(sdist())


#: What is published, and how each is made.
PRODUCTS: dict[str, Callable[[], Path]] = {
    "sdist": sdist,
    "pure": pure,
    **{target.name: partial(lambda made: wheels.platform_wheel(pure(), made), target) for target in TARGETS},
    "arduino": archives.arduino,
    "platformio": archives.platformio,
    "cmsis-pack": cmsis_pack.package,
    "maven": maven.package,
    "nuget": nuget.package,
    "swift": swift_package.package,
    "android": android.package,
    "xcframework": apple.package,
    **({"npm": archives.npm, "studio": studio.wheel} if archives.NPM.exists() else {}),
}


def main() -> int:
    """Return the number of products that failed."""
    chosen = arguments()
    if chosen.list:
        print("\n".join(PRODUCTS))
        return 0
    OUT.mkdir(parents=True, exist_ok=True)
    WORK.mkdir(parents=True, exist_ok=True)
    if not chosen.only:
        for old in OUT.iterdir():
            old.unlink()
    rows = [row(name, not chosen.without_trials) for name in chosen.only or PRODUCTS]
    Console(width=160).print(table(rows))
    return sum(cells[-1].startswith("FAILED") for cells in rows)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run dist", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=PRODUCTS, metavar="NAME", help="make these alone")
    parser.add_argument("--list", action="store_true", help="print the names of all")
    parser.add_argument("--without-trials", action="store_true", help="make and audit, but run nothing")
    return parser.parse_args()


def row(name: str, tried: bool) -> list[str]:
    """Make, audit and try one product; return its cells of the table."""
    try:
        made = step(f"make {name}", PRODUCTS[name])
        audited = step(f"audit {name}", partial(audit, made))
        outcomes = step(f"try {name}", partial(trials, made)) if tried else []
    except (Failed, Missing) as error:
        print(error)
        return [name, "", "", "", f"FAILED: no {error}" if isinstance(error, Missing) else "FAILED"]
    ran = [f"{where}: {outcome}" for where, outcome in outcomes]
    return [made.name, tag_of(made), f"{made.stat().st_size:,}", audited, "\n".join(ran) or "not run"]


def step(what: str, action: Callable[[], object]) -> object:
    """Do something after printing a line of progress, and return its result."""
    print(f"· {what} ...", end="", flush=True)
    start = time.monotonic()
    try:
        found = action()
    except (Failed, Missing):
        print(" failed", flush=True)
        raise
    print(f" {time.monotonic() - start:.1f} s", flush=True)
    return found


def tag_of(path: Path) -> str:
    """Return the tag of a wheel, or nothing for another file."""
    return "-".join(path.stem.split("-")[2:]) if path.suffix == ".whl" else ""


def table(rows: list[list[str]]) -> Table:
    made = Table(show_lines=True)
    for title in ("file", "tag", "bytes", "audit", "run"):
        made.add_column(title, overflow="fold")
    for cells in rows:
        made.add_row(*cells)
    return made


if __name__ == "__main__":
    raise SystemExit(main())
