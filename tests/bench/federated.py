"""The figures of docs/FEDERATED.md: the costs of a federation on a computer, and attackers.

cd tests && ../.venv/bin/python -m bench.federated cost                  # twins beside PyTorch, per device and round
cd tests && ../.venv/bin/python -m bench.federated scale 100 1000 10000  # whole rounds, each in a process of its own
cd tests && ../.venv/bin/python -m bench.federated flower 1000           # beside Flower's PyTorch app, in build/flower
cd tests && ../.venv/bin/python -m bench.federated attackers             # one attacker in ten, 90 seconds

The task of costs: an MLP 64-96-32-10 with 9,674 parameters on scikit-learn's digits. Each device draws 40 samples,
and makes ten steps of 4 samples in a round. That of attackers: the devices of tests/support/federation.py.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bench import process_tree
from bench.process_tree import Taken

EACH, BATCH, RATE = 40, 4, 0.05
LAYERS = (64, 96, 32, 10)
#: The devices to which the measured figures are extrapolated.
EXTRAPOLATED = 1_000_000


def samples() -> tuple[np.ndarray, np.ndarray]:
    """Return the digits, (1797, 64) float32 from 0 to 1, and their labels, int32."""
    from sklearn.datasets import load_digits

    x, labels = load_digits(return_X_y=True)
    return (x / 16).astype(np.float32), labels.astype(np.int32)


def image(layers: Sequence[int] = LAYERS) -> bytes:
    """Return the compiled model. layers: the numbers of each layer, from the inputs on."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    from gradmote import compile_model, losses, optimizers
    from gradmote.compiler import Options

    drawn, nodes, initial, before = np.random.default_rng(0), [], [], "x"
    for index, (rows, columns) in enumerate(itertools.pairwise(layers)):
        weights = drawn.normal(0, (2 / rows) ** 0.5, (columns, rows)).astype(np.float32)
        initial += [numpy_helper.from_array(weights, f"w{index}")]
        initial += [numpy_helper.from_array(np.zeros(columns, np.float32), f"b{index}")]
        nodes.append(helper.make_node("Gemm", [before, f"w{index}", f"b{index}"], [f"s{index}"], transB=1))
        before = f"s{index}"
        if index < len(layers) - 2:
            nodes.append(helper.make_node("Relu", [before], [f"a{index}"]))
            before = f"a{index}"
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size])
        for name, size in (("x", layers[0]), (before, layers[-1]))
    ]
    graph = helper.make_graph(nodes, "mlp", ends[:1], ends[1:], initial)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    onnx.checker.check_model(model)
    return compile_model(model, losses.cross_entropy(), optimizers.sgd(RATE), Options(batch=BATCH)).image


