"""A 32-bit Arm compiler knows no fused multiply-add by default, and platform.machine() names the kernel's processor:
the package did not compile on a Raspberry Pi with a 32-bit system."""

from __future__ import annotations

import pytest

import runtime_sources


@pytest.mark.parametrize(
    ("kernel", "bits", "machine", "fused"),
    [
        ("armv7l", 32, "armv7l", ["-march=armv7-a", "-mfpu=vfpv4-d16"]),
        ("aarch64", 32, "armv7l", ["-march=armv7-a", "-mfpu=vfpv4-d16"]),
        ("aarch64", 64, "aarch64", []),
        ("arm64", 64, "arm64", []),
        ("riscv64", 64, "riscv64", []),
        ("x86_64", 64, "x86_64", ["-mfma"]),
        ("x86_64", 32, "i686", ["-msse2", "-mfpmath=sse", "-mfma"]),
    ],
)
def test_flags(monkeypatch: pytest.MonkeyPatch, kernel: str, bits: int, machine: str, fused: list[str]) -> None:
    monkeypatch.setattr(runtime_sources.platform, "machine", lambda: kernel)
    monkeypatch.setattr(runtime_sources.sys, "maxsize", 2 ** (bits - 1) - 1)
    assert runtime_sources.host_machine() == machine
    assert runtime_sources.host_profile_flags("fused") == ["-DGM_FUSED=1", *fused]
    without = [flag for flag in fused if "sse" in flag]
    assert runtime_sources.host_profile_flags("strict") == ["-DGM_FUSED=0", *without]
