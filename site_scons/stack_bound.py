"""Bound the stack that firmware can use: find the deepest path through its call graph.

Frames and calls are the compiler's (-fcallgraph-info=su), in one .ci file per object. For calls through a pointer, the
compiler does not report the target: REACHED names the candidates; otherwise they are the functions of the same file
that nothing calls by name. Library functions have no .ci file: their frames and calls are read from the machine code,
of Arm or RISC-V.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory

NODE = re.compile(r'node: \{ title: "([^"]+)" label: "[^"]*\\n(\S+?):\d+:\d+\\n(\d+) bytes \((\w+)\)')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
POINTER = "__indirect_call"
#: objdump's lines after the last instruction of a function.
PADDING = re.compile(r"\t(?:nop|movs\tr0, r0|\.\.\.)(?:\s+@.*)?$")
#: The target of a branch or jump; the last instruction of a function that does not fall through to the next.
GOES = re.compile(r"\t[bj]\S*\t(?:.*[ ,])?\w+ <([^>+]+)")
ENDS = re.compile(r"\tb(?:x|\.n|\.w)?\t|\bpc\b|\t(?:ret|jr?|ebreak)\b|\t\.(?:word|short|byte)\t")
#: Bytes that an instruction subtracts from the stack pointer.
TAKEN = re.compile(r"\[sp, #-(\d+)\]!|\tsub(?:\.w)?\tsp, (?:sp, )?#(\d+)|\taddi?\tsp,sp,-(\d+)")
#: Functions with these names never interrupt each other, because all interrupts have the same priority.
INTERRUPTS = ("*_interrupt", "systick_handler")
#: The functions that the processor calls at reset and after a fault.
STARTS = ("start", "fault_*", "record_fault", "*_trap", "trap_*")

#: The functions that write checkpoints, and those that append a state to one.
WRITES = ("*/src/storage/slots.c:write_flash", "*/src/checkpoint.c:write_part")
STATES = ("*:append_segments", "*:append_next_base")

#: The functions that update parameters: rules, and the one that applies them to bfloat16 moments.
RULES = ("gm_rule_apply_*", "gm_update_short_moments")

#: Functions with calls in their assembly -> the functions that they may call.
CALLED_BY_ASSEMBLY = {"gm_*_?x4": "gm_last_k_?"}
#: The callers through a pointer, as file:function -> the functions that it may point to. The first match counts.
REACHED: dict[str, tuple[str, ...]] = {
    "*/src/execute.c:*": ("gm_kernel_*",),
    "*/src/loops.c:*": ("gm_kernel_*",),
    "*/src/verify.c:*": ("*/src/verify.c:check_*", "gm_verify_store", "gm_verify_programs"),
    "*/optimizers/stored_update.c:*": ("gm_step_*",),
    "*/optimizers/short_moments.c:*": ("gm_rule_apply_*",),
    "*/kernels/*update.c:*": RULES,
    "*/arm_m/conv_gradient.c:*": RULES,
    "*/helium/conv_gradient.c:*": RULES,
    "*/riscv/conv_gradient.c:*": RULES,
    "*/arm_m/gemm.c:some_rows*": ("gm_*_?x4",),
    "*/src/checkpoint.c:append_body": STATES,
    "*/src/checkpoint.c:append*": WRITES,
    "*/src/checkpoint.c:*save*": (*WRITES, *STATES),
    "*/src/new_base.c:*": ("*:put_word_in_file", "*:put_word_in_place"),
    "*/src/carry_over.c:*": ("slots_read",),
    "*/src/export.c:*": ("slots_read", *WRITES),
    "*/src/checkpoint.c:*": ("slots_read",),
}


@dataclass
class Graph:
    """The call graph: for each function its frame in bytes, its file, and the functions that it calls."""

    frames: dict[str, int] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    calls: dict[str, set[str]] = field(default_factory=dict)


#: Bytes, and the functions that take them, in the order of their calls.
Way = tuple[int, list[str]]


class Unbounded(Exception):
    """The stack has no known bound. The message says why."""


def stack_bound(compiler: str, elf: Path, objects: Iterable[Path], entry: str, saved: int) -> Way:
    """Return the deepest path from `entry`, with the deepest interrupt at its end.

    compiler: prefix of its tools. saved: bytes that the processor itself stacks for an interrupt. Raises Unbounded.
    """
    graph = read_graph(object.with_suffix(".ci") for object in objects)
    add_pointed_to(graph)
    add_calls_of_assembly(graph)
    library = read_library(compiler, elf)
    add_library(graph, library)
    require_reached(graph, library.keys(), entry)
    return interrupted(graph, deepest(graph, entry, {}, []), saved)


def require_reached(graph: Graph, linked: Iterable[str], entry: str) -> None:
    """Raise Unbounded for a linked function that no path reaches: a pointer does, and REACHED lacks it.

    linked: the names of all functions that the linker kept. Fault handlers count as reached, because they end in a
    reset. So do the functions in REACHED: a program may keep a table of them without a caller.
    """
    names, seen = set(linked), set[str]()
    known = [*INTERRUPTS, *STARTS, *(pattern for patterns in REACHED.values() for pattern in patterns)]
    ahead = [entry, *(name for name in graph.frames if any(fnmatch(name, pattern) for pattern in known))]
    while ahead:
        name = ahead.pop()
        ahead += graph.calls.get(name, set()) - seen
        seen.add(name)
    missing = sorted(name for name in graph.frames.keys() - seen if name.rpartition(":")[2] in names)
    if missing:
        raise Unbounded(f"no way leads to {', '.join(missing)}: say in REACHED who calls them through a pointer")


def interrupted(graph: Graph, at: Way, saved: int) -> Way:
    """Return the path with the deepest interrupt at its end, or the same path if there are no interrupts."""
    size, way = at
    handlers = [name for name in graph.frames if any(fnmatch(name, pattern) for pattern in INTERRUPTS)]
    interrupts = [deepest(graph, name, {}, []) for name in handlers]
    above, handler = max(interrupts, key=lambda i: i[0], default=(-saved, []))
    return size + saved + above, [*way, *handler]


def read_graph(paths: Iterable[Path]) -> Graph:
    graph = Graph()
    for path in paths:
        text = path.read_text()
        for name, file, frame, kind in NODE.findall(text):
            if kind != "static":
                raise Unbounded(f"{name} in {file} has a frame of varying size")
            graph.frames[name], graph.files[name] = int(frame), file
        for caller, called in EDGE.findall(text):
            graph.calls.setdefault(caller, set()).add(called)
    return graph


def add_pointed_to(graph: Graph) -> None:
    """Replace calls through pointers with calls of all candidates."""
    named = {called for some in graph.calls.values() for called in some}
    unnamed = [name for name in graph.frames if name not in named]
    for caller in [name for name, some in graph.calls.items() if POINTER in some]:
        file = graph.files[caller]
        place = f"{file}:{caller.rpartition(':')[2]}"
        patterns = next((names for places, names in REACHED.items() if fnmatch(place, places)), ())
        among, patterns = (graph.frames, patterns) if patterns else (unnamed, (f"{file}:*",))
        found = {name for name in among if any(fnmatch(name, pattern) for pattern in patterns)}
        if not found:
            raise Unbounded(f"{caller} in {file} calls through a pointer, nobody knows whom: add it to REACHED")
        graph.calls[caller] = graph.calls[caller] - {POINTER} | found


def add_calls_of_assembly(graph: Graph) -> None:
    """Add calls that the compiler does not see."""
    for caller in graph.frames:
        for callers, called in CALLED_BY_ASSEMBLY.items():
            if fnmatch(caller, callers):
                found = {name for name in graph.frames if fnmatch(name, called)}
                graph.calls[caller] = graph.calls.get(caller, set()) | found


def add_library(graph: Graph, library: dict[str, tuple[int, set[str]]]) -> None:
    """Add functions without a .ci file."""
    unknown = {called for some in graph.calls.values() for called in some} - graph.frames.keys()
    while unknown:
        name = unknown.pop()
        graph.files[name] = "a library"
        graph.frames[name], graph.calls[name] = library.get(name, (0, set()))  # not linked: takes nothing
        unknown |= graph.calls[name] - graph.frames.keys()


def read_library(compiler: str, elf: Path) -> dict[str, tuple[int, set[str]]]:
    """Return (frame, calls) of the machine code by name. objdump shows only one of several names of an address."""
    found = re.findall(r"^(\w+) <([^>]+)>:\n((?:.+\n)*)", disassembly(compiler, elf), re.M)
    after = [label for _, label, _ in found[1:]] + [""]
    at = {
        address: (frame_of(body), goes_to(body, following) - {label})
        for (address, label, body), following in zip(found, after, strict=True)
    }
    names = re.findall(r"^(\w+) \w (\S+)$", output_of(f"{compiler}nm", elf), re.M)
    return {name: at[address] for address, name in names if address in at}


def disassembly(compiler: str, elf: Path) -> str:
    """Return objdump's output for a program.

    A RISC-V program first loses the symbols that name its code's extensions: objdump would search all of them at each
    instruction, for 19 s in all.
    """
    if not compiler.startswith("riscv"):
        return output_of(f"{compiler}objdump", "-d", elf)
    with TemporaryDirectory() as folder:
        bare = Path(folder) / elf.name
        output_of(f"{compiler}objcopy", "--strip-debug", "--wildcard", "--strip-symbol=$*", elf, bare)
        return output_of(f"{compiler}objdump", "-d", bare)


def output_of(tool: str, *arguments: str | Path) -> str:
    return subprocess.run([tool, *arguments], check=True, capture_output=True, text=True).stdout


def goes_to(body: str, following: str) -> set[str]:
    """Return the functions that a function calls or jumps to, and `following` if it falls through to it."""
    last = next((line for line in reversed(body.splitlines()) if not PADDING.search(line)), "")
    return set(GOES.findall(body)) | (set() if ENDS.search(last) else {following})


def frame_of(body: str) -> int:
    """Return the bytes of the registers that a function pushes, plus what it subtracts from the stack pointer."""
    pushed = re.findall(r"\t(?:push|stmdb\tsp!,)[^{]*\{([^}]*)\}", body)
    registers = sum(count_registers(some) for some in pushed)
    return 4 * registers + sum(int("".join(bytes_of)) for bytes_of in TAKEN.findall(body))


def count_registers(some: str) -> int:
    """Return the number of registers in a list such as r4-r7, lr."""
    ranges = [re.findall(r"\d+", part) for part in some.split(",")]
    return sum(int(ends[1]) - int(ends[0]) + 1 if len(ends) == 2 else 1 for ends in ranges)


def deepest(
    graph: Graph, name: str, known: dict[str, tuple[int, list[str]]], above: list[str]
) -> tuple[int, list[str]]:
    """Return the deepest path from one function. Raises Unbounded for recursion."""
    if name in above:
        raise Unbounded(f"{' -> '.join([*above, name])}: a function calls itself")
    if name not in known:
        below = [deepest(graph, called, known, [*above, name]) for called in sorted(graph.calls.get(name, ()))]
        size, way = max(below, key=lambda b: b[0], default=(0, []))
        known[name] = graph.frames[name] + size, [name, *way]
    return known[name]
