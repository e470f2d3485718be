"""A page for onnxruntime-web/training, with each way to import its replacement."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from bindings import digits_page
from support import npm_package

#: Bundled page -> the bundler, and the script that it bundles.
BUNDLED = {
    "digits-vite": ("vite", "digits/modules.mjs"),
    "digits-webpack": ("webpack", "digits/modules.mjs"),
    "digits-commonjs": ("webpack", "digits/commonjs.cjs"),
}
PAGES = ("digits/script.html", "digits/modules.html", *(f"{name}/index.html" for name in BUNDLED))


@pytest.fixture(scope="module")
def project() -> Path:
    """Return the project, with the page's data."""
    folder = npm_package.require()
    digits_page.write("digits")
    digits_page.write("steps", accumulate=False)
    return folder


def assert_learned(reported: dict[str, Any]) -> None:
    """The devices learn real digits, and reach the twin's losses, accuracies and parameters."""
    assert "error" not in reported and not reported.get("problems"), reported
    wanted = digits_page.expected()
    assert reported["losses"] == wanted.losses
    assert reported["before"] == wanted.before and reported["after"] == wanted.after
    assert reported["digests"] == wanted.digests and len(set(wanted.digests)) == 1
    assert wanted.before["accuracy"] < 0.2 and wanted.after["accuracy"] > 0.85
    assert reported["size"] == 64 * 32 + 32 + 32 * 10 + 10
    loss = "onnx::loss::2"
    assert reported["names"] == [["x", "labels"], [loss, "y"], ["x", "labels"], [loss, "y"]]
    assert "the session is closed" in reported["released"]


def test_each_import_form_runs_the_page_unchanged(project: Path) -> None:
    if not shutil.which("chromium"):
        pytest.skip("there is no chromium")
    for folder, (bundler, entry) in BUNDLED.items():
        npm_package.node("bundle.mjs", bundler, npm_package.TOOLS, entry, folder)
    found = npm_package.browse(*(f"scripts/{page}" for page in PAGES))
    for page in PAGES:
        assert_learned(found[f"scripts/{page}"])


def test_an_image_that_adds_no_gradients_up_does_as_well(project: Path) -> None:
    if not shutil.which("chromium"):
        pytest.skip("there is no chromium")
    address = "scripts/digits/modules.html?data=steps"
    assert_learned(npm_package.browse(address)[address])
