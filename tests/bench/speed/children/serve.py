"""The loop that all children share: they read requests, a line of JSON each, and answer with a line.

{"open": {...}}  prepares a case; its members are what open_case() of the child takes
{"check": n}     runs it n times; answers what each run gave, as lists of numbers
{"version": 1}   answers what is timed, in a few words
{"time": n}      runs it n times; answers the seconds of CPU time that all threads of the process took
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

#: Runs a case once, and gives its loss or its output.
Run = Callable[[], Any]


def serve(version: str, open_case: Callable[..., Run]) -> None:
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)  # keep what libraries print out of the answers
        run: Run = lambda: None
        for line in sys.stdin:
            request = json.loads(line)
            if "open" in request:
                run = open_case(**request["open"])
            found = version if "version" in request else answer(run, request)
            print(json.dumps(found), file=answers, flush=True)


def answer(run: Run, request: dict[str, Any]) -> Any:
    if "check" in request:
        return [np.ravel(run()).astype(float).tolist() for _ in range(request["check"])]
    return seconds(run, request["time"]) if "time" in request else None


def seconds(run: Run, calls: int) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        for _ in range(calls):
            run()
        return time.process_time() - start
    finally:
        gc.enable()


def data(folder: str) -> tuple[np.ndarray, np.ndarray]:
    """One batch: inputs and labels."""
    return np.load(f"{folder}/x.npy"), np.load(f"{folder}/y.npy")


def trained(state: Any) -> np.ndarray:
    """The trained parameters of a CheckpointState in one array, in the order of their names."""
    found = {name: parameter.data for name, parameter in state.parameters if parameter.requires_grad}
    return np.concatenate([np.ravel(found[name]) for name in sorted(found)])
