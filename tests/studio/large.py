"""Print how long the studio reads large files, and its longest frame meanwhile: `python -m studio.large`, in tests."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from studio import page

COLUMNS = 784


def write_large(folder: Path, samples: int) -> list[Path]:
    """Write a table and an archive of that many samples of 784 bytes, and return them, the table first."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 256, (samples, COLUMNS), np.uint8), rng.integers(0, 10, samples)
    np.savez(folder / "large.npz", x=x.astype(np.float32), y=y)
    with (folder / "large.csv").open("w") as file:
        file.writelines(",".join(map(str, row)) + f",{label}\n" for row, label in zip(x.tolist(), y, strict=True))
    return [folder / "large.csv", folder / "large.npz"]


def read(files: list[Path], seconds: float = 300.0) -> dict[str, Any]:
    """Return what the page shows of the files, and how long it took."""
    return page.click("large.mjs", *files, seconds=seconds)


def main(samples: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        files = write_large(Path(name), samples)
        print(f"{'file':12}{'MB':>8}{'seconds':>10}{'frames':>9}{'longest frame, ms':>20}")
        for file, row in zip(files, read(files)["found"], strict=True):
            size = file.stat().st_size / 1e6
            print(f"{file.name:12}{size:8.0f}{row['seconds']:10.1f}{row['frames']:9}{row['longest']:20.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 36_000)
