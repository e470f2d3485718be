"""The page loads few bytes; `python -m studio.sizes` prints how many."""

from __future__ import annotations

from studio.sizes import measured, total


def test_the_first_load_is_small_and_brings_no_runtime() -> None:
    found = measured()
    assert {"index.html", "main.mjs", "main.css"} <= found["first"].keys()
    assert not [name for name in found["first"] if name.endswith((".wasm", ".whl"))]
    assert total(found["first"])[1] < 100_000
    assert "gradmote-simd.wasm" in found["opened"] and "gradmote.wasm" not in found["opened"]
    assert found["first"].keys() | found["opened"].keys() <= found["kept"].keys()
    assert total(found["kept"])[0] < 2_000_000
