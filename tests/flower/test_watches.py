"""Ten people's own watch data under Flower: the files of an example, the project of them, and `flwr run .`.

Half of the watches have the strict numerics profile. The bases are those of a plain loop of twins that each have the
profile of their watch, in whatever order replies come: in Flower's simulation, and with a gateway that owns them.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

import pytest
from flower.test_in_its_environment import FLWR, ROOT
from flower.test_new_project import PATHS, flower, gateway_of, run  # noqa: F401

from gradmote import Session, cli
from gradmote.device import Dataset
from gradmote.federated import DeviceReply, LocalFleet, RoundTask, Server, fedavg
from gradmote.federated.gateway.config import read_config

ROUNDS, EPOCHS, MOMENTUM, LEFT_OUT = 2, 2, 0.5, 4
OPTIONS = f"local-epochs={EPOCHS} server-momentum={MOMENTUM}"
Order = Callable[[Iterable[DeviceReply]], list[DeviceReply]]

pytestmark = [
    pytest.mark.skipif(not FLWR.exists(), reason="build/flower is not complete: ./run setup makes it"),
    pytest.mark.skipif(os.name == "nt", reason="Flower's processes are ended as a group"),
    pytest.mark.skipif(find_spec("seglearn") is None, reason="the watch data is not installed: pip install seglearn"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """Return the project of nine people's watches, each second one with the strict profile."""
    files, made = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("watches") / "watches"
    example = [sys.executable, str(ROOT / "examples" / "watch_files.py"), "--subject", str(LEFT_OUT), "--out", files]
    subprocess.run(example, env={**os.environ, "PYTHONPATH": PATHS}, check=True, capture_output=True)
    both = ["--model", str(files / "watch.mote"), "--data", str(files / "watch.npz")]
    more = ["--onnx", str(files / "watch.onnx"), "--by", "person"]
    assert cli.main(["new", str(made), "--federated", *both, *more]) == 0
    first, *others = (made / "gateway.toml").read_text().split('url = "twin"')
    urls = (f'url = "{("twin:strict", "twin")[at % 2]}"{text}' for at, text in enumerate(others))
    (made / "gateway.toml").write_text("".join([first, *urls]))
    return made


def plain_bases(project: Path, order: Order = list, profiles: tuple[str, ...] = ()) -> list[str]:
    """Return the digest of each base of a plain loop. order: of the replies. profiles: replace the watches' own."""
    config = read_config(project / "gateway.toml")
    image, data = config.image.read_bytes(), {device.name: Dataset.read(device.data) for device in config.devices}
    own = [device.url.partition(":")[2] or "fused" for device in config.devices]
    devices = {device.name: Session(image, profile) for device, profile in zip(config.devices, profiles or own)}
    fleet, server, down, bases = LocalFleet(devices, data.__getitem__), Server(image, fedavg(1.0, MOMENTUM)), b"", []
    for _ in range(ROUNDS):
        digests = hashlib.sha256(image).digest(), server.round, hashlib.sha256(server.base).digest()
        for row in order(fleet.train(RoundTask(*digests, server.checkpoint(), down, bits=4, epochs=EPOCHS, seed=0))):
            server.add(row.device, row.delta, row.examples)
        down = server.finish()
        bases.append(hashlib.sha256(server.base).hexdigest())
    return bases


def shuffled(replies: Iterable[DeviceReply]) -> list[DeviceReply]:
    """Return the replies in another order."""
    return random.Random(1).sample(list(replies), 9)


def require_plain(project: Path, results: Path) -> None:
    """Require that all nine watches took part, and that each base is the plain loop's."""
    rounds = json.loads((results / "report.json").read_text())["rounds"]
    people = {str(number) for number in range(1, 11)} - {str(LEFT_OUT)}
    assert all(set(done["rows"]) == people for done in rounds)
    assert not any(row["fault"] for done in rounds for row in done["rows"].values())
    assert [done["base"] for done in rounds] == plain_bases(project, shuffled)
    assert rounds[-1]["test"]["accuracy"] > 0.2  # one of seven exercises, in two rounds


def test_a_simulation_comes_to_the_base_of_the_plain_loop(project, flower):  # noqa: F811
    require_plain(project, run(project, flower, OPTIONS))


def test_the_profile_of_each_watch_shows(project):
    """So equal bases say that the app gave each watch its own profile."""
    found = {tuple(plain_bases(project, profiles=(profile,) * 9)) for profile in ("fused", "strict")}
    assert len(found | {tuple(plain_bases(project))}) == 3


def test_a_gateway_comes_to_the_base_of_the_plain_loop(project, flower, tmp_path):  # noqa: F811
    with gateway_of(project, tmp_path) as option:
        require_plain(project, run(project, flower, f"{OPTIONS} {option}"))
