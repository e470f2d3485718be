"""examples/char_transformer.py in its short form."""

import numpy as np


def test_it_learns(capsys) -> None:
    """A bit better than counting single characters."""
    import char_transformer

    from data import manual

    assert char_transformer.main(steps=600) < char_transformer.counted_bits(*manual.load(), 0) - 1
    assert "of RAM" in capsys.readouterr().out


def test_the_future_is_masked() -> None:
    """Another last character changes the scores of no place before it."""
    import char_transformer
    import onnx.reference

    model = onnx.reference.ReferenceEvaluator(char_transformer.network())
    tokens = np.arange(char_transformer.LENGTH)[None]
    other = tokens.copy()
    other[0, -1] = 0
    a, b = (model.run(None, {"tokens": t})[0] for t in (tokens, other))
    np.testing.assert_array_equal(a[:, :, :-1], b[:, :, :-1])
    assert (a[:, :, -1] != b[:, :, -1]).any()
