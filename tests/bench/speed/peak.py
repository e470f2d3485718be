"""The most that this processor can do, measured by peak.c, and what share of it each layer reaches.

    cd tests && python -m bench.speed.peak [NETWORK] [--batch N] [--rounds N] [--vectors BITS]

It times each product and each large update of a training step, as shares.py says, and prints those shares beside what
they should be.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("peak.c")
#: Feature in /proc/cpuinfo -> bytes of the widest vectors that kernels use with it, and the compiler's options.
VECTORS = {"avx512f": (64, ["-mavx512f", "-mprefer-vector-width=512"]), "avx2": (32, ["-mavx2", "-mfma"])}
OTHER_VECTORS: tuple[int, list[str]] = (16, [])


@dataclass(frozen=True)
class Peak:
    """macs: multiply-accumulates a second of one core. bandwidth: bytes a second of main memory. lanes: of a vector."""

    macs: float
    bandwidth: float
    lanes: int


def features() -> set[str]:
    """Return the words of /proc/cpuinfo, this processor's features among them; none if there is no such file."""
    cpu_info = Path("/proc/cpuinfo")
    return set(cpu_info.read_text().split()) if cpu_info.exists() else set()


def measure(folder: Path) -> Peak:
    """Compile and run peak.c in an existing folder, for all vectors of the processor; the fastest count."""
    found = [width for name, width in VECTORS.items() if name in features()] or [OTHER_VECTORS]
    return max((measure_one(folder, *width) for width in found), key=lambda peak: peak.macs)


def measure_one(folder: Path, width: int, flags: list[str]) -> Peak:
    """Compile and run peak.c for vectors of so many bytes."""
    program = folder / f"peak_{width}"
    command = ["gcc", "-std=gnu99", "-O3", "-ffp-contract=fast", *flags, f"-DVECTOR_BYTES={width}", str(SOURCE)]
    subprocess.run([*command, "-o", str(program)], check=True)
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    macs, bandwidth = map(float, output.split())
    return Peak(macs, bandwidth, width // 4)


def main() -> None:
    """Print the peak, and the shares of all layers."""
    from bench.speed import shares
    from bench.speed.cases import BATCHES, ON_HOST

    from gradmote.terminal.terminal import console, table

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", nargs="?", choices=ON_HOST)
    parser.add_argument("--batch", type=int, action="append", help="1 and 32 where it is not given")
    parser.add_argument(
        "--rounds", type=int, default=25, help="of each timing, of which the fastest counts (default: 25)"
    )
    parser.add_argument("--vectors", type=int, action="append", choices=shares.WIDTHS, help="bits; all where not given")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder))
    console().print(f"peak {found.macs / 1e9:.1f} GMAC/s, main memory {found.bandwidth / 1e9:.1f} GB/s")
    widths = shares.usable(chosen.vectors or list(shares.WIDTHS))
    for network in [chosen.network] if chosen.network else ON_HOST:
        for batch in chosen.batch or BATCHES:
            rows = shares.rows_of(network, batch, widths, chosen.rounds)
            console().print(table(f"{network}, batch {batch}", shares.table_of(rows, widths, found)))


if __name__ == "__main__":
    main()
