"""An image as a C header, for a program that carries its model in flash."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import ImageError
from .image import read_image

PER_LINE = 16

TEXT = """/* {title}: {size:,} bytes of flash, {arena:,} bytes of arena. Written by `gradmote header`; do not edit. */
#ifndef {upper}_H
#define {upper}_H

#include <stdint.h>

#define {upper}_ARENA_BYTES {arena}

#if defined(__cplusplus)
alignas(16)
#else
__attribute__((aligned(16)))
#endif
static const uint8_t {name}_image[{size}] = {{
{rows}
}};

#endif
"""


def identifier(text: str) -> str:
    """Return a C identifier that resembles a text: other characters become _, a bad start gets the prefix `model_`."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    if re.match(r"[A-Za-z]", name):
        return name
    return f"model_{name.strip('_')}".rstrip("_")


def c_header(source: str | Path, name: str) -> str:
    """Return the text of a header with `<name>_image`, 16-byte aligned, and `<NAME>_ARENA_BYTES`.

    It is valid C99 and C++11. Raises ImageError if the file is not an image, or `name` not a C identifier.
    """
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise ImageError(f"'{name}' is not a C identifier", "give one of letters, digits and _: --name model")
    image = read_image(source)
    data = Path(source).read_bytes()
    lines = (data[i : i + PER_LINE] for i in range(0, len(data), PER_LINE))
    rows = "\n".join("    " + " ".join(f"0x{byte:02x}," for byte in line) for line in lines)
    arena, upper = image.header["arena_size"], name.upper()
    return TEXT.format(title=Path(source).name, name=name, upper=upper, size=len(data), arena=arena, rows=rows)
