"""The app of a node, behind which there is a share of the devices."""

from pathlib import Path

from flwr.app import Context

from gradmote import Session
from gradmote.device import Dataset
from gradmote.flower import client_app


def folder_of(context: Context) -> Path:
    """Return the folder with model and samples, which a node's own configuration may name."""
    return Path(str(context.node_config.get("folder") or context.run_config["folder"]))


def devices(context: Context) -> dict[str, Session]:
    """Return the devices of this node by their names: twins. Boards come from gradmote.device.open_target()."""
    folder, node = folder_of(context), context.node_config
    names = sorted(path.stem for path in (folder / "data").glob("*.npz"))
    share = names[int(node.get("partition-id", 0)) :: int(node.get("num-partitions", 1))]
    image = (folder / "model.mote").read_bytes()
    return {name: Session(image) for name in share}


def samples(name: str, context: Context) -> Dataset:
    """Return the samples of one device, which stay on this node."""
    return Dataset.read(folder_of(context) / "data" / f"{name}.npz")


app = client_app(devices, samples)
