"""The int8 and int16 kernels among those for one processor."""

from __future__ import annotations

import re
from pathlib import Path


def is_quantized(source: Path) -> bool:
    """Return whether a source of runtime_c/kernels/arch computes with integers of 8 and 16 bits."""
    return (
        re.search(
            "GM_ARCH_(PAIRS|DSP|ADD_S16|AVERAGE_POOL_S8|CONV_GRAD|CONV_UPDATE|STORED|SUM_STEPS)", source.read_text()
        )
        is not None
    )
