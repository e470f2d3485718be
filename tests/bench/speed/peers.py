"""Children that are timed, and the environments that they run in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.memory.onnxruntime_memory import interpreter

TESTS = Path(__file__).resolve().parents[2]
CHILDREN = Path(__file__).with_name("children")
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}


def peers_python(environment: Path | None) -> Path:
    """Return an interpreter that has onnxruntime-training and PyTorch: of the given environment, or of the one that
    bench.memory makes under build/, both pinned. Raise SystemExit if there is neither."""
    python = interpreter() if environment is None else environment / "bin" / "python"
    if python is None or not python.exists():
        raise SystemExit("onnxruntime-training cannot be had: it takes Python 3.11 - name an environment by --peers")
    return python


class Process:
    """A process that answers requests, a line of JSON each. Raises RuntimeError, with its own words, if it fails."""

    def __init__(self, *command: Path | str) -> None:
        own = {"PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by close()
        self._process = subprocess.Popen(
            list(map(str, command)), env={**os.environ, **ONE_THREAD, **own},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, text=True,
        )  # fmt: skip

    def ask(self, **request: Any) -> Any:
        """Return the answer to one request of children/serve.py."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args} ended when asked for {request}: {self._last_words()}")
        return json.loads(line)

    def _last_words(self) -> str:
        self._process.wait()
        self._said.seek(0)
        return self._said.read()[-2000:]

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._said.close()


class Child(Process):
    """A process of one framework in Python: a script of children/."""

    def __init__(self, script: str, python: Path | str = sys.executable) -> None:
        super().__init__(python, "-W", "ignore", CHILDREN / script)
