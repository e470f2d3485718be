"""The app of the server: rounds of quantized deltas, a report, and the model that all devices have trained."""

from pathlib import Path

from flwr.app import Context
from flwr.serverapp import Grid, ServerApp

from gradmote.device import Dataset
from gradmote.federated import optimizer_of
from gradmote.flower import DeltaStrategy

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Run all rounds; the results go to results/, into a folder for this run."""
    config = context.run_config
    folder = Path(str(config["folder"]))
    test, model = folder / "test.npz", folder / "model.onnx"
    rate, momentum = float(config["server-lr"]) or None, float(config["server-momentum"])
    strategy = DeltaStrategy(
        (folder / "model.mote").read_bytes(),
        optimizer=optimizer_of(str(config["server"]), rate, momentum),
        bits=int(config["bits"]),
        epochs=int(config["local-epochs"]),
        seed=int(config["seed"]),
        fraction=float(config["fraction"]),
        minimum=int(config["minimum"]),
        test=Dataset.read(test) if test.exists() else None,
        test_devices=bool(config["test-devices"]),
        sums=bool(config["sums"]),
        folder=folder / "results" / str(config["resume"] or context.run_id),
        model=model if model.exists() else None,
    )
    strategy.start(grid, num_rounds=int(config["num-server-rounds"]))
