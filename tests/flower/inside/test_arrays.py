"""Flower's own strategies, and its differential privacy, run with the devices of a client_app()."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from flower.inside.small import NAMES, HereGrid, data_of, image, samples_of, sessions
from flwr.app import Array, ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.serverapp import NeighboringRelation, PrivacyConfig, RdpAccountant, SamplingMethod
from flwr.serverapp.strategy import (
    DifferentialPrivacyServerSideAdaptiveClipping,
    DifferentialPrivacyServerSideFixedClipping,
    FedAdam,
    FedAvg,
)

from gradmote import Session
from gradmote.device.evaluation import evaluate
from gradmote.device.twin_target import TwinTarget
from gradmote.errors import DataError, GradmoteError
from gradmote.federated import fedavg
from gradmote.federated.gateway.keys import write_keys
from gradmote.flower import DeltaStrategy, client_app

CONFIG = {"epochs": 2, "seed": 5}


def initial() -> ArrayRecord:
    return DeltaStrategy(image()).arrays()


def flat(arrays: ArrayRecord) -> np.ndarray:
    return np.concatenate([array.numpy().ravel() for array in arrays.values()])


def alone(context: Context) -> dict[str, Session]:
    """Return the one device of a node."""
    return sessions(NAMES[int(context.node_config["partition-id"])])


def lone_grid(**settings) -> HereGrid:
    return HereGrid(client_app(alone, samples_of), nodes=4, **settings)


def run(strategy, grid: HereGrid, rounds: int = 3, arrays: ArrayRecord | None = None):
    return strategy.start(grid, arrays or initial(), num_rounds=rounds, train_config=ConfigRecord(CONFIG))


def learned(base: np.ndarray, name: str, number: int, epochs: int, seed: int) -> np.ndarray:
    """Return a device's parameters after its round, by a loop of steps alone."""
    (session,) = sessions(name).values()
    session.set_parameters(base)
    text = f"order\n{seed}\n{number}\n{name}".encode()
    order, data = int.from_bytes(hashlib.sha256(text).digest()[:16], "little"), data_of(name)
    for epoch in range(1, epochs + 1):
        rows = np.random.default_rng((order, epoch)).permutation(len(data.x))
        for at in range(0, len(rows) - 3, 4):
            session.step(data.x[rows[at : at + 4]], data.y[rows[at : at + 4]].astype(np.int32))
    return np.array(session.parameters())


def plain_base(rounds: int) -> np.ndarray:
    """Return the parameters after rounds of the mean of all devices, in float64."""
    base = flat(initial())
    for number in range(rounds):
        base = np.mean([learned(base, name, number, **CONFIG) for name in NAMES], 0, np.float64).astype(np.float32)
    return base


@pytest.mark.parametrize("grid", [HereGrid, lone_grid], ids=["two-a-node", "one-a-node"])
def test_fedavg_comes_to_the_mean_of_a_plain_loop(grid):
    result = run(FedAvg(), grid())
    assert np.abs(flat(result.arrays) - plain_base(3)).max() < 1e-5
    assert list(result.arrays) == list(initial())
    losses = [metrics["loss"] for metrics in result.train_metrics_clientapp.values()]
    assert losses[-1] < losses[0]


def test_devices_are_tested_on_their_own_samples():
    result = run(FedAvg(), HereGrid())
    (session,) = sessions("a").values()
    session.set_parameters(flat(result.arrays))
    found = [evaluate(TwinTarget.of(session), data, data.x, data.y) for data in map(data_of, NAMES)]
    metrics = result.evaluate_metrics_clientapp[3]
    assert metrics["accuracy"] == pytest.approx(np.mean([one.accuracy for one in found]))
    assert metrics["loss"] == pytest.approx(np.mean([one.loss for one in found]), rel=1e-5)


def test_a_server_optimizer_of_flower_runs():
    result = run(FedAdam(eta=0.01), HereGrid())
    assert np.isfinite(flat(result.arrays)).all()
    assert np.abs(flat(result.arrays) - flat(initial())).max() > 0.005


# ---- Differential privacy of Flower


def private(noise: float, norm: float = 0.3, **more) -> DifferentialPrivacyServerSideFixedClipping:
    return DifferentialPrivacyServerSideFixedClipping(FedAvg(weighted_by_key="devices"), noise, norm, 4, **more)


def test_fixed_clipping_without_noise_is_the_mean_of_clipped_updates():
    base = flat(initial())
    updates = [learned(base, name, 0, **CONFIG) - base for name in NAMES]
    norms = [np.linalg.norm(update) for update in updates]
    assert min(norms) > 0.3
    wanted = np.mean([update * (0.3 / norm) for update, norm in zip(updates, norms)], 0)
    result = run(private(0.0), lone_grid(), rounds=1)
    assert np.abs(flat(result.arrays) - base - wanted).max() < 1e-6


def test_fixed_clipping_adds_its_noise_and_accounts_for_it():
    accountant = RdpAccountant(PrivacyConfig(
        1e-3, 4, NeighboringRelation.ADD_OR_REMOVE_ONE, SamplingMethod.NO_AMPLIFICATION
    ))  # fmt: skip
    strategy = private(2.0, accountant=accountant)
    moved = flat(run(strategy, lone_grid(), rounds=1).arrays) - flat(run(private(0.0), lone_grid(), rounds=1).arrays)
    assert moved.std() == pytest.approx(2.0 * 0.3 / 4, rel=0.1)
    assert 0 < strategy.privacy_spent().epsilon < 10


