"""Pages in Chromium, which answer what they are asked."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support import npm_package

DRIVER = Path(__file__).with_name("js") / "drive.mjs"


class PageError(Exception):
    """A page could not do what it was asked; its own words say why."""


class Chromium:
    """A browser, driven by drive.mjs. Every page that it opens has a profile and a process of its own."""

    def __init__(self, root: Path) -> None:
        browser = shutil.which("chromium")
        if browser is None:
            raise SystemExit("there is no chromium - apt-get install chromium, or ./run setup")
        command = ["node", str(DRIVER), browser, str(npm_package.TOOLS), str(root)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request: Any) -> Any:
        """Return the answer to a request of drive.mjs. Raises PageError."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise PageError(f"the browser has ended when it was asked for {request}")
        answer = json.loads(line)
        if isinstance(answer, dict) and answer.get("error"):
            raise PageError(answer["error"])
        return answer

    def open(self, address: str, name: str) -> dict[str, Any]:
        """Open a page in a fresh profile; return seconds since navigation, the first loss, bytes and files loaded."""
        found: dict[str, Any] = self.ask(open=address, **{"as": name})
        return found

    def close(self) -> None:
        """End the browser."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)


@contextmanager
def chromium(root: Path) -> Iterator[Chromium]:
    """A browser that ends with the block."""
    found = Chromium(root)
    try:
        yield found
    finally:
        found.close()
