"""The samples for Zephyr train to the twin's bits over a stand-in for it, keep checkpoints through cuts of power, and
name settings that exist; the module's files have the keys that Zephyr knows.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest
from bench.builds.cmake import GRADMOTE, HERE, ROOT

from gradmote import Session
from gradmote.project.c_sources import write_sources

SAMPLES = ROOT / "examples" / "zephyr"
STAND_IN = HERE / "zephyr"
NAMES = ("learn", "checkpoint")
BATCH, LEARNED, TESTED = 8, 160, 80
#: What a sample's CMakeLists.txt asks of gradmote_model().
MODEL = re.compile(r"gradmote_model\(app (\S+) (.*)\)")
FLAGS = ("-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fno-math-errno", "-DGM_FUSED=0")
#: The keys of zephyr/module.yml and of its part `build`, by scripts/zephyr_module.py of Zephyr 4.1.
KEYS = {"name", "build", "tests", "samples", "boards", "blobs", "security", "package-managers", "runners"}
BUILD_KEYS = {"cmake", "kconfig", "cmake-ext", "kconfig-ext", "sysbuild-cmake", "sysbuild-kconfig",
              "sysbuild-cmake-ext", "sysbuild-kconfig-ext", "depends", "settings"}  # fmt: skip


@pytest.fixture(scope="module")
def image(tmp_path_factory) -> Path:
    """The samples' model, compiled with their options."""
    asked = {MODEL.search((SAMPLES / name / "CMakeLists.txt").read_text()).groups() for name in NAMES}
    ((model, options),) = asked
    made = tmp_path_factory.mktemp("image") / "model.mote"
    subprocess.run([GRADMOTE, "compile", SAMPLES / NAMES[0] / model, "-o", made, *options.split()], check=True)
    return made


@pytest.fixture(scope="module")
def programs(image, tmp_path_factory) -> dict[str, Path]:
    """The samples for this computer, over the stand-in."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    folder = tmp_path_factory.mktemp("programs")
    source = write_sources(folder / "gradmote", [image])
    subprocess.run([GRADMOTE, "header", image, "-o", folder / "model.h"], check=True)
    compile_c(source / "gradmote.c", "-c", "-o", folder / "gradmote.o")
    return {name: program(name, source, folder) for name in NAMES}


def program(name: str, source: Path, folder: Path) -> Path:
    """Compile and link a sample as its CMakeLists.txt says."""
    words = re.search(r"target_sources\(app PRIVATE (.*)\)", (SAMPLES / name / "CMakeLists.txt").read_text())
    assert words is not None
    paths = [SAMPLES / name / word for word in words[1].split()]
    shell = [source / "zephyr" / "shell.c"] if name == "checkpoint" else []
    includes = [f"-I{path}" for path in (STAND_IN / "include", source, source / "zephyr", folder, SAMPLES / "digits")]
    objects = []
    for path in (*paths, *shell, STAND_IN / "stand_in.c"):
        objects.append(folder / f"{name}_{path.stem}.o")
        renamed = ["-Dmain=app_main"] if path.name == "main.c" else []
        compile_c(path, "-c", *includes, *renamed, "-o", objects[-1])
    compile_c(*objects, folder / "gradmote.o", "-lm", "-o", folder / name)
    return folder / name


def compile_c(*words: str | Path) -> None:
    done = subprocess.run(["gcc", *FLAGS, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def said(made: Path, folder: Path, typed: str = "", power_fails: int = 0) -> str:
    """Return what a program prints that has this folder's flash, and gets these commands."""
    done = subprocess.run([made], cwd=folder, input=typed, capture_output=True, text=True, check=False, timeout=60,
                          env={"POWER_FAILS": str(power_fails)})  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Twin:
    """A session that learns the samples' digits as they do."""

    def __init__(self, image: Path) -> None:
        rows = re.findall(r'"(\d)([a-q]{64})"', (SAMPLES / "digits" / "samples.h").read_text())
        self.x = np.array([[ord(pixel) - ord("a") for pixel in pixels] for _, pixels in rows], np.float32) / 16
        self.y = np.array([int(label) for label, _ in rows], np.int32)
        self.session = Session(image.read_bytes(), "strict")
        assert len(self.y) == LEARNED + TESTED

    def learn(self, epochs: int = 1) -> float:
        for first in (*range(0, LEARNED, BATCH),) * epochs:
            loss = self.session.step(self.x[first : first + BATCH], self.y[first : first + BATCH])
        return loss

    def right(self) -> int:
        right = 0
        for first in range(LEARNED, LEARNED + TESTED, BATCH):
            self.session.infer(self.x[first : first + BATCH])
            right += sum(self.session.classify(row)[0] == self.y[first + row] for row in range(BATCH))
        return right


def test_learn_has_the_twins_bits(programs, image, tmp_path):
    twin, lines = Twin(image), []
    for epoch in range(1, 11):
        lines.append(f"epoch {epoch}: loss {twin.learn():.3f}, {twin.right()} of {TESTED} right\n")
    lines.append(f"state {zlib.crc32(twin.session.state()):08x}\n")
    assert said(programs["learn"], tmp_path) == "".join(lines)
    assert twin.right() > 0.9 * TESTED


def test_a_checkpoint_goes_on_after_a_reset(programs, image, tmp_path):
    twin = Twin(image)
    for start in range(3):
        twin.learn()
        begun = f"continues after {20 * start} steps" if start else "no checkpoint: this is not a Gradmote file"
        assert said(programs["checkpoint"], tmp_path).splitlines() == [
            begun, f"kept after {20 * (start + 1)} steps: {twin.right()} of {TESTED} right"]  # fmt: skip


