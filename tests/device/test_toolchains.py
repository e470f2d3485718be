"""Firmware is built by whichever compiler is there: GCC on PATH, PlatformIO's GCC of any age, ziglang's clang."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from boards import BUILD

from gradmote.device.boards import board as known
from gradmote.device.emulated_target import emulated_board
from gradmote.device.emulator import missing
from gradmote.device.flash import from_sources
from gradmote.device.toolchains import find, system_packages
from gradmote.device.toolchains.zig import ZigToolchain
from gradmote.device.twin_target import TwinTarget
from gradmote.errors import DeviceError
from gradmote.project.example import AXES, CLASSES, SAMPLES, example_image

CACHES = ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")
TOOLS = ("gcc", "ld", "nm", "objdump")
#: Boards with different options for clang: no unit for floats, one of each kind, Helium, and RISC-V. .ci/nightly tests
#: all of them.
FOR_CLANG = ("mps2-an386", "riscv-virt", *(("microbit", "mps3-an547") if "GRADMOTE_CLANG" in os.environ else ()))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for builds, with a space in its name. PlatformIO has no packages."""
    monkeypatch.setenv("GRADMOTE_BUILD", str(tmp_path / "built here"))
    monkeypatch.setenv("PLATFORMIO_CORE_DIR", str(tmp_path / "core"))
    return tmp_path


def needs_gcc() -> None:
    if not from_sources.has_gcc("microbit"):
        pytest.skip("arm-none-eabi-gcc is missing - ./run setup installs it")


def packages_of_platformio(core: Path) -> Path:
    """Make a package of PlatformIO of the compiler on PATH, and return its folder of programs."""
    folder = core / "packages" / "toolchain-gccarmnoneeabi@1.90301.0" / "bin"
    folder.mkdir(parents=True)
    for tool in TOOLS:
        (folder / f"arm-none-eabi-{tool}").symlink_to(shutil.which(f"arm-none-eabi-{tool}") or "")
    return folder


def hide_gcc(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Leave on PATH what a C compiler calls, and no compiler for boards."""
    folder.mkdir()
    for name in ("sh", "as", "ld"):
        (folder / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(folder))


def footprint_of(elf: Path) -> dict[str, object]:
    found = json.loads(elf.with_name("footprint.json").read_text())
    assert isinstance(found, dict)
    return found


@pytest.mark.toolchain
def test_platformios_compiler_builds_the_same(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_gcc()
    image = example_image()
    by_path = from_sources.build("microbit", image, None)
    packages_of_platformio(place / "core")
    hide_gcc(monkeypatch, place / "bin")
    by_platformio = from_sources.build("microbit", image, None)
    assert by_platformio.read_bytes() == by_path.read_bytes()
    assert footprint_of(by_platformio) == footprint_of(by_path)


@pytest.mark.toolchain
def test_a_compiler_before_call_graphs(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PlatformIO's default is GCC 9, which ends with status 1 at options that came later."""
    needs_gcc()
    folder = packages_of_platformio(place / "core")
    for tool, refused, answer in (("gcc", "-fcallgraph-info=su", "9.3.1"), ("ld", "rwx-segments", "")):
        program = folder / f"arm-none-eabi-{tool}"
        real = program.resolve()
        program.unlink()
        lines = [
            "#!/bin/sh",
            f'case "$*" in *{refused}*) exit 1;; --help) exit 0;; -dumpfull*) echo {answer}; exit;; esac',
        ]
        program.write_text("\n".join([*lines, f'exec {real} "$@"', ""]))
        program.chmod(0o755)
    hide_gcc(monkeypatch, place / "bin")
    found = footprint_of(from_sources.build("microbit", example_image(), None))
    assert found["stack_bound"] == found["stack_size"] and found["stack_way"] == []


@pytest.mark.toolchain
@pytest.mark.parametrize("name", FOR_CLANG)
def test_ziglangs_clang_builds_boards_with_the_bits_of_the_twin(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("ziglang", reason="pip install ziglang")
    monkeypatch.setattr(find, "gnu_toolchain", lambda *arguments: None)
    cache = str(BUILD / "zig")  # what clang keeps there is found by content: a second run takes a second
    monkeypatch.setattr(ZigToolchain, "environment", lambda self: dict.fromkeys(CACHES, cache))
    image = example_image()
    elf = from_sources.build(name, image, None)
    assert "does not report how much stack" in caplog.text
    found = footprint_of(elf)
    code, image_area = found["code"], known(name).image_area
    assert isinstance(code, int) and 10_000 < code < 70_000 and image_area > 0
    if missing(name, elf):
        pytest.skip(missing(name, elf))
    with emulated_board(name, elf) as board, TwinTarget(board.info().profile) as twin:
        states = [state_after_training(target, image) for target in (board, twin)]
        assert states[0] == states[1]
        assert board.mem().code == code


def state_after_training(target: object, image: bytes) -> bytes:
    rng = np.random.default_rng(0)
    target.load_image(image)
    for _ in range(8):
        target.write("input", 0, rng.normal(size=(1, AXES * SAMPLES)).astype(np.float32))
        target.write("label", 0, rng.integers(0, CLASSES, 1).astype(np.int32))
        target.run("step")
    return bytes(target.state())


@pytest.mark.parametrize(
    ("manager", "compiler", "emulator"),
    [
        ("apt-get", "apt-get install gcc-arm-none-eabi", "apt-get install qemu-system-arm"),
        ("brew", "brew install --cask gcc-arm-embedded", "brew install qemu"),
        ("winget", "winget install Arm.GnuArmEmbeddedToolchain", "winget install SoftwareFreedomConservancy.QEMU"),
    ],
)
def test_what_is_missing_is_told_with_the_command_of_this_system(
    monkeypatch: pytest.MonkeyPatch, place: Path, manager: str, compiler: str, emulator: str
) -> None:
    monkeypatch.setattr(system_packages, "manager", lambda: manager)
    monkeypatch.setattr(find, "zig_toolchain", lambda board: None)
    monkeypatch.setenv("PATH", str(place))
    with pytest.raises(DeviceError) as reported:
        from_sources.build("microbit", None, None)
    assert compiler in reported.value.hint and "pip install ziglang" in reported.value.hint
    assert emulator in missing("microbit") and "\n" not in str(reported.value)


def test_the_system_is_known_by_its_package_manager(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for system, program in (("win32", ""), ("darwin", ""), ("linux", "dnf"), ("linux", "pacman"), ("linux", "")):
        monkeypatch.setattr(sys, "platform", system)
        monkeypatch.setattr(
            system_packages.shutil, "which", lambda name, wanted=program: name if name == wanted else None
        )
        found.append(system_packages.manager())
    assert found == ["winget", "brew", "dnf", "pacman", "apt-get"]


def test_every_program_has_a_command_on_debian() -> None:
    assert all(ways["apt-get"].startswith("apt-get install ") for ways in system_packages.INSTALLS.values())
    assert "(on Debian and Ubuntu)" not in system_packages.how_to_install("qemu-system-arm") or os.name == "nt"
