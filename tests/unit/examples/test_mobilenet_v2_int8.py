"""examples/mobilenet_v2_int8.py on a part of its data."""


def test_it_gets_used_to_another_camera() -> None:
    import mobilenet_v2_int8

    before, after = mobilenet_v2_int8.main(samples=200, epochs=1, known_samples=3_000, pretraining_epochs=1)
    assert after > before + 0.1
