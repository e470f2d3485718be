"""The studio without a network: its service worker keeps the page whole, and a new version waits to be asked for."""

from __future__ import annotations

import re
import sys

from gradmote.studio.own_wheel import NAME
from studio import page


def test_the_page_works_without_its_server_and_updates_when_asked() -> None:
    found = page.click("offline.mjs")
    assert found["installable"] == ["in-incognito"], "only the window of a test stands against installing it"
    assert found["asked"], "the button does not ask the browser to install"
    assert found["offline"] == "digits-cnn.mote" and found["fetchesNothing"]
    assert found["torn"] == "", "a version that is not whole was taken"
    assert found["offered"] == 0 and found["trained"] != "0", "a training was to end for it"
    assert found["untouched"] == "", "a version was taken before the user asked for it"
    assert "open in another tab" in found["refused"]
    assert found["second"] == found["secondOffline"] == "second"
    assert found["kept"] == len(listed()), "files of an earlier version were left"
    assert found["problems"] == []


def test_a_page_that_was_served_once_trains_without_its_server() -> None:
    model = page.require() / "examples" / "digits-cnn.onnx"
    found = page.click("served.mjs", sys.executable, model)
    assert found["status"] == 0
    assert found["online"] == found["offline"], "the state differs without the network"
    assert ".mote" in found["compiler"], "it does not say what works without the compiler"
    assert found["after"] == "digits-mlp.mote"
    assert found["refused"] == found["problems"] == []
    assert found["headers"]["cross-origin-opener-policy"] == "same-origin"


def test_the_list_has_every_file_but_the_compilers() -> None:
    made = {str(path.relative_to(page.require())) for path in page.PAGE.rglob("*") if path.is_file()}
    left_out = {name for name in made if name.endswith(".whl") or name == "pyodide.json"}
    assert NAME in left_out
    assert listed().keys() == made - left_out - {"offline.js"}


def listed() -> dict[str, str]:
    """Return the files that the service worker keeps, and their hashes."""
    return dict(re.findall(r'\["([^"]+)","(sha256-[^"]+)"\]', (page.require() / "offline.js").read_text()))
