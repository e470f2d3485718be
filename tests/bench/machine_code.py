"""Compare the machine code of the runtime with that of an earlier revision, function by function.

`python -m bench.machine_code REVISION`, in tests/. A change of names and files alone must leave every function as it
was, so the names do not count here: the code of all functions does.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from runtime_sources import CORTEX_M4_FLAGS, NUMERICS_FLAGS, ROOT

CORTEX_M55_FLAGS = ["-mcpu=cortex-m55+nomve", "-DGM_HELIUM=1", "-mthumb", "-mfloat-abi=hard"]
#: What is compiled: name -> prefix of the tools, flags.
BUILDS = {
    "Cortex-M4F": ("arm-none-eabi-", [*CORTEX_M4_FLAGS]),
    "Cortex-M4F, plain C": ("arm-none-eabi-", [*CORTEX_M4_FLAGS, "-DGM_ARCH=0"]),
    "Cortex-M55": ("arm-none-eabi-", CORTEX_M55_FLAGS),
    "x86-64, fused": ("", ["-mfma", "-DGM_FUSED=1"]),
}

#: Each constant in a section of its own: in a shared one, its address would depend on the order of the files.
APART = ["-fdata-sections", "-Wl,--unique"]

#: The instructions of one function, as the bytes that objdump shows.
Code = tuple[str, ...]


def functions(runtime: Path, prefix: str, flags: list[str]) -> Counter[Code]:
    """Return how often each function's code occurs in the sources under `runtime`, compiled by one call of gcc."""
    sources = sorted(path for part in ("src", "kernels", "generated") for path in (runtime / part).rglob("*.c"))
    with tempfile.TemporaryDirectory() as folder:
        merged = Path(folder) / "merged.o"
        includes = [f"-I{runtime / part}" for part in ("include", "src")]
        command = [f"{prefix}gcc", "-O2", *NUMERICS_FLAGS, *flags, *includes, *APART, "-nostdlib", "-r", "-o", merged]
        subprocess.run([*command, *sources], check=True)
        shown = [f"{prefix}objdump", "-d", "--show-raw-insn", merged]
        return Counter(_codes(subprocess.run(shown, check=True, capture_output=True, text=True).stdout))


def _codes(listing: str) -> Iterator[Code]:
    """Split objdump's listing: a line that ends in ">:" begins a function, one with tabs has an instruction."""
    code: list[str] = []
    for line in [*listing.splitlines(), ">:"]:
        if line.endswith(">:"):
            if code:
                yield tuple(code)
            code = []
        elif line.startswith(" "):
            code.append(line.split("\t")[1].strip())


def compare(before: Path, after: Path) -> bool:
    """Print a line for each build, and return whether the two trees give the same code in all of them."""
    same = True
    for name, (prefix, flags) in BUILDS.items():
        old, new = (functions(tree / "runtime_c", prefix, flags) for tree in (before, after))
        instructions = [sum(len(code) * count for code, count in found.items()) for found in (old, new)]
        lost, added = (sum((a - b).values()) for a, b in ((old, new), (new, old)))
        print(f"{name:<20} {sum(new.values()):>5} functions, {lost} before and {added} after differ;", end=" ")
        print(f"instructions {instructions[0]} -> {instructions[1]}", flush=True)
        same &= old == new
    return same


def main(revision: str) -> int:
    archive = subprocess.run(
        ["git", "archive", revision, "runtime_c"], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")
        return 0 if compare(Path(folder), ROOT) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
