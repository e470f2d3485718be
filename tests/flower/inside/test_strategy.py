"""Flower's rounds come to the bits of the plain loop, and go on after failures of nodes and of the server."""

from __future__ import annotations

import numpy as np
import pytest
from flower.inside.small import NAMES, HereGrid, behind, data_of, plain_base, samples_of, sessions
from flower.inside.small import image as small_image
from flwr.app import ConfigRecord, Context, Error, Message, MetricRecord, RecordDict

from gradmote.errors import DataError, GradmoteError
from gradmote.federated import DeviceReply, fedadam, fedavg
from gradmote.federated.task import pack_replies
from gradmote.flower import DeltaStrategy, client_app


def digest_of(strategy: DeltaStrategy) -> str:
    return strategy.coordinator.base_digest.hex()


@pytest.mark.parametrize("optimizer", [None, fedavg(1.0, 0.9), fedadam()])
@pytest.mark.parametrize("bits", [2, 8])
def test_flower_comes_to_the_base_of_the_plain_loop(optimizer, bits):
    strategy = DeltaStrategy(small_image(), optimizer=optimizer, bits=bits, epochs=2, seed=3)
    result = strategy.start(HereGrid(), num_rounds=3)
    assert digest_of(strategy) == plain_base(3, optimizer, bits=bits, epochs=2, seed=3)
    flat = np.concatenate([array.numpy().ravel() for array in result.arrays.values()])
    assert flat.tobytes() == strategy.coordinator.server.base
    assert [metrics["devices"] for metrics in result.train_metrics_clientapp.values()] == [4, 4, 4]


def test_tests_on_devices_and_on_the_server_change_no_bit():
    strategy = DeltaStrategy(small_image(), test=data_of("a"), test_devices=True)
    result = strategy.start(HereGrid(), num_rounds=3)
    assert digest_of(strategy) == plain_base(3)
    for number in (1, 2, 3):
        assert result.evaluate_metrics_clientapp[number]["num-examples"] == 96
        assert 0 <= result.evaluate_metrics_serverapp[number]["accuracy"] <= 1
        assert strategy.coordinator.history[number - 1].test["loss"] > 0


def test_personal_parameters_stay_between_messages():
    """Each message makes new sessions, and gets their state from the node's."""
    strategy, grid = DeltaStrategy(small_image(), shared=["0.*"]), HereGrid()
    strategy.start(grid, num_rounds=3)
    assert digest_of(strategy) == plain_base(3, shared=("0.*",))
    states = [c.state[f"gradmote.{n}"]["state"] for c in grid.contexts.values() for n in NAMES
              if f"gradmote.{n}" in c.state]  # fmt: skip
    own = set()
    for state in states:
        (session,) = sessions("a").values()
        session.load(state)
        own.add(bytes(session.parameter("2.bias").cast("B")))
    assert len(own) == 4


def test_a_fraction_takes_part_and_the_numbers_of_nodes_do_not_show():
    found = set()
    for nodes in (0, 5):
        grid, strategy = HereGrid(), DeltaStrategy(small_image(), fraction=0.5, seed=1)
        grid.contexts = {number + nodes: context for number, context in sorted(grid.contexts.items())}
        strategy.start(grid, num_rounds=6)
        taken = tuple(tuple(sorted(record.counted)) for record in strategy.coordinator.history)
        assert {len(names) for names in taken} == {2}
        assert len(set(taken)) > 1
        found.add((digest_of(strategy), taken))
    assert len(found) == 1


def test_a_server_that_is_killed_goes_on(tmp_path):
    class Killed(BaseException):
        pass

    def killing(after: int):
        left = iter(range(after))

        def change(reply: Message) -> Message:
            if next(left, None) is None:
                raise Killed
            return reply

        return change

    grid = HereGrid()
    for after in (1, 3, 4, 6, 50):
        grid.change = killing(after)
        strategy = DeltaStrategy(small_image(), folder=tmp_path)
        try:
            strategy.start(grid, num_rounds=4)
        except Killed:
            continue
    assert digest_of(strategy) == plain_base(4)
    assert [record.round for record in strategy.coordinator.history] == [0, 1, 2, 3]
    assert strategy.start(grid, num_rounds=4).train_metrics_clientapp == {}


def test_a_round_waits_for_its_minimum_and_counts_each_device_once(tmp_path):
    """One node's replies are lost once; the round goes on with those devices alone."""
    lost = []

    def change(reply: Message) -> Message | None:
        if reply.metadata.message_type == "train" and not lost:
            lost.append(reply)
            return None
        return reply

    strategy, grid = DeltaStrategy(small_image(), minimum=4, folder=tmp_path), HereGrid(change=change)
    strategy.start(grid, num_rounds=2)
    assert digest_of(strategy) == plain_base(2)
    assert [kind for kind, _ in grid.asked].count("train") == 5


