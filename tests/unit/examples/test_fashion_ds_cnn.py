"""examples/fashion_ds_cnn.py on a part of its data."""


def test_it_learns() -> None:
    import fashion_ds_cnn

    assert fashion_ds_cnn.main(epochs=1, samples=4000, test_samples=500) > 0.7
