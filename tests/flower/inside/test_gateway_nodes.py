"""Nodes whose devices are behind gateways: tests on devices, and sums instead of deltas, change no bit."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from flower.inside.small import NAMES, HereGrid, data_of, plain_base
from flower.inside.small import image as small_image
from flwr.app import ConfigRecord, Context, Message, RecordDict

from gradmote.flower import DeltaStrategy
from support import gateways


@pytest.fixture
def grid(tmp_path: Path):
    """Two nodes, each with a gateway that owns two twins, each second one with the strict profile."""
    found = HereGrid()
    with ExitStack() as stack:
        for number, (node, context) in enumerate(found.contexts.items()):
            names = NAMES[2 * number :][:2]
            folder = tmp_path / f"gateway-{number}"
            folder.mkdir()
            urls = {name: ("twin", "twin:strict")[NAMES.index(name) % 2] for name in names}
            config = gateways.folder_of(folder, urls, small_image(), {name: data_of(name) for name in names})
            _, service = stack.enter_context(gateways.serving(config))
            options = {"gateway": f"127.0.0.1:{service.port}", "gateway-keys": str(folder / "keys")}
            found.contexts[node] = Context(1, node, {**context.node_config, **options}, RecordDict(), {})
        yield found


def test_devices_behind_gateways_are_tested_by_name(grid):
    strategy = DeltaStrategy(small_image(), test_devices=True)
    result = strategy.start(grid, num_rounds=3)
    assert strategy.coordinator.base_digest.hex() == plain_base(3)
    for number in (1, 2, 3):
        assert result.evaluate_metrics_clientapp[number]["num-examples"] == 96
        tests = strategy.coordinator.history[number - 1].tests
        assert list(tests) == list(NAMES)
        assert all(0 <= test["accuracy"] <= 1 and not test["fault"] for test in tests.values())


@pytest.mark.parametrize("test_devices", [False, True])
def test_sums_of_gateways_lead_to_the_plain_base(grid, tmp_path, test_devices):
    strategy = DeltaStrategy(small_image(), sums=True, test_devices=test_devices, folder=tmp_path / "server")
    strategy.start(grid, num_rounds=3)
    assert strategy.coordinator.base_digest.hex() == plain_base(3)
    assert [len(record.counted) for record in strategy.coordinator.history] == [4, 4, 4]
    kinds = [kind for kind, _ in grid.asked]
    assert kinds.count("query") == 2 + 3 * 2


def test_a_node_that_gives_no_sum_is_left_out(grid):
    """Its devices have a fault in each round; the base is that of the others."""
    bad = max(grid.contexts)

    def change(reply: Message) -> Message:
        if reply.metadata.src_node_id == bad and "sum" in reply.content.config_records.get("gradmote", {}):
            reply.content = RecordDict({"gradmote": ConfigRecord({"sum": b"GMSU0001 and no sum"})})
        return reply

    grid.change = change
    strategy = DeltaStrategy(small_image(), sums=True)
    strategy.start(grid, num_rounds=2)
    for record in strategy.coordinator.history:
        assert len(record.counted) == 2
        assert [bool(record.rows[name]["fault"]) for name in strategy.nodes[bad]] == [True, True]


def test_a_node_without_a_gateway_sends_its_deltas(grid):
    """It does so even if sums are allowed: only what stays at a gateway is asked for."""
    strategy = DeltaStrategy(small_image(), sums=True)
    plain = HereGrid()
    strategy.start(plain, num_rounds=2)
    assert strategy.coordinator.base_digest.hex() == plain_base(2)
    assert [kind for kind, _ in plain.asked].count("query") == 2
