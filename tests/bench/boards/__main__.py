"""See the package."""

from __future__ import annotations

import argparse

import bench.boards
from bench.boards import page
from bench.boards.measure import measure

from gradmote.device.boards import board, boards


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.boards", description=bench.boards.__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--board", metavar="NAME")
    name = parser.parse_args().board
    rows = []
    for known in [board(name)] if name else [known for known in boards() if known.emulator]:
        rows.append(measure(known))
        print(page.line(rows[-1]), flush=True)
    if not name:
        page.PAGE.write_text(page.render(rows, [known for known in boards() if not known.emulator]))


if __name__ == "__main__":
    main()
