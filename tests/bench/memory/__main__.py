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
    parser.add_argument("--keep-onnxruntime", action="store_true", help="its column stays as the page has it")
    kept = page.residents() if parser.parse_args().keep_onnxruntime else None
    rows: dict[Case, tuple[Figures, int | str]] = {}
    for case in CASES:
        rows[case] = measure(case), resident_bytes(case) if kept is None else kept[page.named(case)]
        print(page.line(case, *rows[case]), flush=True)
    page.PAGE.write_text(page.render(rows) + page.last_parts())
    print("\n".join(page.summary({case: figures for case, (figures, _) in rows.items()})))


if __name__ == "__main__":
    main()
