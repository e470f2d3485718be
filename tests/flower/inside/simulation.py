"""Flower's own simulation, in processes of Ray, comes to the base of the plain loop: prints both digests.

Then FedAvg runs in it inside of Flower's differential privacy, with one device for each node, and learns.
It takes one to two minutes, and an environment with `flwr[simulation]` and what gradmote needs. In tests:

    export PYTHONPATH=../host_tools:../bindings/python:.
    GRADMOTE_FLOWER_IMAGE=model.mote python -m flower.inside.simulation

The image has 64 inputs and 10 classes, as `support.federation.image()` makes it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from flower.inside.small import NAMES, behind, image, plain_base, samples_of, sessions
from flwr.app import ConfigRecord, Context
from flwr.serverapp import ServerApp
from flwr.serverapp.strategy import DifferentialPrivacyServerSideFixedClipping, FedAvg
from flwr.simulation import run_simulation

from gradmote.flower import DeltaStrategy, client_app

ROUNDS, SETTINGS = 3, {"epochs": 2, "seed": 3}
RESOURCES = {"client_resources": {"num_cpus": 1, "num_gpus": 0}}


def main() -> int:
    """Return 0 if both digests are equal, and FedAvg learns."""
    simulated, plain, losses = deltas(), plain_base(ROUNDS, **SETTINGS), private_losses()
    print(f"Flower     {simulated}\nplain loop {plain}")
    print(f"FedAvg with noise: losses {', '.join(f'{loss:.3f}' for loss in losses)}")
    return int(simulated != plain or len(losses) < ROUNDS or losses[-1] >= losses[0])


def alone(context: Context):
    """Return the one device of a node."""
    return sessions(NAMES[int(context.node_config["partition-id"])])


def private_losses() -> list[float]:
    """Return the loss of each round of FedAvg inside of Flower's differential privacy."""
    server, losses = ServerApp(), []

    @server.main()
    def rounds(grid, context) -> None:
        inner = FedAvg(min_train_nodes=4, min_evaluate_nodes=4, min_available_nodes=4, weighted_by_key="devices")
        strategy = DifferentialPrivacyServerSideFixedClipping(inner, 0.02, 0.5, 4)
        arrays = DeltaStrategy(image()).arrays()
        result = strategy.start(grid, arrays, num_rounds=ROUNDS, train_config=ConfigRecord(SETTINGS))
        losses.extend(metrics["loss"] for metrics in result.train_metrics_clientapp.values())

    run_simulation(server, client_app(alone, samples_of), 4, backend_config=RESOURCES)
    return losses


def deltas() -> str:
    """Return the digest of the base after rounds of DeltaStrategy."""
    server = ServerApp()
    with tempfile.TemporaryDirectory() as folder:

        @server.main()
        def rounds(grid, context) -> None:
            strategy = DeltaStrategy(image(), **SETTINGS, minimum=4, test_devices=True)
            strategy.start(grid, num_rounds=ROUNDS)
            (Path(folder) / "base").write_text(strategy.coordinator.base_digest.hex())

        run_simulation(server, client_app(behind, samples_of), 2, backend_config=RESOURCES)
        return (Path(folder) / "base").read_text()


if __name__ == "__main__":
    sys.exit(main())
