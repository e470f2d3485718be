"""The structs of the public headers are the same whatever gm_config.h sets: a caller that was built with other options
than the library hands over structs of its own size."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from gradmote import optimizers
from runtime_sources import CORTEX_M4_FLAGS, INCLUDES, RUNTIME
from support import digits, train_state
from support.objects import host_library, run

HEADER = RUNTIME / "include" / "gradmote.h"
COMPILERS = {
    "gcc": ["gcc"],
    "gcc -m32": ["gcc", "-m32"],
    "clang": ["clang-14"],
    "cortex-m4": ["arm-none-eabi-gcc", *CORTEX_M4_FLAGS],
}


def options() -> list[str]:
    """Every option of gm_config.h that turns something on or off."""
    text = (RUNTIME / "include" / "gm_config.h").read_text()
    return sorted(set(re.findall(r"#ifndef (GM_\w+)", text)) - {"GM_CONFIG_H", "GM_MAX_WORK"})


def structs() -> list[str]:
    return re.findall(r"^typedef struct (\w+) \{", HEADER.read_text(), re.MULTILINE)


def layout(command: list[str], folder: Path) -> dict[str, str]:
    """Return the size of each struct, and of its alignment, in hexadecimal, by a name of its own."""
    source, made = folder / "sizes.c", folder / "sizes.o"
    lines = [f"char size_of_{name}[sizeof({name})]; struct a_{name} {{ char c; {name} s; }};\n"
             f"char place_of_{name}[offsetof(struct a_{name}, s)];" for name in structs()]  # fmt: skip
    source.write_text("\n".join(['#include "gradmote.h"', *lines]))
    run([*command, "-std=c99", "-fno-common", *(f"-I{path}" for path in INCLUDES), "-c", str(source), "-o", str(made)])
    found = [line.split() for line in run(["nm", "-S", str(made)]).splitlines()]
    return {line[3]: line[1] for line in found if len(line) == 4}


@pytest.mark.parametrize("name", COMPILERS)
def test_sizes_do_not_depend_on_options(name: str, tmp_path: Path) -> None:
    command = COMPILERS[name]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    usual = layout(command, tmp_path)
    assert len(usual) == 2 * len(structs()) > 10
    others = [option for option in options() if option != "GM_FUSED"]
    singles = [[option] for option in others] if name == "gcc" else []
    for turned in [*singles, others]:
        for value in (0, 1):
            assert layout([*command, *(f"-D{option}={value}" for option in turned)], tmp_path) == usual, turned


def test_a_caller_with_other_options_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Link a caller that leaves out what it can with a library that has everything: the bits are the twin's."""
    flags = ["-DGM_ONLY_SELECTED=1", "-DGM_TRAINING=0", "-fsanitize=address", *(f"-I{path}" for path in INCLUDES)]
    made = tmp_path / "train_state"
    run(["gcc", *flags, str(train_state.SOURCE), str(host_library("strict")), "-pthread", "-o", str(made)])
    image, data = digits.image(optimizers.adamw(), 8), digits.batches(8, 20)
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")  # the program leaves that to its end
    printed = train_state.said_by([made, *train_state.write_case(tmp_path, image, data)])
    assert printed == train_state.said_by_twin(image, data, "strict")