def test_the_commands_of_the_shell(programs, image, tmp_path):
    """step continues after what main() learned; load goes back to what main() kept."""
    twin = Twin(image)
    twin.learn()
    size = f"learning rate 0.2; a checkpoint has {len(twin.session.save())} bytes"
    losses = [twin.session.step(twin.x[8 * i : 8 * i + 8], twin.y[8 * i : 8 * i + 8]) for i in range(2)]
    typed = "gradmote info\ngradmote step 2\ngradmote load\ngradmote infer\ngradmote step many\n"
    lines = said(programs["checkpoint"], tmp_path, typed).splitlines()[2:]
    back = Twin(image)
    back.learn()
    back.session.infer(back.x[LEARNED : LEARNED + BATCH])
    classes = [back.session.classify(row) for row in range(BATCH)]
    assert lines == [
        f"20 steps, 0 refused, {size}",
        *(f"step {21 + i}: loss {loss:g}" for i, loss in enumerate(losses)),
        f"20 steps, 0 refused, {size}",
        *(f"row {row}: class {label}, score {score:g}" for row, (label, score) in enumerate(classes)),
        "many is not a number",
    ]


def test_save_survives_a_cut_of_power_in_each_operation(programs, tmp_path):
    """After the cut, the board continues from the last checkpoint or the one before it."""
    folder = tmp_path / "before"
    folder.mkdir()
    said(programs["checkpoint"], folder)
    seen = set()
    for operation in range(1, 100):
        cut = tmp_path / str(operation)
        shutil.copytree(folder, cut)
        if "no power" not in said(programs["checkpoint"], cut, power_fails=operation):
            break
        after = said(programs["checkpoint"], cut).splitlines()
        seen.add(after[0])
        assert after[1].startswith(f"kept after {int(after[0].split()[2]) + 20} steps")
    assert seen == {"continues after 20 steps", "continues after 40 steps"} and operation > 15


@pytest.mark.parametrize("name", NAMES)
def test_settings_are_options_and_take_effect(name, monkeypatch):
    kconfiglib = pytest.importorskip("kconfiglib")
    monkeypatch.setenv("COMPONENT", str(ROOT / "runtime_c"))
    for more in ([], sorted((SAMPLES / name / "boards").glob("*.conf"))):
        kconfig = kconfiglib.Kconfig(str(STAND_IN / "Kconfig"), warn_to_stderr=False)
        for path in (SAMPLES / name / "prj.conf", *more):
            kconfig.load_config(str(path), replace=False)
            assert kconfig.warnings == []
            for option, value in re.findall(r"^CONFIG_(\w+)=(.*)$", path.read_text(), re.MULTILINE):
                assert (option, kconfig.syms[option].str_value) == (option, value)
    assert kconfig.syms["GRADMOTE"].str_value == "y"


def test_a_shared_session_saves_the_registers_of_the_fpu(monkeypatch):
    """Two threads compute with floats."""
    kconfiglib = pytest.importorskip("kconfiglib")
    monkeypatch.setenv("COMPONENT", str(ROOT / "runtime_c"))
    kconfig = kconfiglib.Kconfig(str(STAND_IN / "Kconfig"))
    for option in ("GRADMOTE", "FPU", "SHELL"):
        kconfig.syms[option].set_value("y")
    assert kconfig.syms["FPU_SHARING"].str_value == "n"
    kconfig.syms["GRADMOTE_SHELL"].set_value("y")
    assert kconfig.syms["FPU_SHARING"].str_value == kconfig.syms["CBPRINTF_FP_SUPPORT"].str_value == "y"


@pytest.mark.parametrize("name", NAMES)
def test_twister_finds_what_a_sample_prints(name, programs, tmp_path):
    yaml = pytest.importorskip("yaml")
    told = yaml.safe_load((SAMPLES / name / "sample.yaml").read_text())
    assert told.keys() == {"sample", "common", "tests"} and told["common"]["harness"] == "console"
    (test,) = told["tests"].values()
    lines, found = said(programs[name], tmp_path).splitlines(), []
    for pattern in test["harness_config"]["regex"]:
        found.append(next(i for i, line in enumerate(lines) if re.search(pattern, line)))
    assert found == sorted(found)


@pytest.mark.parametrize("file", ["zephyr/module.yml", "runtime_c/zephyr/module.yml"])
def test_a_module_has_zephyrs_keys_and_files_that_exist(file):
    yaml = pytest.importorskip("yaml")
    root, told = (ROOT / file).parents[1], yaml.safe_load((ROOT / file).read_text())
    assert told.keys() <= KEYS and told["build"].keys() <= BUILD_KEYS
    assert (root / told["build"]["cmake"] / "CMakeLists.txt").is_file() and (root / told["build"]["kconfig"]).is_file()
    for folder in told.get("samples", []):
        assert {path.parent.name for path in (root / folder).rglob("sample.yaml")} == set(NAMES)


def test_the_guides_manifest_has_what_west_asks_for():
    yaml = pytest.importorskip("yaml")
    text = (ROOT / "docs" / "guides" / "zephyr.md").read_text()
    manifest = yaml.safe_load(re.search(r"```yaml\n(manifest:.*?)```", text, re.DOTALL)[1])["manifest"]
    projects = {project.pop("name"): project for project in manifest["projects"]}
    assert projects.keys() == {"zephyr", "gradmote"}
    for project in projects.values():
        assert {"url", "revision"} <= project.keys() <= {"url", "revision", "path", "import"}


def test_what_make_digits_wrote_is_current(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(SAMPLES))
    import make_digits

    assert (SAMPLES / "digits" / "samples.h").read_text() == make_digits.samples()
    assert (SAMPLES / "digits" / "model.onnx").read_bytes() == make_digits.network().SerializeToString()
