"""The npm package in Chromium: by a script tag, by ES modules, in a worker, and bundled by Vite and webpack."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from bindings.test_node import images, network, twin
from support import npm_package

PAGES = ("script", "modules", "worker", "plain")
CONNECTED_PAGES = ("connect-script", "connect-modules")
TRAINING_PAGES = ("ort-script", "ort-modules")
STEPS = 20


@pytest.fixture(scope="module")
def project() -> Path:
    """Return the project, with the models that pages train."""
    if not shutil.which("chromium"):
        pytest.skip("there is no chromium")
    folder = npm_package.require()
    npm_package.give("lenet.mote", network("lenet", 2))
    npm_package.give("accumulate.mote", images()["accumulate"])
    return folder


def state(image: bytes) -> str:
    with twin(image, STEPS, 10) as session:
        return session.state_sha256()


def connected() -> dict[str, Any]:
    """Return what a session in a worker leads to."""
    return {"digest": state(network("lenet", 2)), "epochs": [STEPS], "refused": "DataError"}


def assert_trained(found: dict[str, Any]) -> None:
    """The state is the twin's, and bad input ended in an error that says what was wrong."""
    assert found["problems"] == [] and "error" not in found, found
    assert found["digest"] == state(network("lenet", 2))
    assert found["errors"] == ["DataError", "RuntimeFault", "RuntimeFault"]
    assert "is not at" in found["missing"] and "404" in found["missing"]


def test_pages_train_to_the_twins_bits(project: Path) -> None:
    found = npm_package.browse(*(f"scripts/pages/{page}.html" for page in (*PAGES, *CONNECTED_PAGES, *TRAINING_PAGES)))
    for page in PAGES:
        assert_trained(found[f"scripts/pages/{page}.html"])
    for page in CONNECTED_PAGES:
        assert found[f"scripts/pages/{page}.html"] == {**connected(), "problems": []}, page
    for page in TRAINING_PAGES:
        reported = found[f"scripts/pages/{page}.html"]
        assert reported == {"digest": state(images()["accumulate"]), "problems": []}, page


@pytest.mark.parametrize("place", ["", "?database"], ids=["files", "database"])
def test_a_state_outlives_its_page(project: Path, place: str) -> None:
    address = f"scripts/pages/storage.html{place}"
    wanted = {"digest": state(network("lenet", 2)), "afterwards": False, "named": True, "problems": []}
    assert npm_package.browse(address)[address] == wanted


@pytest.mark.parametrize("bundler", ["vite", "webpack"])
def test_bundled_pages_train_to_the_twins_bits(project: Path, bundler: str) -> None:
    npm_package.node("bundle.mjs", bundler, npm_package.TOOLS, "bundled.mjs", bundler)
    found = npm_package.browse(f"scripts/{bundler}/index.html")[f"scripts/{bundler}/index.html"]
    assert_trained(found)
    assert found["remote"] == connected()
    assert found["training"] == state(images()["accumulate"])
