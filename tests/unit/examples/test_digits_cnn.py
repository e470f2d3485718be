"""examples/digits_cnn.py in its short form."""


def test_it_learns(capsys) -> None:
    import digits_cnn

    assert digits_cnn.main(epochs=2) > 0.9
    assert "of RAM" in capsys.readouterr().out
