"""examples/federated_watch.py in its short form: one person left out, few rounds."""

import pytest


def test_nine_watches_teach_what_one_cannot(capsys) -> None:
    import federated_watch

    assert federated_watch.main(subject=7, rounds=8) > 0.6
    said = capsys.readouterr().out
    assert "a watch sends 4,932 B a round" in said


def test_fewer_bits_are_fewer_bytes(capsys) -> None:
    import federated_watch

    federated_watch.main(subject=7, rounds=1, bits=2)
    assert "a watch sends 2,009 B a round" in capsys.readouterr().out


def test_nobody_else_can_be_left_out() -> None:
    import federated_watch

    from gradmote.errors import DataError

    with pytest.raises(DataError, match="no subject 11"):
        federated_watch.main(subject=11)
