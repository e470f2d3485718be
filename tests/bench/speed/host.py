"""Time of a step and of an inference on this computer, in turns with onnxruntime-training and PyTorch."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from bench.speed.cases import HostCase, has_batch_norm, inference, model, samples, training
from bench.speed.networks import NETWORKS
from bench.speed.peers import Child, Process, peers_python

#: Who is measured, in this order. twin: from Python. runtime: gm_step() or gm_infer() alone. frozen: the twin, with the
#: running statistics in its batch norms.
TWIN, RUNTIME, FROZEN, ORT, TORCH = "twin", "runtime", "frozen", "onnxruntime", "pytorch"
CHECKED_RUNS = 3
#: So small that the networks stay as they are through thousands of steps: none gets to gradients or moments that are
#: subnormal, which takes longer.
TIMED_RATE = 1e-9
TOLERANCE = 1e-4


class OtherWork(Exception):
    """A peer computes something else: there is nothing to compare."""


@dataclass(frozen=True)
class Effort:
    """Each is timed `rounds` times, in turns, and so many calls at once that they take `seconds` of CPU time."""

    rounds: int = 15
    seconds: float = 0.03


@contextmanager
def children(environment: Path | None) -> Iterator[dict[str, Child]]:
    """A process for each that is measured."""
    python = peers_python(environment)
    found = {name: Child("twin.py") for name in (TWIN, RUNTIME, FROZEN)}
    found |= {ORT: Child("onnxruntime_training.py", python), TORCH: Child("pytorch.py", python)}
    try:
        yield found
    finally:
        for child in found.values():
            child.close()


def measure(case: HostCase, processes: dict[str, Child], effort: Effort) -> dict[str, Any]:
    """Seconds of a call of each, all rounds: {"samples": {name: [...]}, "differences": {name: of losses}}."""
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(case, Path(folder))
        checked = opened(requests(case, folder, case.rate, "adamw_ort"), processes)
        differences = check(case, checked)
        timed = opened(requests(case, folder, TIMED_RATE, "adamw"), processes)
        return {"samples": in_turns(timed, effort), "differences": differences}


def opened(requests: dict[str, dict[str, Any]], processes: dict[str, Child]) -> dict[str, Child]:
    """Let each child open the case that is requested of it, from its initial weights, and return these children."""
    for name, request in requests.items():
        processes[name].ask(open=request)
    return {name: processes[name] for name in requests}


def write_inputs(case: HostCase, folder: Path) -> None:
    """The model as peers read it, all images that children open, and one batch."""
    onnx.save(readable(model(case.network)), str(folder / "model.onnx"))
    for name, array in zip("xy", samples(case.network, case.batch)):
        np.save(folder / f"{name}.npy", array)
    for rule, statistics in (("adamw", case.statistics), ("adamw_ort", case.statistics), ("adamw", "frozen")):
        path = folder / image_name(case, rule, statistics)
        if not path.exists():
            path.write_bytes(image_of(case, rule, statistics))


def image_name(case: HostCase, rule: str, statistics: str) -> str:
    return "inference.mote" if case.program == "infer" else f"{statistics}-{rule}.mote"


def image_of(case: HostCase, rule: str, statistics: str) -> bytes:
    if case.program == "infer":
        return inference(case.network, case.batch).image
    return training(case.network, rule, case.batch, statistics).image


def readable(model: onnx.ModelProto) -> onnx.ModelProto:
    """Replace an AveragePool of the whole picture, as in ResNet-8, with the GlobalAveragePool that it equals:
    onnxruntime's gradient of AveragePool crashes."""
    proto = onnx.ModelProto()
    proto.CopyFrom(model)
    for node in proto.graph.node:
        if node.op_type == "AveragePool":
            node.op_type = "GlobalAveragePool"
            del node.attribute[:]
    return proto


def requests(case: HostCase, folder: str, rate: float, rule: str) -> dict[str, dict[str, Any]]:
    """Return what each child is to open. rule: the update rule of `runtime`; the twin has PyTorch's."""
    shared = {"folder": folder, "program": case.program, "rate": rate}
    loss = "CrossEntropyLoss" if NETWORKS[case.network].classes else "MSELoss"
    found = {TWIN: {**shared, "image": image_name(case, "adamw", case.statistics), "calls": "python"}}
    found[RUNTIME] = {**shared, "image": image_name(case, rule, case.statistics), "calls": "c"}
    if case.program == "train" and case.statistics == "batch" and has_batch_norm(case.network):
        found[FROZEN] = {**shared, "image": image_name(case, "adamw", "frozen"), "calls": "c"}
    found[ORT] = {**shared, "loss": loss}
    found[TORCH] = {**shared, "network": case.network, "statistics": case.statistics}
    return found


# ---- The same work


def check(case: HostCase, asked: dict[str, Child]) -> dict[str, float]:
    """Return the largest relative differences of their losses, or outputs, in the first runs: of PyTorch from the twin,
    and of onnxruntime from the runtime, which has its AdamW here. Raise OtherWork if one is above TOLERANCE."""
    found = {name: child.ask(check=CHECKED_RUNS) for name, child in asked.items()}
    pairs = [(TORCH, TWIN), *([(ORT, RUNTIME)] if is_comparable(case) else [])]
    differences = {peer: difference(found[peer], found[own]) for peer, own in pairs}
    for peer, own in pairs:
        if not differences[peer] <= TOLERANCE:
            raise OtherWork(f"{case}: {peer} gives {found[peer]}, {own} {found[own]}: it does other work")
    return differences


def is_comparable(case: HostCase) -> bool:
    """Whether onnxruntime computes the same: it has no batch norm that keeps its statistics in training."""
    return case.program == "infer" or case.statistics == "batch"


def difference(found: list[list[float]], expected: list[list[float]]) -> float:
    """The largest, of all runs, over the largest magnitude."""
    a, b = np.array(found), np.array(expected)
    return float(np.abs(a - b).max() / np.abs(b).max())


# ---- Timing


def in_turns(asked: Mapping[str, Process], effort: Effort) -> dict[str, list[float]]:
    """Seconds of one call, of each, in each round."""
    calls = {name: calls_for(lambda n, child=child: child.ask(time=n), effort.seconds) for name, child in asked.items()}
    found: dict[str, list[float]] = {name: [] for name in asked}
    for _ in range(effort.rounds):
        for name, child in asked.items():
            found[name].append(float(f"{child.ask(time=calls[name]) / calls[name]:.4g}"))
    return found


def calls_for(seconds_of: Callable[[int], float], wanted: float) -> int:
    """How many calls take so many seconds, at least; the first ones warm up."""
    calls = 1
    while (taken := seconds_of(calls)) < wanted / 4:
        calls *= 4
    return max(1, math.ceil(calls * wanted / taken))
