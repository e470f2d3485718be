"""Report what firmware needs of its board, without the model: fixed buffers, the stack's bound, code.

`gradmote analyze` shows it.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from boards import Board, boards, read_board
from stack_bound import Way, stack_bound

from runtime_sources import ROOT

BOARDS = ROOT / "host_tools" / "gradmote" / "device" / "boards.json"
#: Part of the code -> what the paths of its objects contain.
PARTS = {"kernels": "/runtime/kernels/", "runtime": "/runtime/", "console": "/src/", "console's tables": "/generated/",
         "board": "/boards/", "signature": "/signature/", "Monocypher": "/monocypher/"}  # fmt: skip
#: (bytes, object) of an input section in flash.
PLACED = re.compile(r"^ \.(?:vectors|interrupts|text|rodata|data)\S*\s+0x\w+\s+(0x\w+) (\S+\.o\)?)$", re.M)
ENTRY = "reset_handler"


def write_footprint(target: list[Any], source: list[Any], env: Any) -> None:
    """Write footprint.json: an action of SCons. source: board.toml, the firmware, all its objects."""
    metadata, elf, *objects = [Path(str(node)) for node in source]
    found = footprint(read_board(metadata), elf, objects)
    require_stack(found)
    Path(str(target[0])).write_text(json.dumps(found, indent=1) + "\n")


def require_stack(found: dict[str, Any]) -> None:
    """Raise RuntimeError if the firmware can use more stack than is reserved for it."""
    bound, size, name = found["stack_bound"], found["stack_size"], found["name"]
    if bound > size:
        way = " -> ".join(found["stack_way"])
        raise RuntimeError(f"{name}: the stack can take {bound} bytes, {size} are set aside, [memory] stack: {way}")


def write_boards(target: list[Any], source: list[Any], env: Any) -> None:
    """Write the package's boards.json: an action of SCons.

    source: the footprint.json of every board that has a compiler here. The entries of the others stay.
    """
    found = {board["name"]: board for board in (json.loads(Path(str(node)).read_text()) for node in source)}
    known = {**json.loads(BOARDS.read_text()), **found}
    known |= {board.name: estimate(board, known) for board in boards() if board.framework}
    kept = {board.name: known[board.name] for board in boards() if board.name in known}
    BOARDS.write_text(json.dumps(kept, indent=1) + "\n")


def footprint(board: Board, elf: Path, objects: list[Path]) -> dict[str, Any]:
    """Return sizes in bytes, in the form of gradmote.report.analyze.boards.Board."""
    way = stack_bound(board.compiler, elf, objects, ENTRY, stacked_by_processor(board))
    return measured(board, symbols_of(board.compiler, elf), code_parts(elf.with_suffix(".map")), way)


def measured(
    board: Board, symbols: dict[str, tuple[int, int]], parts: dict[str, int], way: Way | None
) -> dict[str, Any]:
    """Return footprint() of firmware with these symbols and parts of code.

    way: None if the compiler does not report stack use, which then counts as all of the reserved stack.
    """
    at = {name: address for name, (address, _) in symbols.items()}
    static = range(at["__static_start"], at["__static_end"])
    buffers = {name: size for name, (address, size) in symbols.items() if address in static and size}
    code, stack = at["__code_end"] - at["__code_start"], at["__stack_top"] - at["__stack_bottom"]
    bound, names = way or (stack, [])
    return {
        **described(board),
        "measured": True,
        "ram": at["__arena_end"] - at["__stack_bottom"],
        "stack_size": stack,
        "stack_bound": bound,
        "stack_way": [name.rpartition(":")[2].partition(".")[0] for name in names],
        "buffers": {**buffers, "alignment": len(static) - sum(buffers.values())},
        "code": code,
        "code_parts": {**parts, "alignment": code - sum(parts.values())},
        "image_address": at["__files_start"],
    }


def described(board: Board) -> dict[str, Any]:
    """Return the entries of board.toml that do not depend on who builds the firmware."""
    table, memory = board.table, board.table["memory"]
    return {
        "name": board.name,
        "title": table["title"],
        "core": table["core"],
        "profile": table["profile"],
        "clock": table["clock"],
        "emulator": table.get("emulator", []),
        "usb": table.get("usb", []),
        "upload": {**table.get("upload", {}), **({"platformio": board.name} if board.framework else {})},
        "flash": memory["flash"],
        "image_area": memory["image"],
        "checkpoint_area": memory["checkpoint"],
        "flash_is_emulated": table.get("flash_is_emulated", True),
    }


def estimate(board: Board, measured: dict[str, Any]) -> dict[str, Any]:
    """Estimate footprint() of a board that PlatformIO's framework builds.

    The arena is that of board.toml. The code is taken from a board with such a core, plus the framework's. measured:
    name -> footprint().
    """
    memory, guess = board.table["memory"], board.table["estimate"]
    like = measured[guess["firmware_like"]]["code_parts"]
    parts = {**like, "board": 0, "framework": guess["core_code"]}
    return {
        **described(board),
        "measured": False,
        "ram": memory["ram"],
        "stack_size": memory["stack"],
        "stack_bound": memory["stack"],
        "stack_way": [],
        "buffers": {"firmware, framework and heap": memory["ram"] - memory["arena"] - memory["stack"]},
        "code": sum(parts.values()),
        "code_parts": parts,
        "image_address": board.table.get("origin", {}).get("files", 0),
    }


def stacked_by_processor(board: Board) -> int:
    """Return the bytes that an interrupt stacks.

    A Cortex-M saves 8 words, and 18 of the FPU if it has one, at a multiple of 8.
    """
    if "-mthumb" not in board.table["cpu_flags"]:
        return 0
    return 4 * (8 + 18 * ("-mfloat-abi=hard" in board.table["cpu_flags"]) + 1)


def symbols_of(compiler: str, elf: Path) -> dict[str, tuple[int, int]]:
    """Return name -> (address, bytes, or 0 for a label), largest first."""
    output = subprocess.run([f"{compiler}nm", "-S", elf], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in output.splitlines()]
    found = {row[-1]: (int(row[0], 16), int(row[1], 16) if len(row) == 4 else 0) for row in rows}
    return dict(sorted(found.items(), key=lambda item: -item[1][1]))


def code_parts(linked: Path) -> dict[str, int]:
    """Return the bytes of code, constants and initial values in flash of each part. linked: the linker's map."""
    found = dict.fromkeys((*PARTS, "C library"), 0)
    _, _, placed = linked.read_text().partition("Linker script and memory map")
    for size, origin in PLACED.findall(placed):
        name = next((part for part, folder in PARTS.items() if folder in origin), "C library")
        found[name] += int(size, 16)
    return {name: size for name, size in found.items() if size}
