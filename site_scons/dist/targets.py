"""The platforms that have a wheel with the runtime, and the options of ziglang's clang for each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """One platform.

    name: for `--only`, and the folder of its libraries in the JAR. zig: clang's -target. machine: the processor, as
    runtime_sources.machine_flags() names it. tag: of the wheel. rid: .NET's name of it. suffix: of its extension modules.
    affixes: of its shared libraries. link: further flags of the linker for an extension module. threads: whether the
    runtime has threads. flags: further ones of the compiler.
    """

    name: str
    zig: str
    machine: str
    tag: str = ""
    rid: str = ""
    suffix: str = ".abi3.so"
    affixes: tuple[str, str] = ("lib", ".so")
    link: tuple[str, ...] = ()
    threads: bool = True
    flags: tuple[str, ...] = ()

    @property
    def windows(self) -> bool:
        return "windows" in self.zig

    def library(self, name: str) -> str:
        """Return the file name of a shared library."""
        return name.join(self.affixes)


DLL = ("", ".dll")
DYLIB = ("lib", ".dylib")
#: A macOS module finds Python's functions in the process that loads it.
MACOS = ("-undefined", "dynamic_lookup")
GLIBC = "manylinux_2_17_{0}.manylinux2014_{0}"

TARGETS = (
    Target("linux-x86_64", "x86_64-linux-gnu.2.17", "x86_64", GLIBC.format("x86_64"), "linux-x64"),
    Target("linux-aarch64", "aarch64-linux-gnu.2.17", "aarch64", GLIBC.format("aarch64"), "linux-arm64"),
    Target("musl-x86_64", "x86_64-linux-musl", "x86_64", "musllinux_1_2_x86_64", "linux-musl-x64"),
    Target("windows-x86_64", "x86_64-windows-gnu", "x86_64", "win_amd64", "win-x64", ".pyd", DLL),
    Target("macos-arm64", "aarch64-macos.11.0", "arm64", "macosx_11_0_arm64", "osx-arm64", affixes=DYLIB, link=MACOS),
    Target("macos-x86_64", "x86_64-macos.11.0", "x86_64", "macosx_11_0_x86_64", "osx-x64", affixes=DYLIB, link=MACOS),
)
