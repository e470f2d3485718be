"""gm_crc32 is zlib's: of any bytes wherever they begin, and of parts one after the other."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote_runtime.library import load


@pytest.mark.parametrize("profile", ["fused", "strict"])
@given(data=st.binary(max_size=300), start=st.integers(0, 7), cut=st.integers(0, 300), crc=st.integers(0, 2**32 - 1))
def test_it_is_the_crc_of_zlib(profile: str, data: bytes, start: int, cut: int, crc: int) -> None:
    module = load(profile)
    whole = module.ffi.from_buffer(bytes(start) + data)
    cut = min(cut, len(data))
    first = module.lib.gm_crc32(crc, whole + start, cut)
    assert first == zlib.crc32(data[:cut], crc)
    assert module.lib.gm_crc32(first, whole + start + cut, len(data) - cut) == zlib.crc32(data, crc)
