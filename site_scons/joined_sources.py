"""Join the runtime's sources into a few, for a wheel that is compiled on installation.

With a file that includes all sources, the compiler reads each header once, most of all immintrin.h. Sources with the
same bits in both numerics profiles are compiled once for both.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from runtime_sources import RUNTIME

#: The sources of `src` that multiply and add floats.
PROFILED = ("arithmetic.c", "numerics.c", "plain_numerics.c")


def is_alike(source: Path) -> bool:
    """Return whether both profiles compile a source to the same code, because it has no sums of float products.

    That holds for sources that read and verify files, and for integer kernels, which say so in their names.
    """
    part = source.relative_to(RUNTIME).parts[0]
    return source.stem.endswith(("s8", "s16")) or (part != "kernels" and source.name not in PROFILED)


def join(sources: Iterable[Path], target: Path) -> Path:
    """Write a source that includes all these, and return its path."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(f'#include "{source.resolve().as_posix()}"\n' for source in sources))
    return target
