"""The studio without a network: its service worker keeps the page whole, and a new version waits to be asked for."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from gradmote.studio.own_wheel import NAME
from studio import page, pyodide_release


def test_the_page_works_without_its_server_and_updates_when_asked() -> None:
    found = page.click("offline.mjs")
    assert found["installable"] == ["in-incognito"], "only the window of a test stands against installing it"
    assert found["asked"], "the button does not ask the browser to install"
    assert found["loaded"][0] == ["Python", "first", "404"]
    assert found["loaded"][1] == ["Python", "second", "404"], "a wheel that changed was not loaded anew"
    assert found["loaded"][2] == ["Python", "second", "none"], "what the compiler loads was not kept"
    assert found["offline"] == "digits-cnn.mote"
    assert found["torn"] == "", "a version that is not whole was taken"
    assert found["offered"] == 0 and found["trained"] != "0", "a training was to end for it"
    assert found["untouched"] == "", "a version was taken before the user asked for it"
    assert "open in another tab" in found["refused"]
    assert found["second"] == found["secondOffline"] == "second"
    assert found["kept"] == len(listed()), "files of an earlier version were left"
    assert [url.rpartition("/")[2] for url in found["left"]] == ["own.whl", "pyodide.json"], "another Pyodide's files"
    assert found["problems"] == []


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return Path(shutil.copy(page.require() / "examples" / "digits-cnn.onnx", tmp_path / "given.onnx"))


def served(*given: object) -> dict[str, Any]:
    """Serve the page, end the server, and go on without it; return what was found with and without the server."""
    found = page.click("served.mjs", sys.executable, *given, seconds=300)
    assert found["status"] == 0
    assert found["online"]["trained"] == found["offline"]["trained"], "the state differs without the network"
    assert found["after"] == "digits-mlp.mote"
    assert found["refused"] == found["problems"] == []
    assert found["headers"]["cross-origin-opener-policy"] == "same-origin"
    return found


def test_a_page_that_was_served_once_trains_without_its_server(model: Path) -> None:
    said = served(model)["offline"]["compiled"]
    assert "cannot be loaded" in said and ".mote files need no compiler" in said


@pytest.mark.skipif(
    "GRADMOTE_STUDIO_COMPILER" not in os.environ, reason="GRADMOTE_STUDIO_COMPILER=1 loads Pyodide twice"
)
def test_a_compiler_that_was_loaded_once_compiles_without_its_server(model: Path) -> None:
    found = served(model, pyodide_release.require())
    assert found["online"]["compiled"] == found["offline"]["compiled"]
    assert re.fullmatch("[0-9a-f]{64}", found["offline"]["compiled"])


def test_the_list_has_every_file_but_the_compilers() -> None:
    made = {str(path.relative_to(page.require())) for path in page.PAGE.rglob("*") if path.is_file()}
    left_out = {name for name in made if name.endswith(".whl") or name == "pyodide.json"}
    assert NAME in left_out
    assert listed().keys() == made - left_out - {"offline.js"}


def listed() -> dict[str, str]:
    """Return the files that the service worker keeps, and their hashes."""
    return dict(re.findall(r'\["([^"]+)","(sha256-[^"]+)"\]', (page.require() / "offline.js").read_text()))
