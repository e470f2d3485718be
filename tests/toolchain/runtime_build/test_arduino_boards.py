"""Boards with a core of Arduino: all sources compile for their CPUs; on this computer, over a stand-in for the core,
the firmware answers, trains to its twin's bits and keeps what it learned. What the cores themselves do is not tested.
"""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from boards import FIRMWARE

from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.boards import board as known
from gradmote.device.client import Client
from gradmote.errors import DeviceError
from runtime_sources import WARNING_FLAGS, host_profile_flags, host_runs_fused
from support.arduino_board import BOARDS, HOST, Running, build_for_host, compile_runtime, compile_sources, run
from support.classifier_image import LABELS, PIXELS, classifier_image

HARD = ["-mthumb", "-mfloat-abi=hard"]
#: Core -> compiler and the flags with which the framework calls it. Debian has no compiler for Xtensa: another one of
#: 32 bits stands in.
CPUS = {
    "Cortex-M0+": ("arm-none-eabi-", ["-mcpu=cortex-m0plus", "-mthumb"]),
    "Cortex-M4F": ("arm-none-eabi-", ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", *HARD]),
    "Cortex-M7F": ("arm-none-eabi-", ["-mcpu=cortex-m7", "-mfpu=fpv5-d16", *HARD]),
    "Cortex-M33F": ("arm-none-eabi-", ["-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", *HARD]),
    "RISC-V RV32IMC": ("riscv64-unknown-elf-", ["-march=rv32imc", "-mabi=ilp32"]),
    "Xtensa LX7": ("riscv64-unknown-elf-", ["-march=rv32imc", "-mabi=ilp32"]),
}
#: Headers of a C library.
LIBRARY = {"arm-none-eabi-": [], "riscv64-unknown-elf-": ["--specs=picolibc.specs"]}
X = np.array(PIXELS, np.float32)
Y = np.array(LABELS, np.int32)


def train(target, steps: int) -> None:
    target.write("input", 0, X)
    target.write("label", 0, Y)
    for _ in range(steps):
        target.run("step")


@pytest.fixture(scope="module", params=BOARDS)
def name(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def runtimes() -> dict[str, Path]:
    """Profile -> object."""
    return {}


@pytest.fixture(scope="module")
def program(name: str, runtimes: dict[str, Path], tmp_path_factory) -> Path:
    """The firmware of a board for this computer."""
    profile = str(BOARDS[name].table["profile"])
    if profile == "fused" and not host_runs_fused():
        pytest.skip("this CPU has no fused multiply-add")
    if profile not in runtimes:
        folder = tmp_path_factory.mktemp(profile)
        runtimes[profile] = compile_runtime("gcc", [*host_profile_flags(profile), *HOST], folder)
    return build_for_host(BOARDS[name], runtimes[profile], tmp_path_factory.mktemp(name))


@pytest.fixture
def client(program: Path, tmp_path: Path):
    with Running(program, tmp_path / "flash") as running:
        link = running.link()
        yield Client(link)
        link.close()


def test_all_sources_compile_for_the_cpu(name: str, tmp_path: Path) -> None:
    board = BOARDS[name]
    compiler, flags = CPUS[board.table["core"]]
    if shutil.which(f"{compiler}g++") is None:
        pytest.skip(f"{compiler}g++ is not installed")
    flags = [*flags, *LIBRARY[compiler]]
    compile_sources(board, compiler, flags, tmp_path)
    if name == "esp32-c3":  # the runtime for the others: test_compilers.py
        compile_runtime(f"{compiler}gcc", [*flags, *WARNING_FLAGS], tmp_path)


def test_it_trains_to_its_twins_bits(name: str, client: Client) -> None:
    info = client.info()
    assert (info.name, info.profile) == (name, known(name).profile)
    board = BoardTarget(client)
    with TwinTarget(info.profile) as twin:
        for target in (board, twin):
            target.load_image(classifier_image())
            train(target, 5)
        assert board.state() == twin.state() and board.save() == twin.save()


def test_what_it_learned_outlives_restarts(client: Client) -> None:
    board = BoardTarget(client)
    board.load_image(classifier_image())
    for steps in (1, 2, 3):
        train(board, steps)
        kept, state = board.save(), board.state()
        train(board, 1)
        client.reboot()
        assert board.state() == state and client.read("CHECKPOINT") == kept
    board.reset()
    board.load(kept)
    assert board.state() == state


def test_memory_is_as_its_board_toml_says(name: str, client: Client) -> None:
    reported, found = client.mem(), known(name)
    assert (reported.ram, reported.static_ram, reported.arena_available) == (
        found.ram,
        found.static_ram,
        found.arena_available,
    )
    assert reported.stack_size == found.stack_size and 0 < reported.stack_used <= reported.stack_size
    assert client.raw_info["unique_id"] == 0x0123456789ABCDEF


def test_files_have_the_room_that_is_told(name: str, client: Client) -> None:
    memory = BOARDS[name].table["memory"]
    for message, size in (("IMAGE_BEGIN", memory["image"] + 1), ("CHECKPOINT_BEGIN", memory["checkpoint"] // 2)):
        client.load_image(classifier_image())
        with pytest.raises(DeviceError, match="TOO_LARGE"):
            client.request(message, size=size)
    client.request("IMAGE_BEGIN", size=memory["image"])


def test_the_arithmetic_that_the_core_of_the_pico_wraps_is_the_compilers_own(tmp_path: Path) -> None:
    """Link as the core does, but without its wrappers: only code that calls none of them links. The compiler's library,
    in __fixunssfsi(), calls three of them itself, with numbers for which the ROM gives the same results."""
    compiler, flags = CPUS["Cortex-M0+"]
    if shutil.which(f"{compiler}gcc") is None:
        pytest.skip(f"{compiler}gcc is not installed")
    symbols = BOARDS["pico"].folder / BOARDS["pico"].table["redefined_symbols"]
    wrapped = [line.split()[0] for line in symbols.read_text().splitlines()]
    runtime = compile_runtime(f"{compiler}gcc", [*flags, "-O1"], tmp_path)
    stubs = [f"-Wl,--defsym=__wrap___aeabi_{name}=0" for name in ("fcmpge", "fsub", "f2iz")]
    link = [f"{compiler}gcc", *flags, "--specs=nosys.specs", "-nostartfiles", "-Wl,-e,gm_run", *stubs]
    link += [*(f"-Wl,--wrap={name}" for name in wrapped), runtime, "-o", tmp_path / "firmware.elf"]
    with pytest.raises(AssertionError, match="undefined reference to `__wrap___aeabi_fadd'"):
        run(link)
    run([f"{compiler}objcopy", f"--redefine-syms={symbols}", runtime])
    run(link)
    named = subprocess.run([f"{compiler}nm", "-u", runtime], capture_output=True, text=True, check=True).stdout.split()
    assert not set(wrapped) & set(named) and "__real___aeabi_fsub" in named


def test_the_partition_table_has_the_sizes_of_the_boards() -> None:
    lines = (FIRMWARE / "boards" / "arduino" / "partitions.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines if not line.startswith("#")]
    table = {name.strip(): (int(start, 0), int(size, 0)) for name, _, _, start, size in rows}
    for name in ("esp32-s3", "esp32-c3"):
        for part, area in (("app0", "flash"), ("image", "image"), ("checkpoint", "checkpoint")):
            assert table[part][1] == BOARDS[name].table["memory"][area]
    places = sorted(table.values())
    assert all(start + size <= following for (start, size), (following, _) in itertools.pairwise(places))
    assert sum(places[-1]) <= 4 << 20
