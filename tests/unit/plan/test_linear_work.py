"""A graph of twice the nodes takes twice the work in each stage of a compile. Work is the number of function calls,
which is the same in every run."""

from __future__ import annotations

import cProfile
from contextlib import contextmanager

import onnx
import pytest
from bench.compile_time import STAGES, compile_in_stages

from gradmote.plan import arena
from support.deep_graphs import GRAPHS

NODES = 90
#: Work that grows with the square of the nodes would take four times as much.
MOST = 2.3


def calls_of(model: onnx.ModelProto) -> dict[str, int]:
    """The calls of functions, those of C too, in each stage."""
    calls: dict[str, int] = {}

    @contextmanager
    def counted(stage: str):  # type: ignore[no-untyped-def]
        profile = cProfile.Profile()
        with profile:
            yield
        calls[stage] = sum(entry.callcount for entry in profile.getstats())

    compile_in_stages(model, counted)
    return calls


@pytest.mark.parametrize("name", GRAPHS)
def test_twice_the_nodes_take_twice_the_calls(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(arena, "MANY", 0)  # as for large programs
    graph = GRAPHS[name]
    calls_of(graph(NODES // 4))  # this imports what the others need
    few, many = calls_of(graph(NODES)), calls_of(graph(2 * NODES))
    assert set(few) == set(STAGES)
    assert {stage: many[stage] / few[stage] for stage in STAGES if many[stage] > MOST * few[stage]} == {}
