"""See the package."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

import bench.quantized

#: Each is a module of the folder, with a function main(arguments).
COMMANDS = sorted(path.stem for path in (Path(__file__).parent / "commands").glob("[a-z]*.py"))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.quantized",
        description=bench.quantized.__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
        add_help=False,
    )
    parser.add_argument("command", choices=COMMANDS)
    chosen, rest = parser.parse_known_args()
    importlib.import_module(f"bench.quantized.commands.{chosen.command}").main(rest)


if __name__ == "__main__":
    main()
