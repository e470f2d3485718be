"""A session and the package say what they are."""

from __future__ import annotations

import gradmote
from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.formats.image.read import read_image
from support.oracle import make_model, node, values

LINEAR = make_model([node("Gemm", "x w b", "y")], {"w": values(1, 4, 3), "b": values(2, 3)}, {"x": ("N", 4)})


def test_session():
    image = compile_model(LINEAR, losses.mse(), optimizers.adamw(0.1), Options(batch=2)).image
    with gradmote.Session(image, "strict") as session:
        session.step(values(3, 2, 4), values(4, 2, 3))
        text = repr(session)
        arena = session.requirements()["arena_size"]
        assert text == (
            f"<Session: model {read_image(image).model_id.hex()[:8]}; parameters w, b; arena {arena:,} bytes; "
            "optimizer adamw; 1 steps; profile strict>"
        )
    assert repr(session) == "<Session: closed>"


def test_one_that_only_infers():
    image = compile_model(LINEAR, options=Options(batch=2)).image
    with gradmote.Session(image, "strict") as session:
        assert "parameters none" in repr(session) and "optimizer none" in repr(session)


def test_completion_finds_the_session():
    assert {"Session", "__version__"} <= set(dir(gradmote))
