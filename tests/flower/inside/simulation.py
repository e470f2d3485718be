"""Flower's own simulation, in processes of Ray, comes to the base of the plain loop: prints both digests.

It takes 20 seconds, and an environment with `flwr[simulation]` and what gradmote needs. In tests:

    export PYTHONPATH=../host_tools:../bindings/python:.
    GRADMOTE_FLOWER_IMAGE=model.mote python -m flower.inside.simulation

The image has 64 inputs and 10 classes, as `support.federation.image()` makes it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from flower.inside.small import behind, image, plain_base, samples_of
from flwr.serverapp import ServerApp
from flwr.simulation import run_simulation

from gradmote.flower import DeltaStrategy, client_app

ROUNDS, SETTINGS = 3, {"epochs": 2, "seed": 3}


def main() -> int:
    """Return 0 where both digests are equal."""
    server = ServerApp()
    with tempfile.TemporaryDirectory() as folder:

        @server.main()
        def rounds(grid, context) -> None:
            strategy = DeltaStrategy(image(), **SETTINGS, minimum=4, test_devices=True)
            strategy.start(grid, num_rounds=ROUNDS)
            (Path(folder) / "base").write_text(strategy.coordinator.base_digest.hex())

        resources = {"client_resources": {"num_cpus": 1, "num_gpus": 0}}
        run_simulation(server, client_app(behind, samples_of), 2, backend_config=resources)
        simulated = (Path(folder) / "base").read_text()
    plain = plain_base(ROUNDS, **SETTINGS)
    print(f"Flower     {simulated}\nplain loop {plain}")
    return int(simulated != plain)


if __name__ == "__main__":
    sys.exit(main())
