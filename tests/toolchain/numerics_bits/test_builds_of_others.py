"""The runtime in builds that are not ours: it compiles without a warning and has the twin's bits, or it is refused.

Other projects compile the sources one by one with flags of their own, and pass none of ours.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from amalgamate import one_header, one_source
from gradmote import optimizers
from gradmote.formats.kernel_selection import needs_of
from gradmote.generated.errors import ERRORS
from runtime_sources import INCLUDES, host_profile_flags, host_runs_fused, profile_flags, runtime_sources
from support import digits, objects, train_state

#: A target -> its compilers, and what runs its programs. Cortex-M kernels run in programs for Linux, whose libraries
#: are for Cortex-A.
THUMB = ["-mthumb", "-mfloat-abi=hard", "-U__ARM_ARCH_PROFILE", "-D__ARM_ARCH_PROFILE=77"]
RISCV = Path("/usr/riscv64-linux-gnu")
#: clang does not find them in the folders of Debian's cross compiler.
RISCV_LIBRARIES = [
    *("-Wno-unused-command-line-argument", f"--sysroot={RISCV}"),
    *(f"-B{folder}" for folder in (RISCV / "lib", *Path("/usr/lib/gcc-cross/riscv64-linux-gnu").glob("*"))),
    *(f"-L{folder}" for folder in (RISCV / "lib", *Path("/usr/lib/gcc-cross/riscv64-linux-gnu").glob("*"))),
]
TARGETS = {
    "here": ({"gcc": ["gcc"], "clang": ["clang-14"]}, []),
    "arm": (
        {
            "gcc": ["arm-linux-gnueabihf-gcc", "-static", *THUMB],
            "clang": ["clang-14", "--target=arm-linux-gnueabihf", "-static", *THUMB],
        },
        ["qemu-arm"],
    ),
    "riscv": (
        {
            "gcc": ["riscv64-linux-gnu-gcc", "-static"],
            "clang": ["clang-14", "--target=riscv64-linux-gnu", "-march=rv64gc", "-static", *RISCV_LIBRARIES],
        },
        ["qemu-riscv64"],
    ),
}
#: What gm_open() returns is printed so.
TEXT = next(text for name, text, _ in ERRORS.values() if name == "WRONG_ARITHMETIC")
LEVELS = ("-O0", "-Og", "-O1", "-O2", "-O3", "-Os")
STEPS = 20


@dataclass(frozen=True)
class Build:
    """A way to compile the sources, and the program's emulator, if it needs one."""

    target: str
    compiler: str
    profile: str

    @property
    def command(self) -> list[str]:
        flags = {"here": host_profile_flags(self.profile), "arm": profile_flags("armv7l", self.profile)}
        own = flags.get(self.target, [f"-DGM_FUSED={int(self.profile == 'fused')}"])
        return [*TARGETS[self.target][0][self.compiler], "-std=gnu11", *own]

    @property
    def starter(self) -> list[str]:
        return TARGETS[self.target][1]

    def require(self) -> None:
        for tool in (self.command[0], *self.starter):
            if shutil.which(tool) is None:
                pytest.skip(f"{tool} is not installed")
        if self.target == "here" and self.profile == "fused" and not host_runs_fused():
            pytest.skip("this CPU has no fused multiply-add")


BUILDS = {" ".join(names): Build(*names) for names in product(TARGETS, ("gcc", "clang"), ("fused", "strict"))}
#: Flags of projects, their own or a framework's: each leaves the bits as they are, or is refused.
FLAGS = {
    compiler: [
        *(
            "-O2",
            "-O3",
            "-O3 -DGM_ARCH=0",
            "-O3 -funroll-loops",
            "-Ofast",
            "-O3 -ffast-math",
            "-Ofast -fno-fast-math",
            "-O2 -ffp-contract=fast",
        ),
        *("-O2 -funsafe-math-optimizations", "-O2 -fassociative-math -fno-signed-zeros -fno-trapping-math"),
        *(
            "-O3 -freciprocal-math",
            "-O2 -fno-signed-zeros",
            "-O1 -ffinite-math-only",
            "-O2 -fno-math-errno",
            "-O2 -flto",
        ),
        *("-O2 -frounding-math", "-O2 -funsigned-char", "-O2 -fshort-enums", "-O2 -fpack-struct", "-O2 -fwrapv"),
        *(
            "-Os -fno-strict-aliasing",
            "-O2 -fno-builtin",
            "-O0 -ftrapv",
            "-O2 -mfpmath=387",
            "-std=c11 -O2",
            "-O3 -mfma",
        ),
        *own,
    ]
    for compiler, own in {
        "gcc": ["-O2 -fsingle-precision-constant", "-O3 -fexcess-precision=fast", "-O2 -ffloat-store"],
        "clang": ["-O3 -ffp-model=fast", "-O2 -ffp-model=precise", "-O2 -fdenormal-fp-math=preserve-sign"],
    }.items()
}


@pytest.fixture
def training(tmp_path: Path) -> tuple[bytes, list[digits.Batch], tuple[Path, Path]]:
    """An image, what it trains on, and both as files."""
    image, data = digits.image(optimizers.adamw(), 8), digits.batches(8, STEPS)
    return image, data, train_state.write_case(tmp_path, image, data)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", BUILDS)
def test_every_level_compiles_without_a_warning_and_has_the_bits(name, level, training, tmp_path):
    build = BUILDS[name]
    build.require()
    command = [*build.command, level, "-Wall", "-Wextra", "-Werror", *(f"-I{path}" for path in INCLUDES)]
    program = tmp_path / "train_state"
    objects.build(command, [train_state.SOURCE, *runtime_sources()], program)
    image, data, files = training
    printed = train_state.said_by([*build.starter, program, *files])
    assert printed == train_state.said_by_twin(image, data, build.profile)


@pytest.fixture(scope="module")
def one_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one_file")
    (folder / "gradmote.h").write_text(one_header())
    (folder / "gradmote.c").write_text(one_source())
    return folder


@pytest.mark.parametrize("profile", ["fused", "strict"])
@pytest.mark.parametrize(("compiler", "flags"), [(name, flags) for name, found in FLAGS.items() for flags in found])
def test_flags_leave_the_bits_or_are_refused(compiler, flags, profile, one_file, training, tmp_path):
    """A flag is refused by an error of the compiler that says so, or by gm_open()."""
    build = Build("here", compiler, profile)
    build.require()
    image, data, files = training
    program = tmp_path / "train_state"
    own = [*flags.split(), "-w", *needs_of(files[0]).flags(), f"-I{one_file}"]
    sources = [str(train_state.SOURCE), str(one_file / "gradmote.c")]
    done = subprocess.run(
        [*build.command, *own, *sources, "-o", str(program)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        assert "#error" in done.stderr or "is not supported" in done.stderr, done.stderr
        return
    done = subprocess.run([program, *files], capture_output=True, text=True, check=False, timeout=60)
    refused = done.returncode == 1 and TEXT in done.stderr
    assert refused or done.stdout == train_state.said_by_twin(image, data, profile), done.stderr
