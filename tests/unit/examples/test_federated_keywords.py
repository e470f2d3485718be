"""examples/federated_keywords.py in its short form, with few speakers and rounds; and the words that speakers say."""

import numpy as np
import pytest


def test_devices_teach_what_one_cannot(capsys) -> None:
    import federated_keywords

    alone, together, _ = federated_keywords.main(rounds=20, epochs=2, devices=6, newcomers=2)
    assert together > alone + 0.1
    said = capsys.readouterr().out
    assert "synthetic speech" in said and "a device sends 2,044 B a round, of 15,840 B of parameters" in said


def test_one_speaker_says_few_words_or_all_alike() -> None:
    from data import speakers
    from data.spoken_words import WORDS

    most = {}
    for alpha in (0.1, 100):
        owners = speakers.owners(30, alpha, np.random.default_rng(0))
        shares = [np.bincount(owner.words, minlength=len(WORDS)).max() / len(owner.words) for owner in owners]
        most[alpha] = np.mean(shares)
        assert len({len(owner.words) for owner in owners}) > 20
    assert most[0.1] > 0.6 and most[100] < 0.25


def test_no_owner_has_the_voice_of_a_new_speaker() -> None:
    from data import speakers

    variants = [
        {speaker.voice.split("+")[1] for speaker in who}
        for who in (speakers.owners(30, 1, np.random.default_rng(0)), speakers.newcomers(10))
    ]
    assert [len(names) for names in variants] == [30, 10] and not variants[0] & variants[1]


def test_each_voice_is_another() -> None:
    """espeak-ng speaks with its usual voice if it does not know a variant."""
    from data import speakers
    from data.spoken_words import spoken

    voices = ["en-us", *(f"en-us+{variant}" for variant in speakers.OWNERS + speakers.NEW)]
    sounds = spoken([(0, voice, 150, 50) for voice in voices])
    assert len({sound.tobytes() for sound in sounds}) == len(voices)


@pytest.mark.parametrize(
    ("options", "means"),
    [({"devices": 31}, "no 31 such speakers"), ({"newcomers": 0}, "no 0 such"), ({"alpha": 0}, "alpha is 0")],
)
def test_what_is_impossible_is_refused(options: dict, means: str) -> None:
    import federated_keywords

    from gradmote.errors import DataError

    with pytest.raises(DataError, match=means):
        federated_keywords.main(**{"devices": 1, "newcomers": 1, "rounds": 1, **options})
