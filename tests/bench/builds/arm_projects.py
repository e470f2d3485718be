"""Builds the consumer for emulated Arm boards as two tools do: one for CMSIS-Packs, and STM32CubeIDE.

Neither is here. The first part reads the pack's description as such a tool does; the second has the flags of the
projects that CubeIDE makes, without -fcyclomatic-complexity, which only its own compiler knows.
"""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from bench.builds.cmake import CONSUMER, NUMERICS, ON_MPS2, Case, Row, call

from gradmote.project.cmsis_pack import DESCRIPTION

ON_AN505 = tuple("mps2-an505" if word == "mps2-an386" else word for word in ON_MPS2)
M4F = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")
M33 = ("-mcpu=cortex-m33", "-mthumb", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard")
OF_CUBEIDE = ("-std=gnu11", "-ffunction-sections", "-fdata-sections", "-Wall", "-fstack-usage", "--specs=nano.specs")
DEBUG, RELEASE = (*OF_CUBEIDE, "-g3", "-DDEBUG", "-O0"), (*OF_CUBEIDE, "-g0", "-Os")
GCC = "arm-none-eabi-gcc"

PACK = Row("CMSIS-Pack", "CMSIS-Pack", "", GCC, "fused", options=(*M4F, "-O2"), emulator=ON_MPS2)
ROWS = [
    PACK,
    Row("Cortex-M4F, Debug", "STM32CubeIDE", "", GCC, options=(*M4F, *DEBUG), emulator=ON_MPS2),
    Row("Cortex-M4F, Release", "STM32CubeIDE", "", GCC, options=(*M4F, *RELEASE), emulator=ON_MPS2),
    Row("Cortex-M33, Release", "STM32CubeIDE", "", GCC, options=(*M33, *RELEASE), emulator=ON_AN505),
]


def missing(row: Row) -> str:
    """Return a tool that this row lacks here, or ""."""
    return next((tool for tool in (row.compiler, row.emulator[0]) if shutil.which(tool) is None), "")


def build(row: Row, case: Case, folder: Path) -> Path:
    """Build the consumer in a folder and return its program."""
    source = case.source(row.source)
    if row.way == "CMSIS-Pack":
        return linked(row, folder, *added_by_pack(source, folder, row.profile))
    return linked(row, folder, [source / "gradmote.c"], [f"-I{source}"])


def added_by_pack(pack: Path, folder: Path, profile: str) -> tuple[list[Path], list[str]]:
    """Return the sources that an unpacked pack adds to a project, and the flags of these.

    Configuration files are copied into the project's folder, and the profile is chosen in the copy.
    """
    component = ElementTree.parse(pack / DESCRIPTION).find("components/component")
    assert component is not None
    files = {file.attrib["name"]: file.attrib for file in component.iter("file")}
    configuration = [name for name, of in files.items() if of.get("attr") == "config"]
    (folder / "before.h").write_text(f"{component.findtext('Pre_Include_Local_Component_h')}\n")
    flags = [f"-I{folder}", "-include", str(folder / "before.h")]
    flags += [f"-I{(pack / name).parent}" for name, of in files.items()
              if of["category"] == "header" and name not in configuration]  # fmt: skip
    for name in configuration:
        text = (pack / name).read_text()
        chosen = text.replace("GRADMOTE_PROFILE 0", f"GRADMOTE_PROFILE {1 + (profile == 'fused')}")
        assert chosen != text
        (folder / Path(name).name).write_text(chosen)
    return [pack / name for name, of in files.items() if of["category"] == "source"], flags


def linked(row: Row, folder: Path, sources: list[Path], flags: list[str]) -> Path:
    """Compile these sources with their flags, and link them with the consumer."""
    objects = [folder / f"{source.stem}.o" for source in sources]
    for source, made in zip(sources, objects, strict=True):
        call(row.compiler, *row.options, *flags, "-Werror", "-c", source, "-o", made)
    script = (CONSUMER / "mps2.ld").read_text()
    if row.emulator == ON_AN505:  # the addresses of its secure memory
        script = script.replace("0x00000000", "0x10000000").replace("0x20000000", "0x38000000")
    (folder / "board.ld").write_text(script)
    call(row.compiler, *row.options, *(flag for flag in flags if flag.startswith("-I")), NUMERICS / "train_state.c",
         CONSUMER / "mps2.c", *objects, "--specs=rdimon.specs", "-Wl,--gc-sections", f"-T{folder / 'board.ld'}",
         "-o", folder / "train_state")  # fmt: skip
    return folder / "train_state"
