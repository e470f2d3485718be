"""The platforms that have a wheel with the runtime, and the options of ziglang's clang for each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """One platform.

    name: for `--only`. zig: clang's -target. machine: the processor, as runtime_sources.machine_flags() names it. tag:
    of the wheel. suffix: of its extension modules. link: further flags of the linker.
    """

    name: str
    zig: str
    machine: str
    tag: str
    suffix: str = ".abi3.so"
    link: tuple[str, ...] = ()


#: A macOS module finds Python's functions in the process that loads it.
MACOS = ("-undefined", "dynamic_lookup")

TARGETS = (
    Target("linux-x86_64", "x86_64-linux-gnu.2.17", "x86_64", "manylinux_2_17_x86_64.manylinux2014_x86_64"),
    Target("linux-aarch64", "aarch64-linux-gnu.2.17", "aarch64", "manylinux_2_17_aarch64.manylinux2014_aarch64"),
    Target("musl-x86_64", "x86_64-linux-musl", "x86_64", "musllinux_1_2_x86_64"),
    Target("windows-x86_64", "x86_64-windows-gnu", "x86_64", "win_amd64", suffix=".pyd"),
    Target("macos-arm64", "aarch64-macos.11.0", "arm64", "macosx_11_0_arm64", link=MACOS),
    Target("macos-x86_64", "x86_64-macos.11.0", "x86_64", "macosx_11_0_x86_64", link=MACOS),
)
