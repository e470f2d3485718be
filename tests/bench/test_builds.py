"""Build systems add little to the runtime, and their page says how much."""

from __future__ import annotations

from pathlib import Path

from bench.builds.__main__ import lines_by_hand
from bench.builds.lines import WRITTEN, counts, files_of


def test_little_is_written_by_hand() -> None:
    assert sum(counts(system)[1] for system in WRITTEN) <= 1200


def test_the_page_has_the_lines(root: Path) -> None:
    """`python -m bench.builds --page ../docs/guides/cmake.md` writes them."""
    page = (root / "docs" / "guides" / "cmake.md").read_text()
    assert "".join(f"| {' | '.join(cells)} |\n" for cells in lines_by_hand()) in page


def test_no_file_is_counted_twice(root: Path) -> None:
    files = [path for system in WRITTEN for path in files_of(system)]
    assert len(set(files)) == len(files) and (root / "bindings" / "rust" / "src" / "session.rs") in files
