"""`gradmote federate gateway`: its help, its keys, what it prints, and its end."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gradmote import cli
from gradmote.errors import GradmoteError
from gradmote.federated import RemoteFleet, Server
from support import federation, gateways


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return gateways.folder_of(tmp_path, {"a": "twin"}, federation.image(), gateways.samples(["a"], 16))


def test_help_fits_80_columns(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["federate", "gateway", "--help"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80 and "--make-keys" in text and "CONFIG" in text


def test_keys_are_made_once_and_for_this_account(config: Path, capsys) -> None:
    path = config.parent / "keys"
    path.unlink()
    assert cli.main(["federate", "gateway", str(config)]) == 1
    assert "--make-keys" in capsys.readouterr().err
    assert cli.main(["federate", "gateway", str(config), "--make-keys"]) == 0
    assert path.stat().st_mode & 0o777 == 0o600
    assert re.fullmatch("gateway [0-9a-f]{64}\na [0-9a-f]{64}\n", path.read_text())
    before = path.read_bytes()
    assert cli.main(["federate", "gateway", str(config), "--make-keys"]) == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize("as_json", [False, True])
def test_a_round_is_told_line_by_line(config: Path, as_json: bool) -> None:
    command = [sys.executable, "-m", "gradmote", "federate", "gateway", str(config), *["--json"] * as_json]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    first = process.stdout.readline()
    address = json.loads(first)["address"] if as_json else first.split()[-1]
    server = Server(federation.image())
    with RemoteFleet(address, config.parent / "keys") as fleet:
        gateways.one_round(federation.image(), server, fleet, b"")
    process.send_signal(signal.SIGTERM)
    lines = process.stdout.read().splitlines()
    assert process.wait(20) == 128 + signal.SIGTERM
    wanted = {"device": "a", "state": "training", "fault": ""}
    assert wanted in map(json.loads, lines) if as_json else "a: training" in lines


def test_it_ends_while_devices_train(config: Path) -> None:
    running = gateways.Process(config)
    task = gateways.task_of(federation.image(), Server(federation.image()), b"", epochs=10_000)
    fleet = RemoteFleet(running.address, config.parent / "keys", patience=0.0)

    faults = []

    def ask() -> None:
        """Ask for training. The gateway may still report that the device did not finish, or be gone by then."""
        try:
            faults.extend(row.fault for row in fleet.train(task))
        except GradmoteError as error:
            faults.append(str(error))

    asking = threading.Thread(target=ask)
    asking.start()
    running.wait_for({"device": "a", "state": "training", "fault": ""})
    assert running.end() == 128 + signal.SIGTERM
    asking.join()
    assert faults and all(faults)
