"""examples/anomaly_autoencoder.py with fewer passes."""


def test_it_finds_the_bleeding() -> None:
    import anomaly_autoencoder

    assert anomaly_autoencoder.main(epochs=8) > 0.93
