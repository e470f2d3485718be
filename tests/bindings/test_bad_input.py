"""Bad input in a page: each kind ends in an error that says what was wrong and what to do, and the next step is right.

js/hostile.test.mjs does so in node, with more draws (test_node.py runs it).
"""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from bindings.test_node import images
from support import npm_package

HOSTILE = "scripts/pages/hostile.html"
FORBIDDEN = {name: f"scripts/pages/forbidden-{name}.html" for name in ("wasm", "worker", "fetch")}


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Return what the pages report."""
    if not shutil.which("chromium"):
        pytest.skip("there is no chromium")
    npm_package.require()
    npm_package.give("step.mote", images()["step"])
    return npm_package.browse(HOSTILE, *FORBIDDEN.values())


def test_bad_input_ends_in_a_clear_line(found: dict[str, Any]) -> None:
    reported = found[HOSTILE]
    assert reported["problems"] in ([], ["Error: out of memory"]) and "error" not in reported, reported
    assert reported["wrong"] == []
    lines = reported["lines"]
    assert "404" in lines["no image"] and "nothing.mote" in lines["no image"]
    assert "gradmote-simd.wasm" in lines["no runtime"] and "404" in lines["no runtime"]
    assert "cannot be fetched from http://127.0.0.1:9/model.mote" in lines["no server"]
    assert "its script is missing or forbidden" in lines["no worker's script"]
    assert "out of memory" in lines["a worker that dies"] and "out of memory" in lines["a worker that dies later"]
    assert "the worker does not start" in lines["a forbidden worker"]
    assert "QuotaExceededError: the disk is full" in lines["a full disk"]
    assert "SecurityError: it is forbidden" in lines["forbidden storage"]


def test_what_a_policy_forbids_is_told(found: dict[str, Any]) -> None:
    forbidden = {name: found[address] for name, address in FORBIDDEN.items()}
    for opened in ("load", "connect"):
        assert "does not compile" in forbidden["wasm"][opened]
        assert "add 'wasm-unsafe-eval' to script-src" in forbidden["wasm"][opened]
        assert "cannot be fetched from" in forbidden["fetch"][opened]
    assert forbidden["worker"]["load"] == "opened"
    assert "worker" in forbidden["worker"]["connect"]
