"""A board for PlatformIO's targets.

`upload` programs and verifies the firmware, and resets the board: a real one with the tool of its board.toml, an
emulated one over its emulator's debugger port. The emulator keeps running; `stop` ends it. gradmote.device.flash does
the work.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit


def main() -> int:
    arguments = parsed()
    os.environ["GRADMOTE_BUILD"] = arguments.state
    try:
        from gradmote.errors import GradmoteError
    except ImportError:
        sys.exit(f"upload needs gradmote beside PlatformIO: {sys.executable} -m pip install WHEEL_OR_CHECKOUT")
    try:
        arguments.run(arguments)
    except GradmoteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", required=True, help="folder for pid files: emulated/<board>.pid")
    commands = parser.add_subparsers(required=True)
    for run in (upload, stop):
        command = commands.add_parser(run.__name__)
        command.set_defaults(run=run)
        command.add_argument("board")
    commands.choices["upload"].add_argument("elf", type=Path)
    commands.choices["upload"].add_argument("port", help="of the serial line; of an emulated board, socket://host:port")
    return parser.parse_args()


def upload(arguments: argparse.Namespace) -> None:
    from gradmote.device.boards import board
    from gradmote.device.flash import emulated, real
    from gradmote.device.flash.tools import choose

    known = board(arguments.board)
    if not known.emulator:
        real.program(arguments.elf, known, choose(known.name, known.upload, None), arguments.port, tell=print)
        return
    started = emulated.program(arguments.elf, known, serial_port=urlsplit(arguments.port).port)
    print(f"programmed and verified; {started.board} runs (process {started.pid}): gradmote console {started.url}")


def stop(arguments: argparse.Namespace) -> None:
    from gradmote.device.flash import emulated

    print(f"{arguments.board}: {'stopped' if emulated.stop(arguments.board) else 'was not running'}")


if __name__ == "__main__":
    raise SystemExit(main())
