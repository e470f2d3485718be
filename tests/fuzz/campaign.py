"""Runs one fuzz target for some seconds, and counts what it did."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from support.firmware import run_scons

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "fuzz"
LONGEST_INPUT = 20000
SLOWEST_INPUT = 20  # seconds, on a machine that does other things too


@dataclass(frozen=True)
class Totals:
    """executions: inputs tried. features, edges: what libFuzzer saw of the code. inputs: of the corpus at the end."""

    executions: int
    features: int
    edges: int
    inputs: int


class Found(Exception):
    """An input broke the target: what libFuzzer said, and the input's path."""


def build(*arguments: str) -> None:
    """Compile the targets. arguments: further ones of SCons; VECTORS=1 asks for the kernels with vectors too."""
    run_scons("-s", "fuzz", *arguments)


def run(target: str, seconds: int, corpus: Path, *seeds: Path, niceness: int = 0) -> Totals:
    """corpus: gets the inputs that reach something new, and what breaks the target. Raises Found."""
    corpus.mkdir(parents=True, exist_ok=True)
    artifacts = corpus.parent / "found"
    artifacts.mkdir(exist_ok=True)
    limits = [f"-max_total_time={seconds}", f"-timeout={SLOWEST_INPUT}", f"-max_len={LONGEST_INPUT}"]
    output = [f"-artifact_prefix={artifacts}/{target}-", "-print_final_stats=1"]
    command = [BUILT / f"fuzz_{target}", *limits, *output, corpus, *seeds]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=lambda: os.nice(niceness))
    if done.returncode != 0:
        raise Found(f"fuzz_{target}: {done.stderr[-4000:]}")
    return totals(done.stderr)


def totals(log: str) -> Totals:
    (executions,) = re.findall(r"stat::number_of_executed_units:\s+(\d+)", log)
    edges, features, inputs = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)/", log)[-1]
    return Totals(int(executions), int(features), int(edges), int(inputs))
