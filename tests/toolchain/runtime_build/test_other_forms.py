"""The runtime in one file, its C++ header, and the libraries for Arduino and PlatformIO."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gradmote
from amalgamate import cpp_header, one_header, one_source
from arduino import assemble
from runtime_sources import (
    CORTEX_M4_FLAGS,
    INCLUDES,
    NUMERICS_FLAGS,
    WARNING_FLAGS,
    extension_flags,
    host_profile_flags,
    runtime_sources,
)
from support.classifier_image import classifier_image
from support.objects import host_library, objects, run
from support.train_state import numbers_of_session

CPP_FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fno-exceptions", "-fno-rtti", "-O2"]
M0 = ["-mcpu=cortex-m0", "-mthumb"]
COMPILERS = {
    "gcc": ["gcc", *host_profile_flags("strict")],
    "clang": ["clang-14", *host_profile_flags("strict")],
    "cortex-m0": ["arm-none-eabi-gcc", *M0],
    "cortex-m4": ["arm-none-eabi-gcc", *CORTEX_M4_FLAGS],
}


def require(tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")


@pytest.fixture(scope="module")
def one_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what `scons amalgamate` writes, and nothing else."""
    folder = tmp_path_factory.mktemp("one_file")
    (folder / "gradmote.h").write_text(one_header())
    (folder / "gradmote.c").write_text(one_source())
    (folder / "gradmote.hpp").write_text(cpp_header())
    return folder


@pytest.mark.parametrize("name", COMPILERS)
@pytest.mark.parametrize(
    "selected",
    [[], ["-DGM_ONLY_SELECTED=1", "-DGM_WITH_GEMM=1"], ["-DGM_WITH_INT8=0"]],
    ids=["all", "one kernel", "not quantized"],
)
def test_one_file_compiles_without_a_warning(one_file: Path, name: str, selected: list[str]) -> None:
    compiler, *flags = COMPILERS[name]
    require(compiler)
    run([compiler, *flags, *NUMERICS_FLAGS, *WARNING_FLAGS, "-Os", *selected, "-c", str(one_file / "gradmote.c"), "-o",
         str(one_file / f"{name}.o")])  # fmt: skip


def test_one_file_has_the_functions_of_the_folder(one_file: Path) -> None:
    one, many = (exported(strict_runtime(form, one_file)) for form in ("one file", "folder"))
    assert one == {name for name in many if not name.startswith("gm_threads_")}


def strict_runtime(form: str, one_file: Path) -> Path:
    """The runtime for this computer, an object or a library."""
    if form == "one file":
        return objects(["gcc", *extension_flags("strict"), "-O0"], [one_file / "gradmote.c"])[0]
    return host_library("strict")


def exported(path: Path) -> set[str]:
    lines = run(["nm", "--defined-only", "--extern-only", str(path)]).splitlines()
    return {line.split()[-1] for line in lines if " " in line}  # others name the objects of a library


@pytest.mark.parametrize("form", ["folder", "one file"])
def test_cpp_trains_to_the_twins_bits(one_file: Path, tmp_path: Path, form: str) -> None:
    require("g++")
    includes = [f"-I{path}" for path in ([one_file] if form == "one file" else INCLUDES)]
    program, runtime = Path(__file__).with_name("session.cpp"), str(strict_runtime(form, one_file))
    flags = [*CPP_FLAGS, "-DGM_THREADS=1", "-pthread", *includes]
    run(["g++", *flags, str(program), runtime, "-o", str(tmp_path / "session")])
    (tmp_path / "model.mote").write_bytes(classifier_image())
    printed = run([str(tmp_path / "session"), str(tmp_path / "model.mote")])
    assert np.array(printed.split(), np.float32).tolist() == numbers_of_session("strict")


# ---- Libraries

ARDUINO_H = """#include <stddef.h>
#include <stdint.h>
struct Port {
    void begin(long) {}
    int read() { return -1; }
    template <typename T> void print(T) {}
    template <typename T> void println(T) {}
};
static Port Serial;
const int A0 = 14;
inline int analogRead(int) { return 512; }
inline void delay(unsigned long) {}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Arduino library."""
    folder = tmp_path_factory.mktemp("libraries") / "Gradmote"
    assemble(folder)
    return folder


def test_the_arduino_example_compiles_without_a_warning(library: Path, tmp_path: Path) -> None:
    require("arm-none-eabi-g++")
    example = library / "examples" / "LearnGesture"
    (tmp_path / "Arduino.h").write_text(ARDUINO_H)
    (tmp_path / "sketch.cpp").write_text("#include <Arduino.h>\n" + (example / "LearnGesture.ino").read_text())
    flags = [*CPP_FLAGS, *CORTEX_M4_FLAGS, f"-I{tmp_path}", f"-I{example}", f"-I{library / 'src'}"]
    run(["arm-none-eabi-g++", *flags, "-c", str(tmp_path / "sketch.cpp"), "-o", str(tmp_path / "sketch.o")])
    flags = [*WARNING_FLAGS, *CORTEX_M4_FLAGS, "-Os"]
    run(["arm-none-eabi-gcc", *flags, "-c", str(library / "src" / "gradmote.c"), "-o", str(tmp_path / "gradmote.o")])


def test_the_libraries_are_of_this_version(library: Path, root: Path) -> None:
    said = dict(line.split("=", 1) for line in (library / "library.properties").read_text().splitlines())
    assert said["version"] == gradmote.__version__ == json.loads((root / "library.json").read_text())["version"]
    assert (library / "examples" / "LearnGesture" / "model.h").exists() and (library / "LICENSE").exists()


def test_the_arduino_model_is_not_stale(root: Path) -> None:
    command = [sys.executable, "-c", "import make_model; print(make_model.text(), end='')"]
    made = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root / "arduino").stdout
    assert (root / "arduino" / "examples" / "LearnGesture" / "model.h").read_text() == made


def test_platformio_finds_sources_and_headers(root: Path, tmp_path: Path) -> None:
    """library.json alone leads it to them."""
    require("arm-none-eabi-gcc")
    build = json.loads((root / "library.json").read_text())["build"]
    folders = [entry.removeprefix("+<").removesuffix("/>") for entry in build["srcFilter"]]
    sources = sorted(path for folder in folders for path in (root / build["srcDir"] / folder).rglob("*.c"))
    assert sources == sorted(runtime_sources())
    flags = [*build["flags"], f"-I{root / build['includeDir']}", *CORTEX_M4_FLAGS]
    for path in sources[:: len(sources) // 8]:
        run(["arm-none-eabi-gcc", *flags, "-Os", "-c", str(path), "-o", str(tmp_path / "part.o")])


def test_the_cpp_header_for_a_board(tmp_path: Path) -> None:
    require("arm-none-eabi-g++")
    program = tmp_path / "main.cpp"
    program.write_text('#include "gradmote.hpp"\nint main() { gradmote::Session s; return s.infer().code(); }\n')
    run(["arm-none-eabi-g++", *CPP_FLAGS, *CORTEX_M4_FLAGS, *(f"-I{i}" for i in INCLUDES), "-c", str(program), "-o",
         str(tmp_path / "main.o")])  # fmt: skip
