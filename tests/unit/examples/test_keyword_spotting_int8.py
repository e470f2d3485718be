"""examples/keyword_spotting_int8.py with fewer voices."""


def test_it_gets_used_to_a_voice() -> None:
    import keyword_spotting_int8

    before, after = keyword_spotting_int8.main(epochs=2, voices=2)
    assert after > before + 0.1
