"""A new federated project runs at once: in Flower's simulation, and against a gateway by one option.

`flwr run .` comes to the base of a plain loop of twins in both. It runs in the environment that `./run test` makes.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from flower.test_in_its_environment import FLWR, PYTHON, QUIET, ROOT

from gradmote import Session, cli
from gradmote.device import Dataset
from gradmote.federated import LocalFleet, RoundTask, Server
from support.ports import free_port

ROUNDS = 2
PATHS = os.pathsep.join(str(ROOT / part) for part in ("host_tools", "bindings/python"))
PATIENCE = 120

pytestmark = [
    pytest.mark.skipif(not FLWR.exists(), reason="build/flower is not complete: ./run setup makes it"),
    pytest.mark.skipif(os.name == "nt", reason="Flower's processes are ended as a group"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """Return a new project, the example of ten people."""
    folder = tmp_path_factory.mktemp("federated") / "watches"
    assert cli.main(["new", str(folder), "--federated"]) == 0
    return folder


@pytest.fixture(scope="module")
def flower(tmp_path_factory) -> Iterator[dict[str, str]]:
    """Yield the environment in which `flwr run .` finds a SuperLink of its own, which simulates."""
    home = tmp_path_factory.mktemp("flwr")
    web, control = free_port(), free_port()
    environment = {**os.environ, **QUIET, "PYTHONPATH": PATHS, "FLWR_HOME": str(home)}
    environment["PATH"] = f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"
    (home / "config.toml").write_text(
        f'[superlink]\ndefault = "here"\n[superlink.here]\naddress = "127.0.0.1:{web}"\ninsecure = true\n'
    )
    options = ["--insecure", "--simulation", "--isolation", "subprocess", "--host", "127.0.0.1", "--port", str(web)]
    with running([PYTHON.parent / "flower-superlink", *options, "--control-api-address", f"127.0.0.1:{control}"],
                 environment, home) as process:  # fmt: skip
        end = time.monotonic() + PATIENCE
        while not answers(f"http://127.0.0.1:{web}/health"):
            assert process.poll() is None and time.monotonic() < end, (home / "log").read_text()
            time.sleep(0.2)
        yield environment


@contextmanager
def running(command: list, environment: dict[str, str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process, whose output goes to a file, and end it and all that it started."""
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log, start_new_session=True)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(30)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def answers(address: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(address, timeout=1) as answer:
        return answer.status == 200
    return False


def run(project: Path, environment: dict[str, str], options: str = "") -> Path:
    """Return the results of `flwr run .` once they are complete."""
    known = set((project / "results").glob("*"))
    command = [FLWR, "run", ".", "--stream", "--run-config", f"num-server-rounds={ROUNDS} {options}"]
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0 and "results are in" in done.stdout + done.stderr, done.stdout + done.stderr
    (found,) = set((project / "results").glob("*")) - known
    return found


def plain_bases(project: Path) -> list[str]:
    """Return the digest of each base of a plain loop of a server and twins."""
    image = (project / "model.mote").read_bytes()
    names = sorted(path.stem for path in (project / "data").glob("*.npz"))
    devices = {name: Session(image, ("fused", "strict")[at % 2]) for at, name in enumerate(names)}
    fleet = LocalFleet(devices, lambda name: Dataset.read(project / "data" / f"{name}.npz"))
    server, down, bases = Server(image), b"", []
    for _ in range(ROUNDS):
        digests = hashlib.sha256(image).digest(), server.round, hashlib.sha256(server.base).digest()
        for row in fleet.train(RoundTask(*digests, server.checkpoint(), down, bits=4, epochs=2, seed=0)):
            server.add(row.device, row.delta, row.examples)
        down = server.finish()
        bases.append(hashlib.sha256(server.base).hexdigest())
    return bases


def test_a_simulation_comes_to_the_base_of_the_plain_loop(project, flower):
    results = run(project, flower)
    rounds = json.loads((results / "report.json").read_text())["rounds"]
    assert [done["base"] for done in rounds] == plain_bases(project)
    assert all(len(done["rows"]) == 10 and not any(r["fault"] for r in done["rows"].values()) for done in rounds)
    assert rounds[-1]["test"]["accuracy"] > 0.7
    page = (results / "report.html").read_text()
    assert "<svg" in page and all(f"person-{number}" in page for number in range(1, 11))
    require_trained(project, results, rounds[-1]["test"]["accuracy"])


def require_trained(project: Path, results: Path, accuracy: float) -> None:
    """Require that onnxruntime finds the reported accuracy with the exported model."""
    test = Dataset.read(project / "test.npz")
    model = onnxruntime.InferenceSession(str(results / "model.onnx"), providers=["CPUExecutionProvider"])
    (scores,) = model.run(None, {"x": test.x})
    assert np.isclose(np.mean(scores.argmax(1) == test.y), accuracy, atol=0.01)


@contextmanager
def gateway_of(project: Path, folder: Path) -> Iterator[str]:
    """Run the gateway of a project, and yield the option by which its app finds it."""
    gateway = [sys.executable, "-m", "gradmote", "federate", "gateway", str(project / "gateway.toml")]
    environment = {**os.environ, "PYTHONPATH": PATHS}
    subprocess.run([*gateway, "--make-keys"], env=environment, check=True, capture_output=True)
    text, port = (project / "gateway.toml").read_text(), free_port()
    (project / "gateway.toml").write_text(f"port = {port}\n{text}")
    with running(gateway, environment, folder):
        yield f"gateway='127.0.0.1:{port}'"


def test_a_gateway_owns_the_devices_by_one_option(project, flower, tmp_path):
    with gateway_of(project, tmp_path) as option:
        results = run(project, flower, f"{option} sums=true test-devices=true")
    rounds = json.loads((results / "report.json").read_text())["rounds"]
    assert all(len(done["tests"]) == 10 and not any(t["fault"] for t in done["tests"].values()) for done in rounds)
    assert [done["base"] for done in rounds] == plain_bases(project)
