"""Take pictures of pages of the site, to look at: wide, and as narrow as a telephone.

    ./run docs && cd tests && ../.venv/bin/python -m bench.screenshots

writes build/screenshots/<page>-<width>.png. It needs Chromium (apt-get install chromium).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE, PICTURES = ROOT / "build" / "site", ROOT / "build" / "screenshots"
PAGES = ("index", "api/session", "api/gradmote_h", "PERFORMANCE", "SPEC")
WIDTHS = (1280, 390)
#: No sandbox, as CI runs as root in a container; nothing is asked of other computers.
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def take(page: str, width: int) -> Path:
    """Take the picture of one page, and return its file."""
    picture = PICTURES / f"{page.replace('/', '-')}-{width}.png"
    with tempfile.TemporaryDirectory() as profile:
        own = (f"--user-data-dir={profile}", f"--window-size={width},1600", f"--screenshot={picture}")
        command = ["chromium", *OPTIONS, *own, f"{(SITE / page).as_uri()}.html"]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
    return picture


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    for page in sys.argv[1:] or PAGES:
        for width in WIDTHS:
            print(take(page, width))


if __name__ == "__main__":
    main()
