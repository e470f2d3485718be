"""Build the runtime as one freestanding WebAssembly module: its forms and its compilers.

`scons wasm` builds it from a checkout; `gradmote wasm` builds it for one model, from an installed package's sources
too. With vectors, the kernels with tiles are compiled for speed as one unit, and the rest for size as another; without
vectors, everything is one unit. The C library's part is separate, because its loops must not become calls of
themselves.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from runtime_sources import INCLUDES, NUMERICS_FLAGS, ROOT, RUNTIME, runtime_sources

WASM = ROOT / "bindings" / "wasm"
#: Replaces a C library: the string functions and <string.h> are the firmware's.
FREESTANDING = ROOT / "firmware" / "freestanding"
LIBC = [WASM / "libc.c", FREESTANDING / "string.c"]
#: The kernels that take most of a step's time.
TILES = RUNTIME / "kernels" / "arch" / "simd"
#: Functions of gradmote.h that JavaScript calls.
EXPORTS = WASM / "exports.txt"
#: As above, for modules with rounds of federated learning, and the sources that other modules lack.
ROUND_EXPORTS, ROUND_SOURCES = (
    WASM / "round_exports.txt",
    [RUNTIME / "src" / name for name in ("delta.c", "new_base.c")],
)
#: As above, for the module that only infers, and the kernels that it lacks.
INFERENCE_EXPORTS, TRAINING_KERNELS = WASM / "infer_exports.txt", WASM / "training_kernels.txt"

#: Multiply and add are rounded separately: WebAssembly has no portable fused multiply-add.
PROFILE_FLAGS = ["-DGM_FUSED=0", *NUMERICS_FLAGS]
#: Flags for small code. zig takes -Oz for -Os, unless its clang gets it too. Strength reduction, inlining and some
#: other passes of -Oz make such a module a seventh larger.
SMALL = [
    "-Oz", "-Xclang", "-Oz", "-fno-strict-aliasing",
    "-mllvm", "-disable-lsr", "-mllvm", "-inline-threshold=-10", "-mllvm", "-inline-call-penalty=5",
    "-mllvm", "-enable-pre=0", "-mllvm", "-enable-newgvn", "-mllvm", "-licm-mssa-optimization-cap=0",
    "-mllvm", "-replexitval=never", "-mllvm", "-disable-licm-promotion", "-mllvm", "-enable-gvn-sink",
    "-mllvm", "-two-entry-phi-node-folding-threshold=12",
]  # fmt: skip
#: Form -> flags, and those of its kernels with tiles. Their loops are unrolled by hand: -O3 takes more bytes, and is
#: not faster. With vectors, -Os takes a twentieth less time than -Oz.
FORMS = {"simd": ["-msimd128"], "plain": []}
TILES_FLAGS = {"simd": ["-Os", "-fno-strict-aliasing", "-mllvm", "-disable-lsr"], "plain": SMALL}
#: -mbulk-memory: every engine has had instructions for copies and fills for years. -fhosted: the compiler knows the
#: functions of <string.h>; otherwise each copy of a vector is a call.
COMMON_FLAGS = ["-mbulk-memory", "-fhosted", "-fvisibility=hidden", "-fno-ident", "-fno-sanitize=all", "-g0", "-w"]
#: Pages with float models need not fetch the code for quantized ones, which have modules of their own. Attention in
#: blocks is for little memory: a page that wants it makes a module for its model with `gradmote wasm`.
WITHOUT_INT8, WITH_INT8 = ["-DGM_WITH_INT8=0"], ["-DGM_WITH_INT8=1", "-DGM_WITH_FUSED_ATTENTION=0"]
#: In bytes; kernels with vectors take about 40 KB.
STACK = 96 * 1024
LINK_FLAGS = [
    "--no-entry",
    "--gc-sections",
    "--strip-all",
    "-O3",
    "--stack-first",
    "--compress-relocations",
    "-z",
    f"stack-size={STACK}",
]

HOW_TO_INSTALL = "pip install ziglang, which brings a compiler for WebAssembly"


class WasmError(Exception):
    """A module cannot be built: there is no compiler, or it failed. The second argument says what to do."""


@dataclass(frozen=True)
class Compiler:
    """Commands that compile C to WebAssembly and link it."""

    compile: tuple[str, ...]
    link: tuple[str, ...]
    title: str


def find_compiler() -> Compiler | None:
    """Return an installed compiler: ziglang's, zig, or clang with wasm-ld; or None."""
    zig = [sys.executable, "-m", "ziglang"] if find_spec("ziglang") else [shutil.which("zig") or ""]
    if zig[0]:
        return Compiler((*zig, "cc", "-target", "wasm32-freestanding"), (*zig, "wasm-ld"), "zig")
    for version in ("", *(f"-{number}" for number in range(30, 13, -1))):
        clang, linker = shutil.which(f"clang{version}"), shutil.which(f"wasm-ld{version}")
        if clang and linker:
            return Compiler((clang, "--target=wasm32"), (linker,), f"clang{version}")
    return None


