"""Memory at aligned addresses, for images and arenas."""

from __future__ import annotations

import contextlib
import mmap
from dataclasses import dataclass
from typing import Any

from .arrays import buffer_of

_ALIGNMENT, _CACHE_LINE, _HUGE_PAGE = 16, 64, 1 << 21


@dataclass(frozen=True)
class Memory:
    """Bytes at an address that is a multiple of 16.

    Pointers never refer to a memoryview: if both belong to a cycle, the garbage collector of some Pythons (3.10, 3.11
    up to 3.11.7, 3.12.0 and 3.12.1) clears the memoryview first, and destroying the pointer then crashes.

    Attributes:
        owner: The owner of the bytes.
        pointer: The bytes for C, with their length; it does not keep them alive.
        view: The bytes for Python.
    """

    owner: Any
    pointer: Any
    view: memoryview


def of_image(ffi: Any, image: Any) -> Memory:
    """Return the memory of an image: in place if it is aligned `bytes`, else a copy.

    A buffer that could change after its verification is always copied.
    """
    if isinstance(image, bytes):
        pointer = ffi.from_buffer(image)
        if int(ffi.cast("uintptr_t", pointer)) % _ALIGNMENT == 0:
            return Memory(pointer, pointer, memoryview(image))
    source = buffer_of(image, "the image").cast("B")
    copy = of_zeros(ffi, len(source))
    copy.view[:] = source
    return copy


def of_zeros(ffi: Any, size: int, state: int = 0) -> Memory:
    """Return memory of `size` zero bytes.

    The part after the first `state` bytes begins at a cache line, because it has the tensors that vector loads read.
    Large memory asks for huge pages, if the system has them.
    """
    huge = size >= _HUGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE")
    alignment, behind = _HUGE_PAGE if huge else _CACHE_LINE, -state % _CACHE_LINE // _ALIGNMENT * _ALIGNMENT
    room = size + alignment - 1 + behind
    memory: Any = _pages(room) if huge else bytearray(room)
    owner = ffi.from_buffer(memory)
    start = -int(ffi.cast("uintptr_t", owner)) % alignment + behind
    return Memory(owner, owner[start : start + size], memoryview(memory)[start : start + size])


def _pages(size: int) -> Any:
    """Return `size` zero bytes, private to this process, which take no memory before they are used."""
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):  # kernels built without huge pages
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
