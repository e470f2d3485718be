"""Flower's rounds come to the bits of the plain loop, and go on after failures of nodes and of the server."""

from __future__ import annotations

import hashlib
import time

import numpy as np
import pytest
from flower.inside.small import NAMES, HereGrid, behind, data_of, plain_base, samples_of, sessions
from flower.inside.small import image as small_image
from flwr.app import ConfigRecord, Context, Error, Message, MetricRecord, RecordDict

from gradmote.errors import DataError, GradmoteError
from gradmote.federated import DeviceReply, LocalFleet, RoundTask, Server, fedadam, fedavg
from gradmote.federated.replies import pack_rows
from gradmote.flower import DeltaStrategy, client_app, memory


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
    found = []
    for context in grid.contexts.values():
        fleet = LocalFleet(behind(context), data_of)
        memory.recall(fleet, context.state)
        found += [bytes(device.parameter("2.bias").cast("B")) for device in fleet.devices.values()]
    assert len(set(found)) == len(found) == 4


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
    strategy.start(grid, num_rounds=2, timeout=5)
    assert digest_of(strategy) == plain_base(2)
    assert [kind for kind, _ in grid.asked].count("train") == 5


def test_a_federation_whose_nodes_are_silent_ends_with_words():
    grid = HereGrid(change=lambda reply: reply if reply.metadata.message_type == "query" else None)
    with pytest.raises(GradmoteError, match="round 0: 0 deltas came, 1 are needed"):
        DeltaStrategy(small_image()).start(grid, num_rounds=1, timeout=0.2)


@pytest.mark.parametrize("settings", [{"fraction": 0}, {"minimum": 0}, {"bits": 3}, {"epochs": 0}, {"shared": [""]},
                                      {"wait_s": -1}, {"late": -1}])  # fmt: skip
def test_impossible_settings_are_refused(settings):
    with pytest.raises(DataError):
        DeltaStrategy(small_image(), **settings)


# ---- Late replies


def slow_node(grid: HereGrid, rounds: int):
    """Return how late a reply comes: the second node's of round 0 by so many rounds, any other one in time."""
    slow = list(grid.contexts)[1]
    return lambda reply: rounds if grid.rounds == 1 and reply.metadata.src_node_id == slow else 0


@pytest.mark.parametrize("late", [0, 1, 2])
def test_a_round_ends_without_nodes_that_work_on_and_takes_their_replies_later(tmp_path, late):
    """A plain loop does the same: b and c work on round 0 until round 2. The node is not asked in between."""
    grid = HereGrid()
    grid.slow = slow_node(grid, 2)
    strategy = DeltaStrategy(small_image(), minimum=2, wait_s=0, late=late, folder=tmp_path)
    strategy.start(grid, num_rounds=4)
    assert digest_of(strategy) == plain_late_base(late)
    rows = strategy.coordinator.history[2].rows
    assert [rows[name]["late"] for name in ("c", "d")] == ([2, 2] if late == 2 else [0, 0])
    assert all(bool(rows[name]["fault"]) == (late < 2) for name in ("c", "d"))
    asked = [node for kind, node in grid.asked if kind == "train"]
    assert [asked.count(node) for node in grid.contexts] == [4, 2]


def plain_late_base(late: int) -> str:
    """Return the base after four rounds, in which c and d work on their first task until the third."""
    server, down = Server(small_image(), late=late), b""
    fleet = LocalFleet(sessions(), data_of)
    waiting: list[DeviceReply] = []
    for names in (NAMES, ("a", "b"), ("a", "b"), NAMES):
        task = RoundTask(hashlib.sha256(small_image()).digest(), server.round, hashlib.sha256(server.base).digest(),
                         server.checkpoint(), down, bits=4, devices=names)  # fmt: skip
        rows = fleet.train(task)
        if server.round == 0:
            rows, waiting = rows[:2], rows[2:]
        if server.round == 2 and late == 2:
            rows += waiting
        for row in rows:
            server.add(row.device, row.delta, row.examples)
        down = server.finish()
    return hashlib.sha256(server.base).hexdigest()


def test_a_node_that_never_replies_is_asked_again_after_the_timeout():
    grid = HereGrid(change=lambda reply: None if len(grid.asked) == 4 else reply)
    strategy = DeltaStrategy(small_image(), minimum=2, wait_s=0)
    strategy.start(grid, num_rounds=1, timeout=0.5)
    time.sleep(0.5)
    strategy.start(grid, num_rounds=2)
    assert [len(record.counted) for record in strategy.coordinator.history] == [2, 4]


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
        gradmote(replies=pack_rows(DeviceReply, [DeviceReply("a", b"no delta", 5, 1.0)])),
        gradmote(replies=pack_rows(DeviceReply, [DeviceReply(n, b"GMDL" + bytes(60), 5, 1.0) for n in NAMES])),
        gradmote(replies=pack_rows(DeviceReply, [DeviceReply("stranger", b"x", 5, 1.0)])),
        gradmote(replies=pack_rows(DeviceReply, [])),
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
        for name in ("_src_node_id", "_reply_to_message_id"):
            failed.metadata.__dict__[name] = getattr(reply.metadata, name[1:])
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