def resident() -> float:
    """Return the most MB that this process had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_rounds(devices: int, rounds: int = 2) -> dict[str, Any]:
    """Return what rounds of so many devices take in this process, the last of them."""
    from gradmote.data.dataset import Dataset
    from gradmote.federated import Server
    from gradmote.federated.partition import drawn_unlike
    from gradmote.federated.simulate import Settings, Simulation

    x, y = samples()
    data, model = Dataset(x[:1400], y[:1400], x[1400:], y[1400:]), image()
    parts = drawn_unlike(data.y, devices, EACH, 1.0, 0)
    simulation = Simulation(Server(model), model, data, parts, Settings())
    before = resident()
    for _ in range(rounds):
        begun = time.process_time()
        done = simulation.round()
        seconds = time.process_time() - begun
    return {
        "devices": devices,
        "cpu_s": seconds,
        "ms_a_device": 1e3 * seconds / devices,
        "bytes_up": done.bytes_up,
        "bytes_down": done.bytes_down,
        "mb": resident(),
        "mb_of_rounds": resident() - before,
    }


def scale(counts: list[int]) -> list[dict[str, Any]]:
    """Return what a round takes for each number of devices, each measured in a process of its own."""
    found = []
    for count in counts:
        call = [sys.executable, "-m", "bench.federated", "measure", str(count)]
        ended = subprocess.run(call, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
        found.append(json.loads(ended.stdout))
    return found


def shown(found: list[dict[str, Any]]) -> str:
    """Return the table of docs/FEDERATED.md, with a row that the largest measured one is extrapolated to."""
    lines = [
        "| Devices | CPU s a round | ms a device | MB up | MB down | RAM, MB |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in found:
        lines.append(_line(f"{row['devices']:,}", row))
    factor = EXTRAPOLATED / found[-1]["devices"]
    keys = ("cpu_s", "bytes_up", "bytes_down", "mb_of_rounds")
    more = {**found[-1], **{key: found[-1][key] * factor for key in keys}}
    more["mb"] = found[-1]["mb"] - found[-1]["mb_of_rounds"] + more["mb_of_rounds"]
    return "\n".join([*lines, _line(f"{EXTRAPOLATED:,} (extrapolated)", more)])


def _line(name: str, row: dict[str, Any]) -> str:
    return (
        f"| {name} | {row['cpu_s']:,.2f} | {row['ms_a_device']:.2f} | {row['bytes_up'] / 1e6:,.2f} | "
        f"{row['bytes_down'] / 1e6:,.2f} | {row['mb']:,.0f} |"
    )


# ---- Beside PyTorch


def cost(devices: int = 200) -> str:
    """Return the CPU milliseconds of a device's round: a twin's with delta and server, and PyTorch's training alone."""
    import torch

    torch.set_num_threads(1)
    x, labels = samples()
    rows = np.random.default_rng(0).integers(0, len(x), (devices, EACH))
    inputs, classes = torch.from_numpy(x), torch.from_numpy(labels.astype(np.int64))
    base = network().state_dict()
    client_of_torch(base, inputs, classes, rows[0])
    begun = time.process_time()
    for own in rows:
        client_of_torch(base, inputs, classes, own)
    theirs = 1e3 * (time.process_time() - begun) / devices
    ours = measure_rounds(devices)["ms_a_device"]
    return (
        f"twin {ours:.2f} ms a device and round, server included; PyTorch {theirs:.2f} ms; factor {theirs / ours:.1f}"
    )


def network() -> Any:
    """Return the same MLP in PyTorch."""
    from torch import nn

    return nn.Sequential(
        nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 32), nn.ReLU(), nn.Linear(32, 10)
    )  # fmt: skip


def client_of_torch(base: Any, x: Any, labels: Any, rows: np.ndarray) -> list[np.ndarray]:
    """Return what a client of a usual Flower app returns: all parameters after its steps."""
    import torch

    model = network()
    model.load_state_dict(base)
    rule = torch.optim.SGD(model.parameters(), RATE)
    for at in range(0, EACH, BATCH):
        chosen = rows[at : at + BATCH]
        rule.zero_grad()
        torch.nn.functional.cross_entropy(model(x[chosen]), labels[chosen]).backward()
        rule.step()
    return [value.numpy() for value in model.state_dict().values()]


# ---- Beside a PyTorch app, both in Flower's simulation engine

#: The Python of the environment in which `./run setup` installs Flower.
FLOWER = Path(__file__).parents[2] / "build" / "flower" / "bin" / "python"
#: Flower's workers have an environment of their own, so the one that Ray starts beforehand is never used.
QUIET = {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_DISABLE_UPDATE_CHECK": "1", "RAY_USAGE_STATS_ENABLED": "0",
         "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1", "RAY_prestart_worker_first_driver": "0"}  # fmt: skip


