"""examples/text_direction.py on few lines; its exported model in onnxruntime."""

import onnxruntime


def test_a_real_model_learns_a_script(tmp_path) -> None:
    import text_direction

    from data import text_lines

    before, after = text_direction.main(lines=100, test_lines=25, epochs=1, out=tmp_path / "better.onnx")
    assert after > before + 0.05

    served = onnxruntime.InferenceSession(tmp_path / "better.onnx")
    held_out = text_lines.load("hy", 100, 25)
    (scores,) = served.run(None, {"x": held_out.x_test})
    assert (scores.argmax(1) == held_out.y_test).mean() == after
