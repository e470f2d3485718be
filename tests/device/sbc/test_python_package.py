"""The sources that `pip install` compiles on a Raspberry Pi and its like, compiled here with the flags chosen there."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from linux_targets import CROSS_TARGETS
from runtime_sources import INCLUDES, NUMERICS_FLAGS, RUNTIME, machine_flags

ROOT = Path(__file__).resolve().parents[3]
THREADS = ROOT / "bindings" / "threads"

#: What platform.machine() returns there -> compiler, and its own defaults if they differ from Debian's.
MACHINES = {
    "aarch64": ("aarch64-linux-gnu-gcc", []),
    "armv7l": ("arm-linux-gnueabihf-gcc", []),
    "armv7l of Raspberry Pi OS": ("arm-linux-gnueabihf-gcc", ["-march=armv6", "-mfpu=vfp", "-marm"]),
    "riscv64": ("riscv64-linux-gnu-gcc", []),
}
#: Of the runtime, what needs the instructions most: multiply-add and square root.
SOURCES = ["src/numerics.c", "kernels/gemm_tile.c", "kernels/standardize.c"]


@pytest.fixture(scope="session")
def builder():
    """bindings/python/build_runtime.py."""
    spec = importlib.util.spec_from_file_location("build_runtime", ROOT / "bindings" / "python" / "build_runtime.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def python_headers(folder: Path) -> list[str]:
    """Return flags that make this Python's headers what its pyconfig.h would be on a machine with other sizes."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    sizes = ("LONG", "VOID_P", "SIZE_T")
    macros = ("__SIZEOF_LONG__", "__SIZEOF_POINTER__", "__SIZEOF_SIZE_T__")
    lines = [f'#include "{sysconfig.get_config_h_filename()}"']
    lines += [f"#undef SIZEOF_{size}\n#define SIZEOF_{size} {macro}" for size, macro in zip(sizes, macros)]
    (folder / "sizes.h").write_text("\n".join(lines) + "\n")
    for target in CROSS_TARGETS:  # Debian's pyconfig.h includes one of these
        place = folder / target.compiler.removesuffix("-gcc") / version
        place.mkdir(parents=True)
        (place / "pyconfig.h").write_text("")
    return ["-include", str(folder / "sizes.h"), f"-I{folder}", f"-I{sysconfig.get_paths()['include']}"]


@pytest.mark.parametrize(("name", "profile"), [*((name, "fused") for name in MACHINES), ("armv7l", "strict")])
def test_compiles(builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, profile: str) -> None:
    """The code has no call to fmaf or sqrtf: there is an instruction. (-O1 instead of -O3, for the test's time.)"""
    compiler, defaults = MACHINES[name]
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    monkeypatch.chdir(ROOT)
    generated = tmp_path / f"_{profile}.c"
    builder.make_ffi(profile).emit_c_code(str(generated))
    flags = ["-DGM_THREADS=1", f"-DGM_FUSED={int(profile == 'fused')}", *machine_flags(name.split()[0], profile)]
    includes = [f"-I{path}" for path in (*INCLUDES, THREADS)]
    common = [compiler, "-c", "-O1", *defaults, *NUMERICS_FLAGS, *flags, *includes]
    headers = python_headers(tmp_path)
    for source in (generated, *(RUNTIME / path for path in SOURCES)):
        own = headers if source == generated else []
        command = [*common, *own, str(source), "-o", str(tmp_path / f"{source.stem}.o")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    nm = [f"{compiler.removesuffix('gcc')}nm", "--undefined-only", *(str(path) for path in tmp_path.glob("*.o"))]
    called = subprocess.run(nm, capture_output=True, text=True, check=True).stdout.split()
    assert "gm_crc32" in called and not {"fmaf", "sqrtf"} & set(called)


@pytest.mark.parametrize(("cpu", "has_fma"), [("cortex-a7", 1), ("cortex-a8", 0)])
def test_asks_a_32_bit_arm_for_fused_multiply_add(builder, tmp_path: Path, cpu: str, has_fma: int) -> None:
    """Check that the processor of a Raspberry Pi 2 has fused multiply-add and that of a BeagleBone Black does not."""
    compiler = MACHINES["armv7l"][0]
    for tool in (compiler, "qemu-arm"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    source = tmp_path / "check.c"
    main = 'int main(void) { printf("%d", gm_host_has_fma()); }'
    source.write_text(f"#include <stdio.h>\n{builder.CPU_CHECK}\n{main}\n")
    command = [compiler, "-static", f"-I{ROOT / 'runtime_c' / 'src'}", str(source), "-o", str(tmp_path / "check")]
    subprocess.run(command, check=True)
    ask = ["qemu-arm", "-cpu", cpu, str(tmp_path / "check")]
    asked = subprocess.run(ask, capture_output=True, text=True, check=False)
    assert asked.stdout == str(has_fma), asked.stderr


def test_the_package_brings_what_it_compiles() -> None:
    """Flags and lists of sources are in site_scons, which goes into the sdist."""
    manifest = (ROOT / "MANIFEST.in").read_text()
    assert re.search(r"^graft site_scons$", manifest, re.MULTILINE)
