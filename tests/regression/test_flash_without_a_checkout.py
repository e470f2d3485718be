"""`gradmote flash` and `--on qemu:BOARD` of an installed gradmote said that there are no firmware sources, though the
wheel has them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from boards import BUILD
from monocypher import fetch_monocypher

from gradmote import cli
from gradmote.device import emulated_firmware, emulator
from gradmote.device.flash import build, from_sources
from gradmote.device.toolchains import find, system_packages
from gradmote.device.toolchains.find import toolchain_for
from gradmote.device.toolchains.gnu import GnuToolchain
from gradmote.errors import DeviceError
from gradmote.project.example import AXES, CLASSES, SAMPLES, example_image
from gradmote.sources import parts as sources

ROOT = Path(__file__).resolve().parents[2]
BOARD = "mps2-an386"


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The sources as a wheel has them, and no checkout. Returns their folder."""
    folder = tmp_path / "sources"
    sources.copy_sources(folder, (*sources.PARTS, *sources.FOR_FIRMWARE))
    monkeypatch.setattr(sources, "origin", lambda: folder)
    monkeypatch.setattr(from_sources, "origin", lambda: folder)
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setenv("GRADMOTE_BUILD", str(tmp_path / "build"))
    kept = taken_modules()
    yield folder
    taken_modules()
    sys.modules.update(kept)


def taken_modules() -> dict[str, ModuleType]:
    """Remove the modules of site_scons, so that they are read again, and return those that were loaded, by name."""
    sources.build_module.cache_clear()
    names = {path.stem for path in (ROOT / "site_scons").iterdir()}
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in names}


@pytest.mark.device
@pytest.mark.parametrize(("board", "signed"), [(BOARD, True), ("microbit", False)])
def test_the_package_has_all_that_a_build_reads(packaged: Path, board: str, signed: bool, tmp_path: Path) -> None:
    """The preprocessor lists the files that the sources include."""
    assert cli.main(["keygen", str(tmp_path / "key.pem")]) == 0
    from_sources.require_compiler(board)
    if signed:
        fetched = fetch_monocypher(BUILD)
        shutil.copytree(fetched, tmp_path / "build" / fetched.name)
    found = from_sources._demanding(from_sources.board_of(board), tmp_path / "key.pub.pem" if signed else None)
    steps = from_sources._steps(toolchain_for(found), [])
    flags = {step.flags for step in steps}
    for shared in flags:
        names = [step.source for step in steps if step.flags == shared]
        command = [f"{found.compiler}gcc", "-MM", "-MG", *shared, *names]
        asked = subprocess.run(command, cwd=packaged, capture_output=True, text=True, check=True).stdout
        read = [word for word in asked.replace("\\\n", " ").split() if not word.endswith(":")]
        assert read and all((packaged / word).resolve().is_relative_to(tmp_path.resolve()) for word in read)
        assert all((packaged / word).is_file() for word in read)
    assert any("monocypher" in step.source for step in steps) == signed


def test_a_missing_compiler_is_told_with_what_installs_it(
    packaged: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda program, **more: None)
    monkeypatch.setattr(find, "zig_toolchain", lambda board: None)
    monkeypatch.setattr(system_packages, "manager", lambda: "apt-get")
    monkeypatch.setenv("PLATFORMIO_CORE_DIR", "nowhere")
    assert cli.main(["flash", "--board", BOARD]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 3 and said[1].startswith("error: arm-none-eabi-gcc with its C library, which compiles")
    assert "apt-get install gcc-arm-none-eabi" in said[2]
    monkeypatch.setattr(emulator, "emulator_command", lambda board: ["true"])
    assert "arm-none-eabi-gcc" in emulator.missing(BOARD)
    with pytest.raises(DeviceError, match="arm-none-eabi-gcc"):
        emulator.Emulator(BOARD)


def test_what_is_built_is_not_built_again(packaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until something of it changes."""
    built = []
    monkeypatch.setattr(from_sources, "toolchain_for", lambda board: GnuToolchain(board, "gcc"))
    monkeypatch.setattr(GnuToolchain, "version", lambda self: "gcc 1")
    monkeypatch.setattr(from_sources, "_built", lambda board, kernels, tell: built.append(kernels) or (b"elf", {}))
    folders = {from_sources.build(BOARD, None, None) for _ in range(2)}
    assert len(built) == 1 and [elf.read_bytes() for elf in folders] == [b"elf"]
    folders.add(from_sources.build(BOARD, example_image(), None))
    assert len(built) == 2 and built[1]
    (packaged / "firmware" / "src" / "main.c").write_text("changed")
    folders.add(from_sources.build(BOARD, example_image(), None))
    assert len(built) == 3 == len(folders)
    monkeypatch.setattr(from_sources, "_KEPT", 2)
    from_sources.build(BOARD, example_image(), None)
    assert sorted(elf.is_file() for elf in folders) == [False, True, True]


@pytest.mark.device
@pytest.mark.slow
@pytest.mark.skipif("GRADMOTE_WHEEL" not in os.environ, reason="takes minutes: set GRADMOTE_WHEEL=1")
def test_an_installed_wheel_flashes_and_trains(tmp_path: Path) -> None:
    """It does so in a folder outside the checkout, and in one inside it."""
    pip = [sys.executable, "-m", "pip", "--quiet"]
    wheel = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(ROOT)]
    subprocess.run(wheel, check=True)
    (built,) = tmp_path.glob("*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", str(tmp_path / "site"), str(built)], check=True)
    (tmp_path / "model.mote").write_bytes(example_image())
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, AXES * SAMPLES)).astype(np.float32)
    np.savez(tmp_path / "data.npz", x=x, y=rng.integers(0, CLASSES, 20))
    flash = ["flash", "--board", BOARD, str(tmp_path / "model.mote"), "--json"]
    assert json.loads(run_installed(tmp_path, tmp_path, *flash))["image"] == len(example_image())
    assert json.loads(run_installed(tmp_path, ROOT, *flash))["board"] == BOARD
    run_installed(tmp_path, tmp_path, "flash", "--stop", BOARD)
    train = ["train", str(tmp_path / "model.mote"), "--data", str(tmp_path / "data.npz"), "--json"]
    kept = [run_training(tmp_path, train, on) for on in (f"qemu:{BOARD}", "twin:strict")]
    assert kept[0] == kept[1]


def run_training(folder: Path, train: list[str], on: str) -> bytes:
    run_installed(folder, folder, *train, "--on", on, "--checkpoint", "learned.gmck")
    return (folder / "learned.gmck").read_bytes()


def run_installed(folder: Path, cwd: Path, *arguments: str) -> str:
    main = "import sys; from gradmote.cli import main; sys.exit(main())"
    environment = {"PYTHONPATH": str(folder / "site"), "GRADMOTE_BUILD": str(folder / "build"), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-c", main, *arguments]
    return subprocess.run(
        command, cwd=cwd, env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def test_firmware_of_a_build_that_is_named_is_used(packaged: Path, tmp_path: Path) -> None:
    """GRADMOTE_BUILD may be the build folder of a checkout; nothing of it is overwritten."""
    there = emulated_firmware.default_firmware(BOARD)
    there.parent.mkdir(parents=True)
    there.write_bytes(b"built by scons")
    assert emulated_firmware.firmware_for(BOARD) == there
    assert there.read_bytes() == b"built by scons"
