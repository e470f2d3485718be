"""The icons of pixels are drawn from icon.svg, in the sizes that the manifest promises."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio import page
from support.npm_package import BUILT, ROOT, run

ICONS = ROOT / "bindings" / "js" / "studio" / "icons"


def test_the_icons_are_those_of_the_drawing(tmp_path: Path) -> None:
    page.require()
    command = [ICONS / "draw.mjs", shutil.which("chromium"), BUILT / "tools", tmp_path]
    run("node", *map(str, command), folder=ROOT)
    drawn = sorted(path.name for path in tmp_path.iterdir())
    assert drawn == sorted(path.name for path in ICONS.glob("*.png"))
    for name in drawn:
        differences = np.abs(pixels(ICONS / name) - pixels(tmp_path / name))
        assert differences.mean() < 0.5, f"{name} is stale: node {ICONS / 'draw.mjs'} CHROMIUM TOOLS"


def pixels(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGBA"), dtype=np.float64)


@pytest.mark.parametrize("purpose", ["any", "maskable"])
def test_the_manifest_has_what_browsers_ask_of_an_application(purpose: str) -> None:
    folder = page.require()
    manifest = json.loads((folder / "manifest.webmanifest").read_text())
    assert manifest["display"] == "standalone" and manifest["start_url"] == manifest["scope"] == "./"
    icons = [icon for icon in manifest["icons"] if icon["purpose"] == purpose and icon["type"] == "image/png"]
    assert [icon["sizes"] for icon in icons] == ["192x192", "512x512"]
    for icon in icons:
        assert "x".join(map(str, Image.open(folder / icon["src"]).size)) == icon["sizes"]