def require_compiler() -> Compiler:
    """Return an installed compiler. Raises WasmError if there is none."""
    found = find_compiler()
    if found is None:
        raise WasmError("there is no compiler for WebAssembly: neither ziglang nor clang with wasm-ld", HOW_TO_INSTALL)
    return found


def build_module(
    target: Path, form: str, kernel_flags: Sequence[str] = WITHOUT_INT8, with_rounds: bool = False
) -> None:
    """Compile and link the runtime into `target`.

    form: "simd" or "plain". kernel_flags: the flags that leave out kernels (`gradmote kernels --flags`). with_rounds:
    support rounds of federated learning. Raises WasmError.
    """
    names = [*exports(), *round_exports()] if with_rounds else exports()
    _build(target, form, kernel_flags, WASM / "gm_wasm.c", names)


def build_inference_module(target: Path, form: str, int8: Sequence[str] = WITHOUT_INT8) -> None:
    """Compile and link the inference part of the runtime into `target`. form: as above. Raises WasmError."""
    lacking = [f"-DGM_WITH_{name}=0" for name in TRAINING_KERNELS.read_text().split()]
    # Images that train may have a store. The module verifies it, and does not read it.
    flags = ["-DGM_TRAINING=0", "-DGM_WITH_STORE=1", *int8, *lacking]
    _build(target, form, flags, WASM / "gm_wasm_infer.c", INFERENCE_EXPORTS.read_text().split())


#: The first word of a module's name -> its builder, which takes path and form.
MODULES: dict[str, Callable[[Path, str], None]] = {
    "gradmote": partial(build_module, kernel_flags=WITHOUT_INT8),
    "gradmote-int8": partial(build_module, kernel_flags=WITH_INT8, with_rounds=True),
    "gradmote-infer": partial(build_inference_module, int8=WITHOUT_INT8),
    "gradmote-infer-int8": partial(build_inference_module, int8=WITH_INT8),
}


def _build(target: Path, form: str, kernel_flags: Sequence[str], own: Path, exported_names: Sequence[str]) -> None:
    """Build a module. own: the source with what JavaScript needs besides gradmote.h."""
    compiler = require_compiler()
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        has_rounds = set(round_exports()) <= set(exported_names)
        lacking = [] if has_rounds else ROUND_SOURCES
        for name, (sources, flags) in units(form, own, lacking).items():
            unit, made = Path(folder) / f"{name}.c", Path(folder) / f"{name}.o"
            unit.write_text("".join(f'#include "{path.as_posix()}"\n' for path in sources))
            command = [*PROFILE_FLAGS, *COMMON_FLAGS, *FORMS[form], *flags, *kernel_flags]
            command += [f"-DGM_WITH_ROUNDS={int(has_rounds)}", *includes()]
            _run([*compiler.compile, *command, "-c", str(unit), "-o", str(made)])
            objects.append(str(made))
        exported = [f"--export={name}" for name in (*exported_names, "__heap_base")]
        _run([*compiler.link, *LINK_FLAGS, *exported, *objects, "-o", str(target)])


def units(form: str, own: Path, lacking: Sequence[Path]) -> dict[str, tuple[list[Path], list[str]]]:
    """Return the sources and flags of each unit that is compiled as a whole.

    own: the source with what JavaScript needs. lacking: sources that nothing in the module calls. Without them the
    compiler sees that a function is called only once, and inlines it.
    """
    sources = [path for path in runtime_sources() if path not in lacking]
    tiles = [path for path in sources if TILES in path.parents]
    others = [path for path in sources if TILES not in path.parents]
    libc = {"libc": (LIBC, [*SMALL, "-fno-builtin"])}
    if TILES_FLAGS[form] == SMALL:
        return {"runtime": ([*sources, own], SMALL), **libc}
    return {"tiles": (tiles, TILES_FLAGS[form]), "others": ([*others, own], SMALL), **libc}


def file_name(form: str, name: str = "gradmote") -> str:
    """Return the file name of a form."""
    return f"{name}-simd.wasm" if form == "simd" else f"{name}.wasm"


def includes() -> list[str]:
    return [f"-I{path}" for path in (FREESTANDING, *INCLUDES)]


def exports() -> list[str]:
    """Return the names in gradmote.h that the module exports."""
    return EXPORTS.read_text().split()


def inputs() -> list[Path]:
    """Return every file that a module depends on."""
    headers = [
        path
        for folder in ("include", "src", "kernels", "generated")
        for path in (ROOT / "runtime_c" / folder).rglob("*.h")
    ]
    own = [path for folder in (WASM, FREESTANDING) for path in sorted(folder.rglob("*.[ch]"))]
    return [*runtime_sources(), *sorted(headers), *own, *sorted(WASM.glob("*.txt")), Path(__file__)]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if re.search(r"error|unable|not found", line)]
        said = (lines or done.stderr.splitlines() or ["it said nothing"])[0]
        raise WasmError(f"the compiler for WebAssembly failed: {said}", HOW_TO_INSTALL)


def round_exports() -> list[str]:
    """Return the additional exports of a module with rounds of federated learning."""
    return ROUND_EXPORTS.read_text().split()
