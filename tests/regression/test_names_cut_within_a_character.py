"""A name of more than 255 bytes is cut after a whole character: the rest of one made a name that is not valid UTF-8."""

from __future__ import annotations

import ctypes

from gradmote.compiler import compile_model
from support.firmware import ROOT, run_scons
from support.oracle import make_model, node, values

#: As GM_HANDLE_NAME and gm_handle_tensor say: the name, then ten numbers.
NAME, RECORD = 256, 256 + 40
INPUT = 0


def name_of_input(image: bytes) -> bytes:
    run_scons("libraries")
    library = ctypes.CDLL(str(ROOT / "build" / "libraries" / "libgradmote_strict.so"))
    library.gm_handle_open.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32]
    library.gm_handle_open.restype = ctypes.c_int64
    library.gm_handle_tensor_at.argtypes = [ctypes.c_int64, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_char_p]
    library.gm_handle_close.argtypes = [ctypes.c_int64]
    record, handle = ctypes.create_string_buffer(RECORD), library.gm_handle_open(image, len(image), 1)
    assert handle > 0 and library.gm_handle_tensor_at(handle, INPUT, 0, record) == 0
    assert library.gm_handle_close(handle) == 0
    return record.raw[:NAME].rstrip(b"\0")


def test_it_is_cut_after_a_whole_character() -> None:
    for name, expected in (("x" * 300, "x" * 255), ("ü" * 200, "ü" * 127), ("x" + "ü" * 127, "x" + "ü" * 127)):
        model = make_model([node("MatMul", f"{name} w", "y")], {"w": values(1, 4, 3)}, {name: (1, 4)})
        assert name_of_input(compile_model(model).image).decode() == expected
