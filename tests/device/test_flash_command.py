"""gradmote flash and gradmote ports, as they are typed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradmote import cli
from gradmote.device import ports
from gradmote.device.client import Client
from gradmote.device.flash import emulated
from gradmote.device.ports import Answer

pytestmark = pytest.mark.device

NAME = "mps2-an386"


@pytest.fixture(autouse=True)
def own_folder(firmware: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep emulated boards in a folder of the test's own, so that one that a person left running stays."""
    monkeypatch.setattr(emulated, "_folder", lambda: tmp_path / "emulated")
    yield
    emulated.stop(NAME)


@pytest.fixture
def model(tmp_path: Path, image: bytes) -> str:
    (tmp_path / "model.mote").write_bytes(image)
    return str(tmp_path / "model.mote")


def test_flash_ports_and_stop(model: str, image: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["flash", "--board", NAME, "--general", model, "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["board"], done["tool"], done["image"], done["model_id"]) == (
        NAME, "emulator", len(image), image[16:32].hex(),
    )  # fmt: skip
    with Client.connect(done["port"]) as client:
        assert client.mem().code == done["code"]
        assert client.info().arena_required == done["arena"]
    assert cli.main(["ports"]) == 0
    listed = capsys.readouterr().out
    assert all(word in listed for word in (NAME, "strict", image[16:32].hex(), done["port"]))
    assert cli.main(["flash", "--stop", NAME]) == 0
    assert cli.main(["flash", "--stop", NAME]) == 0
    assert capsys.readouterr().out == f"the emulated {NAME} has ended\nno emulated {NAME} was running\n"


def test_firmware_alone(firmware: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["flash", "--board", NAME, "--firmware", str(firmware)]) == 0
    printed = capsys.readouterr().out
    assert f"{NAME} runs gradmote 0.1.0, strict: firmware" in printed and ", no model\n" in printed
    assert f"until: gradmote flash --stop {NAME}" in printed and "gradmote console socket://127.0.0.1:" in printed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "which board?"),
        (["--board", "nope"], "there is no board nope"),
        (["--board", NAME, "--port", "x"], "x is not a TCP port"),
        (["--board", NAME, "--port", "70000"], "70000 is not a TCP port"),
        (["--stop", "nope"], "there is no board nope"),
    ],
)
def test_wrong_calls(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["flash", *arguments]) == 1
    assert said in capsys.readouterr().err


def test_a_port_where_nothing_answers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    port = ports.Port("/dev/no-such-port", "0483:374b", "")
    monkeypatch.setattr(ports, "serial_ports", lambda: [port])
    assert cli.main(["ports", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["ports"]
    assert Answer(**found).problem.startswith("cannot open /dev/no-such-port")
