"""A node's answers to Flower's own strategies, such as FedAvg: arrays with parameters arrive, and arrays go back.

These messages have one ArrayRecord with the parameters of all devices, a ConfigRecord with settings, and in replies
one MetricRecord, under any keys. Numbers are float32, four bytes each, in both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from logging import WARNING, getLogger
from typing import Any, TypeVar

import numpy as np
from flwr.app import Array, ArrayRecord, MetricRecord, RecordDict

from gradmote_runtime import Session

from ..data.dataset import Dataset
from ..device.evaluation import Evaluation, evaluate
from ..device.twin_target import TwinTarget
from ..errors import DataError
from ..federated.fleet import FAULTS, Fleet, LocalFleet, fault_of, samples_to_test, train
from ..federated.task import RoundTask
from ..formats.checkpoint import unpack
from ..formats.parameters import with_parameters
from . import contents

log = getLogger("flwr").log
#: A node's work on one of its devices: (name, device) -> the result.
_Work = Callable[[str, Any], "_Result"]
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class _Asked:
    """The message of a strategy: the key of its arrays, the arrays, and how to train."""

    key: str
    parameters: dict[str, np.ndarray]
    task: RoundTask


def has_arrays(content: RecordDict) -> bool:
    """Return whether a message is from a strategy that sends arrays; a DeltaStrategy sends none."""
    return bool(content.array_records) and not contents.is_ours(content)


def trained_content(content: RecordDict, fleet: Fleet) -> RecordDict:
    """Train a node's devices from the parameters of a message, and return the content of its reply.

    Its arrays are the mean of the devices' parameters, weighted by their examples. The ConfigRecord of the
    message may contain `epochs`, passes of each device over its samples, 1 by default; `seed`, of the order
    of samples, 0 by default; and `server-round`, which Flower's strategies set. The metrics are
    `num-examples`; `devices`, how many trained; and `loss`, the mean over those devices weighted by their
    examples. A device that fails is logged and left out. Raises DataError if all fail, or the message is
    impossible.
    """
    asked = _asked(content)

    def work(name: str, device: Any) -> tuple[int, float, dict[str, np.ndarray]]:
        """Return the examples, the loss and the parameters of a device after training it."""
        samples = _local(fleet).data(name)
        loss = train(device, samples, asked.task.epochs, asked.task.order_of(name), lambda: False)
        return len(samples.x), loss, _finite(unpack(device.save()).tensors)

    done = list(_results(asked, fleet, work))
    weights = [examples for examples, _, _ in done]
    means = {
        name: Array(np.average([found[name].astype(np.float64) for _, _, found in done], 0, weights).astype(np.float32))
        for name in asked.parameters
    }
    figures = {"loss": float(np.average([loss for _, loss, _ in done], weights=weights))}
    return RecordDict({asked.key: ArrayRecord(means), "metrics": _metrics(weights, figures)})


def tested_content(content: RecordDict, fleet: Fleet) -> RecordDict:
    """Test the parameters of a message on the devices' own samples, and return the content of the reply.

    Tests use `x_test` or, if a device has none, its samples. The metrics are `num-examples`, `devices`, and
    the means of `loss` and `accuracy`, weighted by examples. Raises the errors of `trained_content()`.
    """

    def work(name: str, device: Any) -> tuple[int, Evaluation]:
        """Return the number of examples, and the result of a device."""
        return _tested(device, _local(fleet).data(name))

    done = list(_results(_asked(content), fleet, work))
    weights = [examples for examples, _ in done]
    figures = {
        name: float(np.average([getattr(found, name) for _, found in done], weights=weights))
        for name in ("loss", "accuracy")
    }
    return RecordDict({"metrics": _metrics(weights, figures)})


def _finite(tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the tensors. Raises DataError if a number is not finite, which would spoil the mean."""
    for name, values in tensors.items():
        if not np.isfinite(values).all():
            raise DataError(f"'{name}' is not finite after training", "lower the learning rate of the image")
    return tensors


def _tested(device: Any, samples: Dataset) -> tuple[int, Evaluation]:
    target = TwinTarget.of(device) if isinstance(device, Session) else device
    x, y, more = samples_to_test(samples)
    return len(x), evaluate(target, samples, x, y, more)


def _metrics(weights: list[int], figures: Mapping[str, float]) -> MetricRecord:
    return MetricRecord({"num-examples": sum(weights), "devices": len(weights), **figures})


def _results(asked: _Asked, fleet: Fleet, work: _Work[_Result]) -> Iterator[_Result]:
    """Bring each device to the parameters of a message, and yield the result of work() for it, ordered by name."""
    faults = []
    for name, device in sorted(_local(fleet).devices.items()):
        try:
            device.load(with_parameters(device.save(), asked.parameters))
            result = work(name, device)
        except FAULTS as error:
            faults.append(f"{name}: {fault_of(error)}")
            log(WARNING, "%s", faults[-1])
            continue
        yield result
    if len(faults) == len(_local(fleet).devices):
        raise DataError(f"no device could do it: {'; '.join(faults[:3]) or 'this node has none'}")


def _local(fleet: Fleet) -> LocalFleet:
    """Return the devices of this node. Raises DataError if a gateway has them."""
    if isinstance(fleet, LocalFleet):
        return fleet
    raise DataError("a gateway takes no parameters of Flower's own strategies", "use DeltaStrategy, or no gateway")


# ---- The parts of a message


def _asked(content: RecordDict) -> _Asked:
    """Return a strategy's request. Raises DataError if it is impossible."""
    if len(content.array_records) != 1:
        raise DataError(f"the message has {len(content.array_records)} records of arrays", "send one")
    ((key, arrays),) = content.array_records.items()
    epochs, seed = _setting(content, "epochs", 1), _setting(content, "seed", 0)
    number = max(_setting(content, "server-round", 1) - 1, 0)  # Flower's first round is 1, and ours is 0
    return _Asked(key, {name: _numbers(name, array) for name, array in arrays.items()},
                  RoundTask(bytes(32), number, bytes(32), b"", epochs=epochs, seed=seed))  # fmt: skip


def _setting(content: RecordDict, name: str, default: int) -> int:
    """Return an integer from the settings."""
    found = [record[name] for record in content.config_records.values() if name in record]
    if any(isinstance(value, bool) or not isinstance(value, int) for value in found):
        raise DataError(f"the setting {name} is {found[0]!r}", "give an integer in the ConfigRecord of the strategy")
    return int(found[0]) if found else default


def _numbers(name: str, array: Array) -> np.ndarray:
    """Return an array as float32."""
    try:
        values = array.numpy()
    except (TypeError, ValueError, OSError, EOFError) as error:
        raise DataError(f"the array '{name}' cannot be read: {fault_of(error)}", "send it by Array(...)") from error
    if values.dtype.kind != "f":
        raise DataError(f"the array '{name}' has numbers of the type {values.dtype}", "send float32")
    with np.errstate(over="ignore"):  # a later check refuses non-finite numbers by name
        return values.astype(np.float32)
