"""One round in Flower's simulation engine, ours or a usual PyTorch app; bench.federated measures the process tree.

python -c "from bench.flower_round import main; main()" ours|pytorch DEVICES FOLDER

FOLDER has samples.npz (x, y, and rows of (DEVICES, 40)), image.mote, and gets done.json. TORCH names the folder of
packages that has PyTorch, which the environment of Flower lacks. Both apps use one worker of Ray.
"""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from flwr.app import ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import ServerApp
from flwr.serverapp.strategy import FedAvg
from flwr.simulation import run_simulation

from gradmote import Session
from gradmote.data.dataset import Dataset
from gradmote.flower import DeltaStrategy, client_app

BACKEND = {"init_args": {"num_cpus": 1}, "client_resources": {"num_cpus": 1, "num_gpus": 0}}


@cache
def split(folder: Path) -> dict[str, np.ndarray]:
    """Return the samples, and the rows of each device."""
    with np.load(folder / "samples.npz") as arrays:
        return dict(arrays)


def rows_of(device: int, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return a device's own samples, (40, 64) float32, and their labels."""
    arrays = split(folder)
    rows = arrays["rows"][device]
    return arrays["x"][rows], arrays["y"][rows]


def write(folder: Path, replies: int) -> None:
    """Say how many devices the round counted."""
    (folder / "done.json").write_text(json.dumps({"devices": replies}))


# ---- Ours: one node that serves all devices


def ours(devices: int, folder: Path) -> tuple[ServerApp, ClientApp, int]:
    """Return both apps, and the number of nodes."""
    image, server = (folder / "image.mote").read_bytes(), ServerApp()

    def sessions(context: Context) -> dict[str, Session]:
        return {str(number): Session(image) for number in range(devices)}

    def samples(name: str, context: Context) -> Dataset:
        return Dataset(*rows_of(int(name), folder))

    @server.main()
    def one_round(grid: Any, context: Context) -> None:
        strategy = DeltaStrategy(image, bits=4, epochs=1, minimum=devices)
        strategy.start(grid, num_rounds=1)
        write(folder, len(strategy.coordinator.history[0].counted))

    return server, client_app(sessions, samples), 1


# ---- Flower's usual PyTorch app: one virtual client for each device


def pytorch(devices: int, folder: Path) -> tuple[ServerApp, ClientApp, int]:
    """Return both apps, and the number of nodes."""
    server, client, packages = ServerApp(), ClientApp(), os.environ["TORCH"]

    @client.train()
    def train(message: Message, context: Context) -> Message:
        add_torch(packages)
        import torch
        from bench.federated import client_of_torch, network

        torch.set_num_threads(1)
        x, labels = rows_of(int(context.node_config["partition-id"]), folder)
        base = message.content["arrays"].to_torch_state_dict()
        inputs, classes = torch.from_numpy(x), torch.from_numpy(labels.astype(np.int64))
        learned = client_of_torch(base, inputs, classes, np.arange(len(x)))
        trained = dict(zip(network().state_dict(), map(torch.from_numpy, learned)))
        metrics = MetricRecord({"num-examples": len(x)})
        return Message(RecordDict({"arrays": ArrayRecord(trained), "metrics": metrics}), reply_to=message)

    @server.main()
    def one_round(grid: Any, context: Context) -> None:
        add_torch(packages)
        from bench.federated import network

        counted = []

        class Counted(FedAvg):
            def aggregate_train(self, server_round: int, replies: Any) -> Any:
                replies = list(replies)
                counted.append(sum(not reply.has_error() for reply in replies))
                return super().aggregate_train(server_round, replies)

        strategy = Counted(fraction_train=1.0, fraction_evaluate=0.0, min_train_nodes=devices,
                           min_available_nodes=devices)  # fmt: skip
        strategy.start(grid, initial_arrays=ArrayRecord(network().state_dict()), num_rounds=1, timeout=36_000)
        write(folder, counted[0])

    return server, client, devices


def add_torch(packages: str) -> None:
    """Add PyTorch's folder to the end of the path: Flower's own versions of packages come first."""
    if packages not in sys.path:
        sys.path.append(packages)


def main() -> None:
    """Do one round."""
    which, devices, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    server, client, nodes = {"ours": ours, "pytorch": pytorch}[which](devices, folder)
    run_simulation(server, client, nodes, backend_config=BACKEND)
