"""run_kernels.c for each instruction set that arch/simd has vectors of: programs that take case after case."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from runtime_sources import INCLUDES, NUMERICS_FLAGS, WARNING_FLAGS, runtime_sources
from support import objects

HERE = Path(__file__).resolve().parent
KERNELS = ("GEMM", "GEMM_UPDATE", "UPDATE", "MATMUL", "CONV", "CONV_TRANSPOSE", "CONV_GRAD_W", "CONV_UPDATE",
           "REDUCE_SUM", "MAX_POOL", "MAX_POOL_INDEX_GRAD", "AVERAGE_POOL", "AVERAGE_POOL_GRAD", "MOMENTS",
           "NORMALIZE", "NORMALIZE_SUMS", "NORMALIZE_GRAD",
           "CHECK_FINITE", "SGD", "MOMENTUM", "ADAM", "ADAMW", "ADAMW_ORT", "CONV_S8", "CONV_GRAD_X_S16",
           "CONV_GRAD_W_S16", "CONV_UPDATE_S16", "SUM_S16", "ADD_S16", "UPDATE_S8", "UPDATE_S16", "MASK_S8",
           "QUANTIZE", "DEQUANTIZE", "ADD_S8", "MUL_S8", "MAX_POOL_S8", "AVERAGE_POOL_S8", "QUANTIZE_GRAD_S16", "EXP",
           "SIGMOID", "SWISH", "TANH", "GELU", "GELU_TANH", "SOFTMAX", "SOFTMAX_GRAD", "LSTM_CELLS", "GRU_CELLS",
           "LSTM_CELLS_GRAD", "GRU_CELLS_GRAD", "RNN_CELLS", "RNN_CELLS_GRAD", "STANDARDIZE",
           "STANDARDIZE_GRAD")  # fmt: skip
SELECTED = ["-DGM_ONLY_SELECTED=1", "-DGM_WITH_INT8=1", *(f"-DGM_WITH_{name}=1" for name in KERNELS)]
SOURCES = ("gemm", "conv", "matmul", "update", "sgd", "momentum", "adam", "steps", "reduce_sum", "max_pool",
           "normalize", "checks", "any_beyond", "gradient_s16", "stored_update", "sum_s16", "add_s16",
           "update_s8", "mask_s8", "quantize", "add_s8", "average_pool", "functions", "sigmoid", "activations", "tanh",
           "gelu", "softmax", "lstm", "gru", "rnn", "standardize", "numerics", "gm_opcodes")  # fmt: skip
#: The threads of the Python extension module, whose sessions have a pool of them.
OF_MODULE = ["-DGM_THREADS=1", "-pthread"]
#: Without optimization, which could hide what they find; and that takes a fifth of the time to compile.
SANITIZED = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
#: A case takes milliseconds.
PATIENCE = 60.0
STATUS = 4  # bytes of what a kernel returns


@dataclass(frozen=True)
class Form:
    """How run_kernels.c, or another program of the kernels, is compiled and run. {} in `starter` is the program."""

    command: Sequence[str]
    starter: Sequence[str] = ("{}",)
    packages: str = "gcc"
    tools: Sequence[str] = ()  #: beside compiler and starter
    main: Path = HERE / "run_kernels.c"
    library: str = ""  #: the profile of the Python extension module that has its kernels; else they are compiled for it

    def missing(self) -> list[str]:
        wanted = (self.command[0], *self.starter[:1], *self.tools)
        return [tool for tool in wanted if tool != "{}" and shutil.which(tool) is None]

    def build(self, folder: Path) -> Program:
        """Build it in an empty folder."""
        return Program(self.compile(folder), folder / "said")

    def compile(self, folder: Path) -> list[str]:
        """Return the command of the program, which is compiled to the folder."""
        program = folder / self.main.stem
        if self.library:
            objects.build(self.command, [self.main], program, str(objects.host_library(self.library)), "-lm")
        else:
            objects.build([*self.command, *SELECTED], [self.main, *sources()], program)
        return [word.format(program) for word in self.starter]


#: What kernels need of runtime_c/src.
SHARED = ("arithmetic", "numerics")


def sources() -> list[Path]:
    """Return the sources of the kernels, in plain C and with vectors."""
    found = [source for source in runtime_sources() if source.parent.name != "src" or source.stem in SHARED]
    plain = [source for source in found if "arch" not in source.parts and source.stem.startswith((*SOURCES, *SHARED))]
    return [*plain, *(source for source in found if "simd" in source.parts)]


def plain(profile: str) -> Form:
    return Form([*objects.command_for_host("gcc", "-O1", profile), "-DGM_ARCH=0"])


def forms(profile: str) -> dict[str, list[Form]]:
    """Instruction set -> its forms with vectors."""
    common = [f"-DGM_FUSED={int(profile == 'fused')}", "-O2", *NUMERICS_FLAGS, "-std=c11", *WARNING_FLAGS]
    common += [f"-I{path}" for path in INCLUDES]
    host = [objects.command_for_host("gcc", level, profile) for level in ("-O3", "-O0")]
    found = {
        "this computer": [Form([*host[0], *OF_MODULE], library=profile), Form([*host[1], *SANITIZED])],
        "AArch64": [Form(["aarch64-linux-gnu-gcc", *common, "-static"], ["qemu-aarch64", "{}"],
                         "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user")],
    }  # fmt: skip
    if profile == "strict":  # WebAssembly's engine decides whether multiply-adds are fused
        wasm = ["clang-14", *common, "--target=wasm32-wasi", "--sysroot=/usr", "-msimd128"]
        node = ["node", "--no-warnings", str(HERE / "run_wasm.mjs"), "{}"]
        packages = "clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32 nodejs"
        found["WebAssembly"] = [Form(wasm, node, packages, ["wasm-ld-14"])]
    return found


class Program:
    """A process that runs cases until it is closed; after a case that ended it another is started. said: the file that
    gets what it writes to stderr."""

    def __init__(self, command: list[str], said: Path) -> None:
        self._command, self._said = command, said
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, case: bytes, size: int) -> bytes:
        """Run a case, and return its kernel's status, 4 bytes, and the `size` bytes of its memory afterwards."""
        process = self._process = self._process or self._start()
        limit = Timer(PATIENCE, process.kill)
        limit.start()
        try:
            process.stdin.write(case)
            process.stdin.flush()
            found = process.stdout.read(STATUS + size)
        except BrokenPipeError:
            found = b""
        finally:
            limit.cancel()
        assert len(found) == STATUS + size, self.close()
        return found

    def close(self) -> str:
        """End the process, and return what it wrote to stderr until then; nothing if all went well."""
        if self._process:
            self._process.communicate(timeout=PATIENCE)
            self._process = None
        return self._said.read_text(errors="replace")

    def _start(self) -> subprocess.Popen[bytes]:
        with self._said.open("a") as said:
            return subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said)
