"""The studio page as `scons studio` builds it, driven in Chromium by the scripts of tests/studio/js."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.firmware import run_scons
from support.npm_package import BUILT, ROOT, lacking, run

PAGE = ROOT / "build" / "studio"
#: Pictures of the page, to be looked at.
SCREENS = ROOT / "build" / "studio-screens"
SCRIPTS = ROOT / "tests" / "studio" / "js"


def require() -> Path:
    """Return the folder of the built page; skip the test if a tool is missing."""
    missing = lacking() or ("" if shutil.which("chromium") else "chromium")
    if missing:
        pytest.skip(f"there is no {missing}")
    return built()


@cache
def built() -> Path:
    """Build the page, and return its folder."""
    run_scons("studio")
    return PAGE


def click(script: str, *arguments: object, seconds: float = 120.0) -> dict[str, Any]:
    """Run a script of tests/studio/js that clicks through the page, and return the JSON that it prints."""
    require()
    given = [SCRIPTS / script, shutil.which("chromium"), BUILT / "tools", PAGE, SCREENS, *arguments]
    found: dict[str, Any] = json.loads(run("node", *map(str, given), folder=ROOT, seconds=seconds))
    return found


def unit(script: str) -> str:
    """Run the node tests of one *.test.ts of tests/studio/js, on modules of the page; return the report."""
    require()
    return run("node", str(SCRIPTS / "unit.mjs"), str(BUILT / "tools"), str(SCRIPTS / script), folder=ROOT)
