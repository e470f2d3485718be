"""gradmote new: projects that work as their README says, from a checkout and from the package alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.cli import main
from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.boards import board
from gradmote.device.client import Client
from gradmote.device.protocol import Parser
from gradmote.errors import DataError, DeviceError, ImageError
from gradmote.formats.kernel_selection import needs_of
from gradmote.project.create import create
from gradmote.sources.parts import PARTS
from support.arduino_board import STAND_IN, Running
from support.oracle import compiled, make_model, node, values
from support.pio import Pio, with_free_ports

NAME = "mps2-an386"
INI = Path(__file__).resolve().parents[3] / "firmware" / "platformio.ini"
ENVIRONMENTS = re.findall(r"^\[env:(\S+)\]", INI.read_text(), re.M)
#: Boards whose flash all kernels and the example's model do not share.
SMALL = ["microbit", "stm32vldiscovery"]


def network(loss, inputs="x", classes=3):
    nodes = [node("Gemm", "x w b", "y")]
    return compiled(
        make_model(nodes, {"w": values(1, 6, classes), "b": values(2, classes)}, {"x": ("N", 6)}), loss,
        optimizers.sgd(0.1) if loss else None, batch=2,
    )  # fmt: skip


def written(folder: Path, image: bytes) -> Path:
    path = folder / "model.mote"
    path.write_bytes(image)
    return path


def defines(project: Path) -> dict[str, str]:
    return dict(re.findall(r"#define (SENSOR_\w+) (\d+)", (project / "src" / "sensor.h").read_text()))


# ---- What is written


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_project_for_every_environment(tmp_path: Path, name: str) -> None:
    assert main(["new", str(tmp_path / "mine"), "--board", name]) == 0
    project = tmp_path / "mine"
    ini = (project / "platformio.ini").read_text()
    assert f"[env:{name}]" in ini and f"default_envs = {name}" in ini
    assert not re.search(r"\$\{(?!PROJECT_DIR\}/gradmote/)", ini), "an option that is nothing without firmware/"
    assert {path.name for path in tmp_path.iterdir()} == {"mine"}
    assert all((project / "gradmote" / part).exists() for part in PARTS)
    assert board(name).title in (project / "README.md").read_text()


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_board_without_room_for_all_kernels_gets_its_models_and_says_so(tmp_path: Path, name: str, caplog) -> None:
    project = create(tmp_path / "mine", name)
    flags = " ".join(needs_of(project / "model.mote").flags())
    alone = f"\nbuild_flags = {flags}\n" in (project / "platformio.ini").read_text()
    said = f"{name} has no room for all kernels: the project builds those of this model alone" in caplog.text
    described = "another's go into `build_flags`" in (project / "README.md").read_text()
    assert (alone, said, described) == (name in SMALL,) * 3


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    assert create(tmp_path, NAME) == tmp_path and (tmp_path / "src" / "my_model.h").exists()


@pytest.mark.parametrize(
    ("loss", "labels", "kind"),
    [(losses.cross_entropy(), "1", "int32_t"), (losses.mse(), "3", "float"), (None, "0", "float")],
    ids=["classifier", "regression", "inference"],
)
def test_the_sensor_is_as_large_as_the_model_asks(tmp_path: Path, loss, labels: str, kind: str) -> None:
    model = written(tmp_path, network(loss))
    project = create(tmp_path / "mine", NAME, model)
    assert defines(project) == {"SENSOR_VALUES": "6", "SENSOR_LABELS": labels}
    assert f"typedef {kind} sensor_label;" in (project / "src" / "sensor.h").read_text()
    assert (project / "model.mote").read_bytes() == model.read_bytes()


# ---- What is refused


def refused(tmp_path: Path, error: type[Exception], match: str, **arguments) -> None:
    target = tmp_path / "mine"
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(error, match=match):
        create(**{"folder": target, "board_name": NAME, **arguments})
    assert sorted(tmp_path.rglob("*")) == before, "something was written"


def test_a_folder_with_something_in_it(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("all of it")
    refused(tmp_path, DataError, "exists already, and is not empty - name a new folder")


def test_a_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("a file")
    refused(tmp_path, DataError, "exists already")


def test_a_board_that_is_none(tmp_path: Path) -> None:
    refused(tmp_path, DeviceError, "there is no board mps9.*boards are", board_name="mps9")


def test_a_model_that_does_not_fit(tmp_path: Path) -> None:
    model = written(tmp_path, network(losses.cross_entropy(), classes=5000))
    refused(tmp_path, ImageError, r"does not fit mps2-an386: it lacks [\d,]+ B of RAM - .*--ram", model=model)


def test_a_file_that_is_no_image(tmp_path: Path) -> None:
    refused(tmp_path, ImageError, "this is not an image - pass a .mote file", model=written(tmp_path, b"what?" * 100))


def test_a_model_that_wants_two_sensors(tmp_path: Path) -> None:
    two = make_model([node("Add", "x z", "y")], {}, {"x": ("N", 6), "z": ("N", 6)})
    model = written(tmp_path, compiled(two, None, None, batch=2))
    refused(tmp_path, ImageError, "f32 input 'x', f32 input 'z'.*one sensor.*application.c", model=model)


# ---- That it works


@pytest.mark.device
@pytest.mark.parametrize("name", [NAME, *SMALL])
def test_a_project_senses_learns_and_answers_the_console(tmp_path: Path, root: Path, pio: Pio, name: str) -> None:
    project = create(tmp_path / "mine", name)
    url = prepared(project)
    run = Pio(project, pio.core, project / ".pio")
    said = run("run", "-t", "upload")
    assert "warning" not in said
    compiled_from = (project / ".pio" / "build" / name / "firmware.elf").read_bytes()
    assert b"gradmote/runtime_c/kernels" in compiled_from and bytes(root) not in compiled_from
    try:
        with Client.connect(url) as client:
            reported = Typed(client)
            reported("sense", r"(-?\d+\.\d+ ){3}: largest is [012]\n")
            loss = reported("practise 200", r"200 batches: loss (\S+) -> (\S+)\n")
            assert float(loss[2]) < 0.1 < float(loss[1])
            reported("help", r"practise +learn from samples.*\n")
            reported("practise x", r"an argument is .*\n")
        trains_as_its_twin(url, (project / "model.mote").read_bytes())
    finally:
        run("run", "-t", "stop")


def trains_as_its_twin(url: str, image: bytes) -> None:
    """The model that the project was built with, driven from here."""
    x, y = values(7, 1, 30), np.array([1], np.int32)
    with BoardTarget(Client.connect(url)) as target, TwinTarget("strict") as twin:
        twin.load_image(image)
        assert target.info().model_id == twin.info().model_id
        target.reset()
        for one in (target, twin):
            one.write("input", 0, x)
            one.write("label", 0, y)
            one.run("step")
        assert target.state() == twin.state()


class Typed:
    """Types commands, and reads until what is said matches."""

    def __init__(self, client: Client) -> None:
        self.link, self.parser = client._link, Parser()

    def __call__(self, command: str, expected: str) -> re.Match[str]:
        self.link.write(command.encode() + b"\r")
        said = ""
        while not (found := re.search(expected, said)):
            data = self.link.read(20.0)
            assert data, f"{command}: {said}"
            text = (item for item in self.parser.feed(data) if isinstance(item, bytes))
            said += b"".join(text).decode().replace("\r", "")
        return found


def prepared(project: Path) -> str:
    """A free port for its serial line, and only its model's kernels, which is sooner compiled. Returns the port."""
    ini = with_free_ports((project / "platformio.ini").read_text())
    found = re.search(r"monitor_port = (\S+)", ini)
    flags = " ".join(needs_of(project / "model.mote").flags())
    (project / "platformio.ini").write_text(ini.replace(";build_flags =", f"build_flags = {flags}"))
    return found[1] if found else ""


