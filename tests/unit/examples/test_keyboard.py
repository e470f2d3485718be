"""examples/keyboard.py with a small vocabulary that has seen few verses, and with its own words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture(scope="module", autouse=True)
def build(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Pre-train again, once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADMOTE_BUILD", str(tmp_path_factory.mktemp("build")))
        yield


def test_it_learns_its_writer() -> None:
    import keyboard

    from gradmote.device import TwinTarget

    from next_word.network import Size, general_model
    from next_word.owner import compile_for, learning
    from next_word.vocabulary import Vocabulary

    size = Size(words=254, spare=64, width=16, hidden=32)
    general, words = general_model(0, 1, size, verses=2000)
    vocabulary = Vocabulary(words, size.spare)
    with TwinTarget("strict") as twin:
        compiled = compile_for(general, learning("lora8"), size)
        before, after = keyboard.personalize(twin, compiled, vocabulary, "proverbs", 6000, 1)
    assert 0.15 < before < after - 0.02
    assert {"wisdom", "instruction", "fools"} <= set(vocabulary.own)


def test_what_trains_less_takes_less_memory() -> None:
    """Each way to learn compiles, and those that train more of the head take more RAM."""
    from next_word.network import SPARE, Size, fresh
    from next_word.owner import LEARNINGS, compile_for

    size = Size(words=254, spare=64, width=16, hidden=32)
    general = fresh(SPARE + size.words, size, seed=0)
    ram = {name: compile_for(general, chosen, size).layout.arena_size for name, chosen in LEARNINGS.items()}
    assert ram["bias"] < ram["hidden"] < ram["lora8"] < ram["last"] < ram["full"]
    assert ram["bias"] < ram["lora"] < ram["last"] and ram["bias"] < ram["sparse"] < ram["last"]
    assert ram["lora4"] < ram["lora8"]


def test_the_books_are_whole() -> None:
    from data import bible

    books = bible.load()
    assert len(books.others) + sum(len(c) for book in books.own.values() for c in book) == 31_102
    assert {name: len(chapters) for name, chapters in books.own.items()} == {
        "proverbs": 31, "ezekiel": 48, "revelation": 22, "job": 42,
    }  # fmt: skip
    assert books.own["revelation"][0][3][:6] == ["john", "to", "the", "seven", "churches", "which"]


def test_the_first_words_end_within_a_verse() -> None:
    from next_word.owner import first_words

    verses = [["in", "the", "beginning"], ["and", "god"]]
    assert first_words(verses, 4) == [["in", "the", "beginning"], ["and"]]
    assert first_words(verses, 3) == verses[:1] and first_words(verses, None) == verses


def test_a_word_that_is_typed_twice_gets_a_row() -> None:
    from next_word.vocabulary import SPARE, START, UNKNOWN, Vocabulary

    vocabulary = Vocabulary(["the", "and"], spare=1)
    assert [vocabulary.type(word) for word in ("the", "wisdom", "folly", "wisdom", "folly", "folly")] == [
        SPARE + 1, UNKNOWN, UNKNOWN, SPARE, UNKNOWN, UNKNOWN,
    ]  # fmt: skip
    assert vocabulary.own == ["wisdom"] and vocabulary.words[UNKNOWN] is None and vocabulary.words[START] is None
    scores = np.array([9, 8, 3, 5, 4], np.float32)
    assert vocabulary.suggest(scores) == ["the", "and", "wisdom"]
    assert vocabulary.suggest(scores, "w") == ["wisdom"]


def test_spare_rows_change_no_other_scores() -> None:
    """Beginning with the rows of UNKNOWN, and an adapter that adds nothing."""
    import onnx.reference

    from next_word.network import SPARE, Size, fresh, personal_model

    general = fresh(SPARE + 8, Size(8, 4, 6, 5), seed=1)
    personal = personal_model(general, spare=4, rank=3)
    words = np.array([[0, 1, 5], [2, 9, 3]])
    (known,) = onnx.reference.ReferenceEvaluator(general).run(None, {"words": words})
    moved = np.where(words < SPARE, words, words + 4)
    (scores,) = onnx.reference.ReferenceEvaluator(personal).run(None, {"words": moved})
    np.testing.assert_allclose(np.delete(scores, np.s_[SPARE : SPARE + 4], axis=1), known, rtol=1e-5)
    np.testing.assert_allclose(scores[:, SPARE], known[:, 1] - np.log(1e4), rtol=1e-5)


def test_other_names_are_refused() -> None:
    import keyboard

    from gradmote.errors import DataError, ModelError

    with pytest.raises(DataError, match="no writer 'job'"):
        keyboard.main(book="job")
    with pytest.raises(ModelError, match="no learning 'first'"):
        keyboard.main(book="proverbs", train="first")
