"""Text direction: an unchanged pre-trained model (PaddleOCR's classifier, which decides whether a line of text is
upside down) learns a new script. Only its last convolution and its head train; the rest stays in flash.

    ./run example text_direction
    ./run example text_direction --language ka              # Georgian instead of Armenian; see data/text_lines.py
"""

from __future__ import annotations

from pathlib import Path

import onnx

from gradmote import losses, optimizers
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, compile_model
from gradmote.device import evaluate, fit_with_progress, load_with_progress, open_target

from data import rapidocr_model, text_lines
from shared import report

LAST_LAYERS = ["conv_last*", "fc*"]
BATCH, RATE = 4, 0.005


def main(
    language: str = "hy",
    epochs: int = 1,
    lines: int = 200,
    test_lines: int = 100,
    on: str = "twin",
    out: Path = Path("build/text_direction.onnx"),
) -> tuple[float, float]:
    """Train on LINES words of LANGUAGE and write the better model to OUT. Returns the accuracy before and after."""
    new, english = text_lines.load(language, lines, test_lines), text_lines.load("en", 1, test_lines)
    model = rapidocr_model.load()
    loss = losses.cross_entropy(through_softmax=True)  # the model ends in a Softmax; training goes around it
    compiled = compile_model(model, loss, optimizers.adamw(RATE), Options(batch=BATCH), train=LAST_LAYERS)
    with open_target(on) as target:
        load_with_progress(target, compiled.image)
        with report.working(f"{target.name} reads {4 * test_lines} pictures"):
            before, before_english = evaluate(target, new).accuracy, evaluate(target, english).accuracy
        target.set_linear_schedule(RATE, warmup_steps=0, total_steps=epochs * (len(new.x) // BATCH))
        fit_with_progress(target, new, epochs)
        with report.working(f"{target.name} reads them again"):
            after, after_english = evaluate(target, new).accuracy, evaluate(target, english).accuracy
        better = trained_model(model, target.save())
    out.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(better, out)
    rows = {f"held-out words, {language}": (before, after), "English words": (before_english, after_english)}
    report.before_after(f"Lines whose direction is recognized, on {target.name}", rows)
    report.say(f"wrote the better model, for any ONNX runtime: {out}")
    report.on_the_board(compiled)
    return before, after


if __name__ == "__main__":
    report.run(main)