def test_a_project_for_a_board_over_arduino(tmp_path: Path, pio: Pio) -> None:
    """Over what stands in for the board's core."""
    project = create(tmp_path / "mine", "pico")
    prepared(project)
    ini = project / "platformio.ini"
    stand_in = f"platform = symlink://{STAND_IN / 'platform'}\ncustom_core = rp2"
    ini.write_text(re.sub(r"(?m)^platform = .*$", stand_in, ini.read_text()))
    Pio(project, pio.core, project / ".pio")("run")
    program = project / ".pio" / "build" / "pico" / "firmware"
    with Running(program, tmp_path / "flash") as running, Client(running.link()) as client:
        loss = Typed(client)("practise 200", r"200 batches: loss (\S+) -> (\S+)\n")
        assert float(loss[2]) < 0.1 < float(loss[1])
        assert client.info().status == 0


def test_the_package_has_all_that_projects_are_made_of(root: Path, tmp_path: Path) -> None:
    """A wheel's contents are enough: nothing of the checkout is needed."""
    built = tmp_path / "built"
    subprocess.run([sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(built)], cwd=root, check=True)
    made = "import json, sys; from gradmote.cli import main; from gradmote.sources import parts;"
    made += "assert main(sys.argv[1:]) == 0; print(json.dumps(str(parts.origin())))"
    environment = {**os.environ, "PYTHONPATH": str(built), "GRADMOTE_BUILD": str(tmp_path / "build")}
    command = [sys.executable, "-c", made, "new", str(tmp_path / "mine"), "--board", NAME]
    said = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
    assert Path(json.loads(said.splitlines()[-1])).parent == tmp_path / "build" / "sources"
    here = create(tmp_path / "here", NAME)
    assert contents(tmp_path / "mine") == contents(here)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
