"""Fuzzes all targets for some minutes and reports what was done: `python tests/fuzz/long_run.py --minutes 60`.

The corpus stays in build/fuzz/corpus, so each run continues the last one. The report, as JSON too in
build/fuzz/report.json: inputs tried, libFuzzer's features, and the reached lines of the code that keeps hostile bytes
from the rest.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz import campaign, coverage, seeds

CORPUS = campaign.BUILT / "corpus"
SEEDS = campaign.BUILT / "seeds"


def main() -> int:
    arguments = parse()
    campaign.build("VECTORS=1")
    coverage.build()
    seeds.write_seeds(SEEDS)
    seconds = int(60 * arguments.minutes / len(arguments.targets))
    report = {"seconds": seconds, "targets": {}, "lines": {}}
    for target in arguments.targets:
        done = campaign.run(target, seconds, CORPUS / target, SEEDS / target, niceness=19)
        report["targets"][target] = asdict(done)
        print(f"{target:12}{done.executions:>10} inputs {done.features:>7} features {done.inputs:>6} kept", flush=True)
    corpora = {target: [SEEDS / target, CORPUS / target] for target in arguments.targets}
    for name, lines in coverage.count(corpora).items():
        report["lines"][name] = {"total": lines.total, "missed": lines.missed}
        print(f"{name:32}{lines.percent:6.1f} % of {lines.total} lines; not {list(lines.missed)}")
    (campaign.BUILT / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0, help="of all targets together (%(default)s)")
    parser.add_argument("targets", nargs="*", default=list(seeds.TARGETS), help=f"of {', '.join(seeds.TARGETS)}")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