def test_a_federation_whose_nodes_are_silent_ends_with_words():
    grid = HereGrid(change=lambda reply: reply if reply.metadata.message_type == "query" else None)
    with pytest.raises(GradmoteError, match="round 0: 0 deltas came, 1 are wanted"):
        DeltaStrategy(small_image()).start(grid, num_rounds=1)


@pytest.mark.parametrize("settings", [{"fraction": 0}, {"minimum": 0}, {"bits": 3}, {"epochs": 0}, {"shared": [""]}])
def test_impossible_settings_are_refused(settings):
    with pytest.raises(DataError):
        DeltaStrategy(small_image(), **settings)


# ---- Hostile replies


def hostile(content: RecordDict):
    """Return a change that replaces what the first node replies to a task."""
    first = []

    def change(reply: Message) -> Message:
        if reply.metadata.message_type == "train" and (not first or first[0] == reply.metadata.src_node_id):
            first[:] = [reply.metadata.src_node_id]
            reply.content = content
        return reply

    return change


def gradmote(**fields) -> RecordDict:
    return RecordDict({"gradmote": ConfigRecord(fields)})


@pytest.mark.parametrize(
    "content",
    [
        RecordDict(),
        RecordDict({"gradmote": MetricRecord({"replies": 1})}),
        gradmote(),
        gradmote(replies="text"),
        gradmote(replies=b""),
        gradmote(replies=b"GMRR0001\xff\xff\xff\xff"),
        gradmote(replies=pack_replies([DeviceReply("a", b"no delta", 5, 1.0)])),
        gradmote(replies=pack_replies([DeviceReply(n, b"GMDL" + bytes(60), 5, 1.0) for n in NAMES])),
        gradmote(replies=pack_replies([DeviceReply("stranger", b"x", 5, 1.0)])),
        gradmote(replies=pack_replies([])),
    ],
)
def test_what_a_hostile_node_replies_does_not_count(content):
    strategy = DeltaStrategy(small_image())
    strategy.start(HereGrid(change=hostile(content)), num_rounds=2)
    for record in strategy.coordinator.history:
        assert len(record.counted) == 2
        assert set(record.rows) == set(NAMES)


def test_a_node_cannot_reply_for_devices_of_another():
    real = {}

    def change(reply: Message) -> Message:
        if reply.metadata.message_type == "train":
            real.setdefault(reply.metadata.src_node_id, reply.content)
            reply.content = next(iter(real.values()))
        return reply

    strategy = DeltaStrategy(small_image())
    strategy.start(HereGrid(change=change), num_rounds=1)
    assert len(strategy.coordinator.history[0].counted) == 2


def test_an_error_of_a_node_is_the_fault_of_its_devices():
    def change(reply: Message) -> Message:
        if reply.metadata.message_type != "train" or reply.metadata.src_node_id == min(grid.contexts):
            return reply
        failed = Message(Error(code=1, reason="it burns"), reply_to=reply)
        failed.metadata.__dict__["_src_node_id"] = reply.metadata.src_node_id
        return failed

    grid = HereGrid(change=change)
    strategy = DeltaStrategy(small_image())
    strategy.start(grid, num_rounds=1)
    faults = [row["fault"] for row in strategy.coordinator.history[0].rows.values()]
    assert sorted(faults) == ["", "", *["its node failed: it burns"] * 2]


def test_two_nodes_with_the_same_devices_count_them_once():
    grid = HereGrid(client_app(lambda context: sessions(), samples_of))
    strategy = DeltaStrategy(small_image())
    strategy.start(grid, num_rounds=2)
    assert digest_of(strategy) == plain_base(2)


def test_an_app_of_another_image_says_what_to_do():
    strategy = DeltaStrategy(small_image())
    with pytest.raises(GradmoteError, match="0 deltas came"):
        strategy.start(HereGrid(client_app(behind, samples_of, bytes(32))), num_rounds=1)
    assert all("load the server's image" in row["fault"] for row in strategy.coordinator.now.rows.values())


def test_a_gateway_needs_its_keys():
    context = Context(1, 5, {"gateway": "localhost:1"}, RecordDict(), {})
    message = Message(RecordDict(), dst_node_id=5, message_type="query")
    with pytest.raises(DataError, match="gateway-keys is missing"):
        client_app(behind, samples_of)(message, context)
