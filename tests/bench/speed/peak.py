"""The most that this processor can do, measured by peak.c."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("peak.c")
#: Feature in /proc/cpuinfo -> bytes of the widest vectors that kernels use with it, and what the compiler is told.
VECTORS = {"avx2": (32, ["-mavx2", "-mfma"])}
OTHER_VECTORS: tuple[int, list[str]] = (16, [])


@dataclass(frozen=True)
class Peak:
    """macs: multiply-accumulates a second of one core. bandwidth: bytes a second of main memory. lanes: of a vector."""

    macs: float
    bandwidth: float
    lanes: int


def features() -> set[str]:
    """Return the words of /proc/cpuinfo, this processor's features among them; none where there is no such file."""
    cpu_info = Path("/proc/cpuinfo")
    return set(cpu_info.read_text().split()) if cpu_info.exists() else set()


def measure(folder: Path) -> Peak:
    """Compiles and runs peak.c in an existing folder."""
    width, flags = next((found for name, found in VECTORS.items() if name in features()), OTHER_VECTORS)
    program = folder / "peak"
    command = ["gcc", "-std=gnu99", "-O3", "-ffp-contract=fast", *flags, f"-DVECTOR_BYTES={width}", str(SOURCE)]
    subprocess.run([*command, "-o", str(program)], check=True)
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    macs, bandwidth = map(float, output.split())
    return Peak(macs, bandwidth, width // 4)
