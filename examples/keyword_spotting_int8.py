"""Keyword spotting in int8 on a part with 64 KB of RAM: all weights of a depthwise separable CNN learn a voice with
an accent, one sample per step. In float32 the same network would need more than twice as much. The speech is
SYNTHETIC: espeak-ng speaks it.

    ./run example keyword_spotting_int8
    ./run example keyword_spotting_int8 --voice pl+m2
"""

from __future__ import annotations

import onnx
from keyword_spotting import BANDS, FRAMES, VOICES, recordings

from gradmote import losses, optimizers, quantize_model
from gradmote.compiler import Options, Result, compile_model
from gradmote.device import evaluate, fit_with_progress, load_with_progress, open_target

from data import spoken_words
from shared import report
from shared.networks import Network
from shared.pretraining import pretrained

PRETRAINING_EPOCHS, PRETRAINING_BATCH, PRETRAINING_RATE, CALIBRATION = 10, 4, 0.004, 128
RATE = 0.01


def network() -> onnx.ModelProto:
    net = Network((1, FRAMES, BANDS))
    net.conv(24, kernel=(5, 3), stride=2, padding=(2, 1)).batch_norm().relu()
    net.depthwise_separable(48, stride=2).depthwise_separable(48).depthwise_separable(64, stride=2)
    return net.global_average_pool().linear(len(spoken_words.WORDS)).model()


def compiled_for(model: onnx.ModelProto, batch_norm: str | None = None) -> Result:
    return compile_model(model, losses.cross_entropy(), optimizers.sgd(RATE), Options(batch=1), batch_norm=batch_norm)


def main(voice: str = "es+m5", epochs: int = 5, voices: int = len(VOICES), on: str = "twin") -> tuple[float, float]:
    """Learn VOICE, which differs from all VOICES voices before. Returns the accuracy on it before and after."""
    with report.working(f"espeak-ng speaks in {voices + 1} voices (synthetic speech)"):
        known, owner = recordings(VOICES[:voices], seed=0), recordings([voice], seed=2)
    settings = (PRETRAINING_EPOCHS, PRETRAINING_RATE, PRETRAINING_BATCH, "batch")
    knows = pretrained("keyword_spotting_int8", network(), known, *settings)
    compiled = compiled_for(quantize_model(knows, known.x[:: len(known.x) // CALIBRATION]))
    with open_target(on) as target:
        load_with_progress(target, compiled.image)
        before, before_known = evaluate(target, owner).accuracy, evaluate(target, known).accuracy
        target.set_linear_schedule(RATE, warmup_steps=0, total_steps=epochs * len(owner.x))
        fit_with_progress(target, owner.without_test(), epochs)
        after, after_known = evaluate(target, owner).accuracy, evaluate(target, known).accuracy
    rows = {f"the new voice, {voice}": (before, after), "the voices known before": (before_known, after_known)}
    report.before_after(f"Words of synthetic speech recognized, on {target.name}", rows)
    report.on_the_board(compiled)
    in_float = compiled_for(knows, "fold").layout.arena_size
    report.say(f"in float32 the same steps take {in_float:,} B of RAM")
    return before, after


if __name__ == "__main__":
    report.run(main)
