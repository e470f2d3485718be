"""A large file is read while the page goes on: it draws, shows how far reading is, and reading can be stopped."""

from __future__ import annotations

from pathlib import Path

from studio.large import COLUMNS, read, write_large

SAMPLES = 8_000


def test_the_page_goes_on_while_it_reads(tmp_path: Path) -> None:
    found = read(write_large(tmp_path, SAMPLES)[:1])
    (table,) = found["found"]
    assert table["arrays"][:3] == ["x", f"{SAMPLES:,}", str(COLUMNS)] and table["notice"] == []
    assert table["shown"] >= 3 and table["frames"] > table["shown"], "the bar moves while the page draws"
    assert found["kept"] == table["arrays"] and found["notice"] == [] and found["problems"] == []
