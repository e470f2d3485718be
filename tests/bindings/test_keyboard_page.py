"""The page of examples/keyboard_files.py, with a small model: its owner types, and it learns what the twin learns."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from gradmote.device import TwinTarget
from support import npm_package

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))


def test_the_page_learns_what_the_twin_learns() -> None:
    from bindings import keyboard_page

    from data import bible
    from next_word.network import SPARE, Size, fresh
    from next_word.vocabulary import most_frequent

    npm_package.require()
    if not shutil.which("chromium") or not shutil.which("bible"):
        pytest.skip("there is no chromium or no text: apt-get install chromium bible-kjv")
    size, sentences = Size(words=254, spare=32, width=8, hidden=16), bible.load().own["revelation"][0]
    general = fresh(SPARE + size.words, size, seed=0)
    words = most_frequent(bible.load().others, size.words)
    found = keyboard_page.on_page(general, words, size, sentences)
    assert "error" not in found and not found["problems"], found
    with TwinTarget("strict") as twin:
        digest, vocabulary = keyboard_page.on_target(twin, general, words, size, sentences)
    assert found["restored"] and found["digest"] == digest
    assert found["own"] == f"Your own words: {', '.join(vocabulary.own)}"
    assert all(word.startswith("sa") for word in found["completed"]) and len(set(found["completed"])) == 3
    assert found["accepted"] == f"And he {found['completed'][0]} "
    assert len(set(found["after"])) == 3 and "Learned" in found["status"]
    assert found["requests"] == 0