def test_adaptive_clipping_runs():
    strategy = DifferentialPrivacyServerSideAdaptiveClipping(FedAvg(weighted_by_key="devices"), 0.1, 4)
    assert np.isfinite(flat(run(strategy, lone_grid()).arrays)).all()
    assert strategy.clipping_norm != 0.1


def test_a_delta_strategy_inside_another_one_is_refused_before_a_device_trains():
    grid = lone_grid()
    inside = DifferentialPrivacyServerSideFixedClipping(DeltaStrategy(image()), 1.0, 0.3, 4)
    with pytest.raises(DataError, match=r"privacy=GaussianNoise.*FedAvg"):
        run(inside, grid)
    assert grid.asked == []


# ---- What is refused


def message(arrays: dict[str, np.ndarray], config: dict | None = None, kind: str = "train") -> Message:
    record = ArrayRecord({name: Array(values) for name, values in arrays.items()})
    return Message(RecordDict({"arrays": record, "config": ConfigRecord(config or {})}), 1, kind)


def good() -> dict[str, np.ndarray]:
    return {name: array.numpy() for name, array in initial().items()}


def reply_to(asked: Message, config: dict | None = None, devices=alone) -> RecordDict:
    context = Context(1, 1, {"partition-id": 0, **(config or {})}, RecordDict(), {})
    return client_app(devices, samples_of)(asked, context).content


NAME = "0.bias"
CHANGES = {
    "no array for the parameter '0.bias'": lambda arrays: arrays.pop(NAME),
    "no parameter 'extra'": lambda arrays: arrays.update(extra=np.zeros(3, np.float32)),
    "'0.bias' has the shape": lambda arrays: arrays.update({NAME: arrays[NAME][:-1]}),
    "'0.bias' has numbers that are not finite": lambda arrays: arrays.update({NAME: arrays[NAME] * np.float32(np.nan)}),
    "'0.bias' has numbers of the type int32": lambda arrays: arrays.update({NAME: arrays[NAME].astype(np.int32)}),
    "'0.bias' has numbers that are not finite f": lambda arrays: arrays.update({NAME: np.full(32, 1e300)}),
}


@pytest.mark.parametrize("kind", ["train", "evaluate"])
@pytest.mark.parametrize("said", CHANGES)
def test_arrays_that_do_not_fit_are_refused(said, kind):
    arrays = good()
    CHANGES[said](arrays)
    with pytest.raises(GradmoteError, match=said):
        reply_to(message(arrays, kind=kind))


@pytest.mark.parametrize(
    "config", [{"epochs": "2"}, {"epochs": 0}, {"seed": -1}, {"seed": True}, {"server-round": 2.5}]
)
def test_impossible_settings_are_refused(config):
    with pytest.raises(DataError):
        reply_to(message(good(), config))


def test_two_records_of_arrays_are_refused():
    asked = message(good())
    asked.content["more"] = initial()
    with pytest.raises(DataError, match="2 records of arrays"):
        reply_to(asked)


def test_bytes_that_are_no_array_are_refused():
    asked = message(good())
    asked.content["arrays"][NAME] = Array("float32", (32,), "numpy.ndarray", b"nothing")
    with pytest.raises(DataError, match="'0.bias' cannot be read"):
        reply_to(asked)


@pytest.mark.parametrize("kind", ["train", "evaluate"])
def test_a_gateway_takes_none(kind, tmp_path):
    """The gateway need not be there: nothing is sent to it."""
    write_keys(tmp_path / "keys", NAMES)
    with pytest.raises(DataError, match="a gateway takes no parameters"):
        reply_to(message(good(), kind=kind), {"gateway": "127.0.0.1:1", "gateway-keys": str(tmp_path / "keys")})


def test_a_device_that_fails_is_left_out():
    """The second one has no samples; the reply is the first one's alone, to the bit."""

    def samples(name: str, context: Context):
        if name == "b":
            raise DataError("the card is out")
        return data_of(name)

    def answer(devices: str) -> RecordDict:
        app = client_app(lambda context: sessions(devices), samples)
        return app(message(good(), CONFIG), Context(1, 1, {}, RecordDict(), {})).content

    content = answer("ab")
    assert content["arrays"]["0.weight"].numpy().dtype == np.float32
    assert flat(content["arrays"]).tobytes() == learned(flat(initial()), "a", 0, **CONFIG).tobytes()
    assert isinstance(content["metrics"], MetricRecord)
    assert (content["metrics"]["num-examples"], content["metrics"]["devices"]) == (24, 1)
    with pytest.raises(DataError, match="no device could do it: b: the card is out"):
        answer("b")


def test_a_node_still_answers_a_delta_strategy():
    """Test both in turn, with the same state of the node."""
    grid = lone_grid()
    run(FedAvg(), grid, rounds=1)
    strategy, other = (DeltaStrategy(image(), optimizer=fedavg()) for _ in range(2))
    strategy.start(grid, num_rounds=2)
    other.start(lone_grid(), num_rounds=2)
    assert strategy.coordinator.base_digest == other.coordinator.base_digest
    run(FedAvg(), grid, rounds=1)
