"""The words of docs/STYLE.md: what was replaced does not come back."""

from pathlib import Path

import style


def test_no_pattern_comes_back():
    assert style.more(style.counts()) == []


def test_prose_is_comments_docstrings_and_pages(tmp_path: Path):
    page, python, c = (tmp_path / f"a.{ending}" for ending in ("md", "py", "c"))
    page.write_text("x\n```\ncode\n```\n`code` y\n")
    python.write_text('"""Module."""\nA = "string"  # comment\n')
    c.write_text('/* one\n two */\nchar *a = "http://x"; // three\n')
    assert "".join(text for _, text in style.prose(page)).split() == ["x", "y"]
    assert list(style.prose(python)) == [(1, '"""Module."""'), (2, "# comment")]
    assert list(style.prose(c)) == [(1, "/* one\n two */"), (3, "// three")]
