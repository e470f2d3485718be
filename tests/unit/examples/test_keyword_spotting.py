"""examples/keyword_spotting.py with fewer voices, and its features against their formula."""

import numpy as np
import pytest


def test_it_gets_used_to_a_voice() -> None:
    import keyword_spotting

    before, after = keyword_spotting.main(epochs=5, voices=2)
    assert after > before + 0.1


def test_a_tone_is_in_the_band_of_its_frequency() -> None:
    from shared.log_mel import log_mel, mel

    rate, bands = 16_000, 20
    sound = np.sin(2 * np.pi * 1000 * np.arange(rate) / rate)
    features = log_mel(sound, rate, frames=40, bands=bands)
    place = (mel(1000.0) - mel(80.0)) / (mel(rate / 2) - mel(80.0)) * (bands + 1) - 1
    assert features.shape == (40, bands)
    assert (np.abs(features.argmax(1) - place) <= 0.5).all()
    assert features.mean() == pytest.approx(0, abs=1e-3) and features.std() == pytest.approx(1, abs=1e-3)
