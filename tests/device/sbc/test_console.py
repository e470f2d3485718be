"""gradmote-run console: the same client and commands as with a board, over TCP and over stdin."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from gradmote.device import TwinTarget, open_target
from gradmote.device.client import Client
from gradmote.device.dataset import Dataset
from gradmote.device.fitting import fit
from gradmote.device.link import SocketLink
from gradmote.device.protocol import Frame, Parser, encode
from gradmote.errors import RuntimeFault
from gradmote.generated.console import ERROR_TYPE, FAULTS, MESSAGES
from support.console_text import read_prompt, read_until
from support.gradmote_run import served

ROOT = Path(__file__).resolve().parents[3]
MAIN = "import sys; from gradmote.cli import main; sys.exit(main())"


def gradmote(*arguments: object, cwd: Path, stdin: str = "") -> str:
    """The command line of the host, as a process of its own."""
    path = os.pathsep.join(str(ROOT / part) for part in ("host_tools", "bindings/python"))
    command = [sys.executable, "-c", MAIN, *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, cwd=cwd, env=environment, input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def host(build: Callable[[str], object]):
    return build("sanitized")


# ---- Each processor -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["mlp", "cnn"])
def test_trains_as_the_twin(program, tmp_path: Path, images: dict[str, bytes], digits: Dataset, model: str) -> None:
    """One epoch and a kept checkpoint; both files in the folder are whole, and a new process starts from them."""
    with TwinTarget(program.profile) as twin:
        twin.load_image(images[model])
        fit(twin, digits, epochs=1)
        expected = twin.save()
    with served(program, "--state", tmp_path) as (url, _), open_target(url) as target:
        assert target.info().profile == program.profile and target.info().name.startswith("linux-")
        target.load_image(images[model])
        fit(target, digits, epochs=1)
        assert hashlib.sha256(target.save()).hexdigest() == hashlib.sha256(expected).hexdigest()
    assert (tmp_path / "checkpoint.gmck").read_bytes() == expected
    assert (tmp_path / "model.mote").read_bytes() == images[model]
    with served(program, "--state", tmp_path) as (url, _), Client.connect(url) as board:
        assert board.read("STATE") == expected[-board.info().state_size :]
        assert board.metrics().train_steps == 25


# ---- One processor --------------------------------------------------------------------------------------------------


def test_each_message_that_it_does_not_know_is_refused(host) -> None:
    """Under sanitizers, which watch the table of messages."""
    unknown = sorted(set(range(256)) - {message["id"] for message in MESSAGES.values()})
    parser, found = Parser(), []
    with served(host) as (url, process), closing(SocketLink(url)) as link:
        for kind in unknown:
            link.write(encode(Frame(kind, kind, b"")))
            while not (frames := [item for item in parser.feed(link.read(10.0)) if isinstance(item, Frame)]):
                assert process.poll() is None
            found += frames
    (code,) = (code for code, (name, *_) in FAULTS.items() if name == "UNKNOWN_MESSAGE")
    refusal = struct.pack("<i", code)
    assert found == [Frame(ERROR_TYPE, kind, refusal) for kind in unknown]


def test_gradmote_train_and_console(host, folder: Path, digits: Dataset) -> None:
    np.savez(folder / "digits.npz", x=digits.x, y=digits.y, scale=1 / 16)
    train = ["train", "mlp.mote", "--data", "digits.npz", "--json"]
    with served(host) as (url, _):
        remote = json.loads(gradmote(*train, "--on", url, "--checkpoint", "remote.gmck", cwd=folder))
        assert "train steps     25" in gradmote("console", url, cwd=folder, stdin="info\n")
    assert remote["memory"]["arena_required"] <= remote["memory"]["arena_available"]
    gradmote(*train, "--on", f"twin:{host.profile}", "--checkpoint", "twin.gmck", cwd=folder)
    assert (folder / "remote.gmck").read_bytes() == (folder / "twin.gmck").read_bytes()


def test_a_restart_keeps_what_was_saved(host, tmp_path: Path, images: dict[str, bytes], digits: Dataset) -> None:
    with served(host, "--state", tmp_path) as (url, _), open_target(url) as target:
        target.load_image(images["mlp"])
        fit(target, digits, epochs=1)
        kept = target.save()
        fit(target, digits, epochs=1)
        target.board.reboot()
        assert target.board.metrics().train_steps == 25
        assert target.board.read("CHECKPOINT") == kept


def test_without_a_folder_nothing_outlives_a_restart(host, images: dict[str, bytes]) -> None:
    with served(host) as (url, _), Client.connect(url) as board:
        board.load_image(images["mlp"])
        board.save_checkpoint()
        board.reboot()
        assert board.info().status != 0


def test_an_upload_that_breaks_off_leaves_the_image_before(host, tmp_path: Path, images: dict[str, bytes]) -> None:
    with served(host, "--state", tmp_path) as (url, _):
        with Client.connect(url) as board:
            board.load_image(images["mlp"])
            board.request("IMAGE_BEGIN", size=len(images["cnn"]))
            board.request("IMAGE_DATA", offset=0, data=images["cnn"][:1000])
        with Client.connect(url) as board:
            board.reboot()
            assert board.info().image_size == len(images["mlp"])
    assert (tmp_path / "model.mote").read_bytes() == images["mlp"]


def test_a_damaged_image_is_not_kept(host, tmp_path: Path, images: dict[str, bytes]) -> None:
    damaged = bytearray(images["mlp"])
    damaged[-1] ^= 1
    with served(host, "--state", tmp_path) as (url, _), Client.connect(url) as board:
        board.load_image(images["cnn"])
        with pytest.raises(RuntimeFault, match="checksum"):
            board.load_image(bytes(damaged))
    assert (tmp_path / "model.mote").read_bytes() == images["cnn"]


def test_another_models_checkpoint_is_not_loaded(host, tmp_path: Path, images: dict[str, bytes]) -> None:
    with TwinTarget(host.profile) as twin:
        twin.load_image(images["cnn"])
        foreign = twin.save()
    (tmp_path / "checkpoint.gmck").write_bytes(foreign)
    with served(host, "--state", tmp_path) as (url, _), Client.connect(url) as board:
        assert board.load_image(images["mlp"]) is False
        assert board.raw_info["checkpoint_size"] == 0
        with pytest.raises(RuntimeFault, match="another model"):
            board.load_checkpoint(foreign)
        own = board.save_checkpoint()
        board.load_checkpoint(own)
    assert (tmp_path / "checkpoint.gmck").read_bytes() == own


def test_a_second_client_is_told_and_sent_away(host) -> None:
    with served(host) as (url, _):
        first = SocketLink(url)
        first.write(b"\r")
        read_prompt(first)
        second = socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), 5)
        assert second.makefile("rb").read() == b"another client is connected\r\n"
        first.write(b"mem\r")
        assert "arena" in read_prompt(first)
        first.close()
        third = SocketLink(url)
        third.write(b"help\r")
        assert "train" in read_until(third, "restart")
        third.close()


def test_ends_with_a_signal_and_the_port_is_free_again(host) -> None:
    with served(host) as (url, process):
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 128 + signal.SIGTERM
        again = [*host.command, "console", "--listen", url.removeprefix("socket://")]
        with subprocess.Popen(again, stderr=subprocess.PIPE, text=True) as second:
            assert second.stderr.readline() == f"listening at {url.removeprefix('socket://')}\n"
            second.terminate()


def test_commands_on_stdin(host) -> None:
    said = host.run("console", "--arena", "1M", stdin="mem\nnonsense\n")
    assert said.returncode == 0
    assert "  arena         1048576\n" in said.stdout and "unknown command 'nonsense'" in said.stdout
