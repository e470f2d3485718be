"""The runtime in one file, and its C++ header."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from amalgamate import header, source

from gradmote_runtime import Session
from runtime_sources import (
    CORTEX_M4_FLAGS,
    INCLUDES,
    NUMERICS_FLAGS,
    WARNING_FLAGS,
    host_profile_flags,
    runtime_sources,
)
from support.classifier_image import LABELS, PIXELS, classifier_image

CPP_FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fno-exceptions", "-fno-rtti", "-O2"]
M0 = ["-mcpu=cortex-m0", "-mthumb"]
COMPILERS = {
    "gcc": ["gcc", *host_profile_flags("strict")],
    "clang": ["clang-14", *host_profile_flags("strict")],
    "cortex-m0": ["arm-none-eabi-gcc", *M0],
    "cortex-m4": ["arm-none-eabi-gcc", *CORTEX_M4_FLAGS],
}


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return done.stdout


def require(tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")


@pytest.fixture(scope="module")
def one_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with gradmote.h and gradmote.c, and nothing else."""
    folder = tmp_path_factory.mktemp("one_file")
    (folder / "gradmote.h").write_text(header())
    (folder / "gradmote.c").write_text(source())
    return folder


@pytest.mark.parametrize("name", COMPILERS)
@pytest.mark.parametrize("selected", [[], ["-DGM_ONLY_SELECTED=1", "-DGM_WITH_GEMM=1"]], ids=["all", "one kernel"])
def test_one_file_compiles_without_a_warning(one_file: Path, name: str, selected: list[str]) -> None:
    compiler, *flags = COMPILERS[name]
    require(compiler)
    run([compiler, *flags, *NUMERICS_FLAGS, *WARNING_FLAGS, "-Os", *selected, "-c", str(one_file / "gradmote.c"), "-o",
         str(one_file / f"{name}.o")])  # fmt: skip


def test_one_file_has_the_functions_of_the_folder(one_file: Path, tmp_path: Path) -> None:
    flags = ["gcc", *host_profile_flags("strict"), *NUMERICS_FLAGS, "-O1", "-c"]
    run([*flags, str(one_file / "gradmote.c"), "-o", str(tmp_path / "one.o")])
    (tmp_path / "many").mkdir()
    for path in runtime_sources():
        run([*flags, *(f"-I{i}" for i in INCLUDES), str(path), "-o", str(tmp_path / "many" / f"{path.stem}.o")])
    assert exported(tmp_path / "one.o") == set().union(*map(exported, (tmp_path / "many").glob("*.o")))


def exported(path: Path) -> set[str]:
    lines = run(["nm", "--defined-only", "--extern-only", str(path)]).splitlines()
    return {line.split()[-1] for line in lines if line}


@pytest.mark.parametrize("form", ["folder", "one file"])
def test_cpp_trains_to_the_twins_bits(one_file: Path, tmp_path: Path, form: str) -> None:
    require("g++")
    includes = [f"-I{one_file}"] if form == "one file" else []
    includes += [f"-I{path}" for path in INCLUDES]
    sources = [one_file / "gradmote.c"] if form == "one file" else runtime_sources()
    objects = []
    for path in sources:
        objects.append(str(tmp_path / f"{path.stem}.o"))
        flags = [*host_profile_flags("strict"), *NUMERICS_FLAGS, "-O1", *includes]
        run(["gcc", *flags, "-c", str(path), "-o", objects[-1]])
    program = Path(__file__).with_name("session.cpp")
    run(["g++", *CPP_FLAGS, *includes, str(program), *objects, "-o", str(tmp_path / "session")])
    (tmp_path / "model.mote").write_bytes(classifier_image())
    printed = run([str(tmp_path / "session"), str(tmp_path / "model.mote")])
    twin = Session(classifier_image(), "strict")
    losses = [twin.step(PIXELS, LABELS) for _ in range(3)]
    expected = [*losses, *np.array(twin.infer(PIXELS)[0]).ravel()]
    assert np.array([float(v) for v in printed.split()], np.float32).tolist() == np.float32(expected).tolist()


def test_the_cpp_header_for_a_board(tmp_path: Path) -> None:
    require("arm-none-eabi-g++")
    program = tmp_path / "main.cpp"
    program.write_text('#include "gradmote.hpp"\nint main() { gradmote::Session s; return s.infer().code(); }\n')
    run(["arm-none-eabi-g++", *CPP_FLAGS, *CORTEX_M4_FLAGS, *(f"-I{i}" for i in INCLUDES), "-c", str(program), "-o",
         str(tmp_path / "main.o")])  # fmt: skip
