"""Memory at aligned addresses: of an image, and of an arena."""

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

    No pointer is made of a memoryview: if both belong to a cycle, the garbage collector of some Pythons (3.10, 3.11
    up to 3.11.7, 3.12.0 and 3.12.1) clears the memoryview first, and the end of the pointer then crashes.

    Attributes:
        owner: What keeps the bytes.
        pointer: The bytes for C, with their length; plain, so that it does not keep them.
        view: The bytes for Python.
    """

    owner: Any
    pointer: Any
    view: memoryview


def of_image(ffi: Any, image: Any) -> Memory:
    """Return the memory of an image: in place where it is aligned `bytes`, else a copy.

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

    What comes after the first `state` bytes begins with a line of caches: there are the tensors that vectors are loaded
    from. Large memory is asked to lie in huge pages, where the system has them.
    """
    huge = size >= _HUGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE")
    alignment, behind = _HUGE_PAGE if huge else _CACHE_LINE, -state % _CACHE_LINE // _ALIGNMENT * _ALIGNMENT
    room = size + alignment - 1 + behind
    memory: Any = _pages(room) if huge else bytearray(room)
    owner = ffi.from_buffer(memory)
    start = -int(ffi.cast("uintptr_t", owner)) % alignment + behind
    return Memory(owner, owner[start : start + size], memoryview(memory)[start : start + size])


def _pages(size: int) -> Any:
    """Return `size` zero bytes of this process alone, which take no memory before they are used."""
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):  # kernels that were built without huge pages
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
