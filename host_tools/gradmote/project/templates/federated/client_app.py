"""The app of a node, which has a share of the devices."""

from functools import cache
from pathlib import Path

from flwr.app import Context

from gradmote import Session
from gradmote.device import Dataset
from gradmote.errors import DataError
from gradmote.federated.gateway.config import GatewayConfig, read_config
from gradmote.flower import client_app


@cache
def configured(folder: Path) -> GatewayConfig:
    """Return the model and the devices configured in gateway.toml, which is read once."""
    return read_config(folder / "gateway.toml")


def here(context: Context) -> GatewayConfig:
    """Return the configuration in the project's folder, which a node's own configuration may set."""
    return configured(Path(str(context.node_config.get("folder") or context.run_config["folder"])))


def twin(url: str, image: bytes) -> Session:
    """Return a twin with the numerics profile in "twin" or "twin:strict". Boards need a gateway."""
    kind, _, profile = url.partition(":")
    if kind != "twin":
        raise DataError(f"{url} is no twin", "start the gateway that owns it, and name that by the option gateway")
    return Session(image, profile or "fused")


def devices(context: Context) -> dict[str, Session]:
    """Return the devices of this node by their names."""
    config, node = here(context), context.node_config
    share = config.devices[int(node.get("partition-id", 0)) :: int(node.get("num-partitions", 1))]
    image = config.image.read_bytes()
    return {device.name: twin(device.url, image) for device in share}


def samples(name: str, context: Context) -> Dataset:
    """Return the samples of one device, which stay on this node."""
    (path,) = (device.data for device in here(context).devices if device.name == name)
    if path is None:
        raise DataError(f"gateway.toml has no data of {name}", 'add data = "FILE" to its table')
    return Dataset.read(path)


app = client_app(devices, samples)
