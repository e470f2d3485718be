"""See the package."""

from __future__ import annotations

import argparse

import bench.memory
from bench.memory import page
from bench.memory.cases import CASES, Case
from bench.memory.figures import Figures, measure
from bench.memory.onnxruntime_memory import resident_bytes


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.memory", description=bench.memory.__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--without-onnxruntime", action="store_true", help="leave its column empty")
    without = parser.parse_args().without_onnxruntime
    rows: dict[Case, tuple[Figures, int | str]] = {}
    for case in CASES:
        rows[case] = measure(case), "not measured" if without else resident_bytes(case)
        print(page.line(case, *rows[case]), flush=True)
    page.PAGE.write_text(page.render(rows))
    print("\n".join(page.summary({case: figures for case, (figures, _) in rows.items()})))


if __name__ == "__main__":
    main()