def flower(devices: int) -> str:
    """Return the table of docs/FEDERATED.md: one round in Flower, of Flower's usual PyTorch app and of ours.

    Both have the same samples on each device, ten steps of 4 samples, learning rate and network.
    """
    found = {}
    for which in ("ours", "pytorch"):
        with tempfile.TemporaryDirectory() as folder:
            found[which] = flower_round(which, devices, Path(folder))
    lines = ["| One round in Flower | Devices | CPU s | ms a device | RAM, MB (PSS) | sum of RSS, MB | wall s |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for name, taken in zip(("DeltaStrategy, one node", "FedAvg, PyTorch, a client each"), found.values()):
        lines.append(
            f"| {name} | {devices:,} | {taken.cpu_s:,.1f} | {1e3 * taken.cpu_s / devices:,.1f} | "
            f"{taken.pss_mb:,.0f} | {taken.rss_mb:,.0f} | {taken.wall_s:,.0f} |"
        )
    cpu, ram = (getattr(found["pytorch"], key) / getattr(found["ours"], key) for key in ("cpu_s", "pss_mb"))
    return "\n".join([*lines, f"factors: CPU {cpu:.1f}, RAM {ram:.1f}"])


def flower_round(which: str, devices: int, folder: Path) -> Taken:
    """Return what one round of all devices takes, in all processes. Raise RuntimeError if some were not counted."""
    import torch

    (folder / "image.mote").write_bytes(image())
    x, y = samples()
    rows = np.random.default_rng(0).integers(0, len(x), (devices, EACH))
    np.savez(folder / "samples.npz", x=x, y=y, rows=rows)
    root = Path(__file__).parents[2]
    paths = os.pathsep.join(str(root / part) for part in ("host_tools", "bindings/python", "tests"))
    environment = {**os.environ, **QUIET, "PYTHONPATH": paths, "FLWR_HOME": str(folder),
                   "TORCH": str(Path(torch.__file__).parents[1])}  # fmt: skip
    # Imported, not run as __main__: Ray's workers find its functions by the name of the module.
    call = "from bench.flower_round import main; main()"
    command = [str(FLOWER), "-c", call, which, str(devices), str(folder)]
    log = folder / "log"
    taken = process_tree.measure(command, environment, log)
    counted = json.loads((folder / "done.json").read_text())["devices"]
    if counted != devices:
        raise RuntimeError(f"{counted} of {devices} devices counted: {log.read_text()[-4000:]}")
    return taken


# ---- Attackers

#: The bounds of Server that are compared: None is clipping alone.
BOUNDS = (None, 2.0, 3.0, 5.0)
#: The number of the device that attacks, unless all take turns.
ATTACKER = 3


def reached(
    refuse_above: float | None, parts: list[np.ndarray] | None, scale: float | None = None,
    attacker: int = ATTACKER, claimed: int | None = None,
) -> tuple[float, float]:  # fmt: skip
    """Return the accuracy after 24 rounds of ten devices, and the share of all deltas that were left out, in %.

    parts: the rows of each device; None takes two classes for each, as in the tests. scale: the
    attacker sends so many times what it learned; None lets it be honest. claimed: the examples that it says it has.
    """
    from gradmote.federated import Server
    from support import digits, federation

    server, left_out = Server(federation.image(), refuse_above=refuse_above), 0
    devices = federation.devices_of(federation.image(), 10)
    for device, rows in zip(devices, parts or []):
        device.x, device.labels = (array[rows] for array in digits.samples())
    for _ in range(24):
        for device in devices:
            base, attacks = np.array(device.session.parameters()), scale is not None and device.number == attacker
            device.train(epochs=4)
            if attacks:
                learned = np.array(device.session.parameters()) - base
                device.session.set_parameters(base + np.float32(scale) * learned)
            server.add(str(device.number), device.delta(), (attacks and claimed) or len(device.labels))
        down = server.finish()
        left_out += len(server.left_out)
        for device in devices:
            device.session.end_round(down)
    return 100 * federation.accuracy(devices[0].session), left_out / 2.4


def unequal(labels: np.ndarray, alpha: float | None, spread: float, seed: int) -> list[np.ndarray]:
    """Return the rows of ten devices whose numbers of samples are log-normal, with that deviation of the logarithm.

    alpha: of the Dirichlet distribution of each device's classes; None has all devices alike.
    """
    drawn = np.random.default_rng([seed, 9])
    shares = drawn.lognormal(0, spread, 10)
    sizes = np.clip((shares / shares.sum() * len(labels)).astype(int), 8, 900)
    weights = [np.ones(10) if alpha is None else drawn.dirichlet(np.full(10, alpha)) + 1e-9 for _ in sizes]
    return [
        drawn.choice(len(labels), size, replace=False, p=weight[labels] / weight[labels].sum())
        for size, weight in zip(sizes, weights)
    ]


def attackers() -> str:
    """Return the tables of docs/FEDERATED.md: what an attacker takes, and what the bound costs without one."""
    return "\n".join([*_attacked(), "", *_honest()])


def _head(first: str) -> list[str]:
    names = ("clip alone" if bound is None else f"refuse_above={bound:g}" for bound in BOUNDS)
    return [f"| {first} | {' | '.join(names)} |", "| --- |" + " ---: |" * len(BOUNDS)]


def _attacked() -> list[str]:
    """Return the accuracy for each attack of device 3, then the mean and the worst of each device in turn."""
    cases: list[tuple[str, dict[str, Any]]] = [("none", {})]
    cases += [(f"times {scale:g}", {"scale": scale}) for scale in (-20.0, -7.0, -2.0, -1.0)]
    cases += [("times -1, says 2^20 examples", {"scale": -1.0, "claimed": 2**20})]
    lines = _head("Attack")
    for name, case in cases:
        lines.append(f"| {name} | " + " | ".join(f"{reached(bound, None, **case)[0]:.1f}" for bound in BOUNDS) + " |")
    for scale in (-20.0, -1.0):
        each = [[reached(bound, None, scale, number)[0] for number in range(10)] for bound in BOUNDS]
        cells = (f"{np.mean(found):.1f}, {min(found):.1f}" for found in each)
        lines.append(f"| times {scale:g}, each device in turn: mean, worst | {' | '.join(cells)} |")
    return lines


def _honest() -> list[str]:
    """Return the mean accuracy of four draws without an attacker, and in brackets how many deltas were left out."""
    from gradmote.federated.partition import drawn_unlike
    from support import digits

    labels, lines = digits.samples()[1], _head("Devices, all honest")
    splits = {"as many samples each, Dirichlet 0.3": lambda s: list(drawn_unlike(labels, 10, None, 0.3, s).values())}
    for spread, alpha in ((1.0, None), (1.5, None), (1.0, 0.3), (1.5, 0.3)):
        name = f"log-normal numbers of samples, {spread:g}, " + ("alike" if alpha is None else f"Dirichlet {alpha:g}")
        splits[name] = lambda s, alpha=alpha, spread=spread: unequal(labels, alpha, spread, s)
    for name, split in splits.items():
        found = [np.mean([reached(bound, split(seed)) for seed in range(4)], axis=0) for bound in BOUNDS]
        lines.append(f"| {name} | " + " | ".join(f"{right:.1f} ({left:.1f})" for right, left in found) + " |")
    return lines


def main() -> None:
    """Print what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["cost", "scale", "flower", "attackers", "measure"])
    parser.add_argument("devices", nargs="*", type=int, help="numbers of devices, for scale and flower")
    given = parser.parse_args()
    if given.what == "measure":
        print(json.dumps(measure_rounds(given.devices[0])))
    elif given.what == "scale":
        print(shown(scale(given.devices or [100, 1000])))
    elif given.what == "flower":
        print("\n\n".join(map(flower, given.devices or [1000])))
    else:
        print({"cost": cost, "attackers": attackers}[given.what]())


if __name__ == "__main__":
    main()
