"""examples/lstm_vowels.py in its short form."""


def test_it_learns(capsys) -> None:
    import lstm_vowels

    assert lstm_vowels.main(epochs=6) > 0.85
    assert "of RAM" in capsys.readouterr().out
