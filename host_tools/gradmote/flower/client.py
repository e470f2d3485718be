"""The app of a Flower node with any number of devices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flwr.app import Context, Message, RecordDict
from flwr.clientapp import ClientApp

from ..data.dataset import Dataset
from ..device.board_target import BoardTarget
from ..errors import DataError
from ..federated.fleet import LocalFleet
from ..federated.remote_fleet import RemoteFleet
from ..federated.summary import SumRequest
from . import arrays, contents, memory

#: Returns the devices of a node by their names, with their image loaded.
Devices = Callable[[Context], Mapping[str, Any]]
#: Returns the samples of the device of that name.
Samples = Callable[[str, Context], Dataset]
_AnyFleet = LocalFleet | RemoteFleet


def client_app(devices: Devices, data: Samples, image_digest: bytes | None = None) -> ClientApp:
    """Return the app of a node: it trains the node's devices, and tests them.

    It answers a DeltaStrategy with deltas, and Flower's own strategies, such as FedAvg, with arrays
    (docs/FEDERATED.md).

    devices: returns the devices of the node by their names: sessions, or targets with a loaded image. It
    is called for each message, and each target is closed after the message. A name must be unique in the
    whole federation. data: returns the samples of the device of that name. image_digest: the SHA-256 of
    the devices' image; with it, the node refuses tasks for other images.

    If the configuration of the node or of the run has `gateway = "HOST:PORT"`, that running gateway owns
    the devices and their samples, and neither `devices` nor `data` is called. `gateway-keys` is the path
    of its key file, relative to the option `folder` if there is one.
    """
    app = ClientApp()

    @app.query()
    def query(message: Message, context: Context) -> Message:
        """Return the names of this node's devices, or the sum of the deltas that its gateway keeps."""
        request = contents.request_of(message.content)
        with _fleet(devices, data, image_digest, context) as fleet:
            if request is not None:
                return _reply(contents.sum_content(_sum(fleet, request)), message)
            return _reply(contents.names_content(fleet.names()), message)

    @app.train()
    def train(message: Message, context: Context) -> Message:
        """Train the devices in a task or, for arrays of Flower's own strategies, all devices."""
        if arrays.has_arrays(message.content):
            with _fleet(devices, data, image_digest, context) as fleet:
                return _reply(arrays.trained_content(message.content, fleet), message)
        task = contents.task_of(message.content)
        with _fleet(devices, data, image_digest, context) as fleet:
            replies = fleet.train(task)
            if isinstance(fleet, LocalFleet):
                memory.remember(fleet, context.state, task)
        return _reply(contents.replies_content(replies), message)

    @app.evaluate()
    def evaluate(message: Message, context: Context) -> Message:
        """Test a base on the devices in a task or, for arrays, on all devices."""
        if arrays.has_arrays(message.content):
            with _fleet(devices, data, image_digest, context) as fleet:
                return _reply(arrays.tested_content(message.content, fleet), message)
        task = contents.task_of(message.content)
        with _fleet(devices, data, image_digest, context) as fleet:
            tests = fleet.test(task)
            if isinstance(fleet, LocalFleet):
                memory.remember(fleet, context.state, task)
        return _reply(contents.tests_content(tests), message)

    return app


def option(context: Context, name: str) -> str:
    """Return an option of the node, or else of the run; empty if neither has it."""
    return str(context.node_config.get(name) or context.run_config.get(name) or "")


@contextmanager
def _fleet(
    devices: Devices, data: Samples, image_digest: bytes | None, context: Context
) -> Iterator[LocalFleet | RemoteFleet]:
    """Yield the devices of a node, in their state after its last message."""
    address = option(context, "gateway")
    if address:
        yield _remote(address, context)
        return
    fleet = LocalFleet(devices(context), lambda name: data(name, context), image_digest)
    try:
        memory.recall(fleet, context.state)
        yield fleet
    finally:
        for device in fleet.devices.values():
            if isinstance(device, BoardTarget):
                device.close()


def _remote(address: str, context: Context) -> RemoteFleet:
    """Return the devices of a running gateway."""
    keys = option(context, "gateway-keys")
    if not keys:
        raise DataError(
            f"the option gateway is '{address}', and gateway-keys is missing", "name the gateway's key file"
        )
    return RemoteFleet(address, Path(option(context, "folder"), keys))


def _sum(fleet: _AnyFleet, request: SumRequest) -> bytes:
    """Return the sum of deltas that a gateway keeps. Raises DataError if this node has no gateway."""
    if isinstance(fleet, LocalFleet):
        raise DataError("this node has no gateway, so it keeps no deltas", "ask the node that sent their summaries")
    return fleet.sum(request)


def _reply(content: RecordDict, message: Message) -> Message:
    return Message(content, reply_to=message)
