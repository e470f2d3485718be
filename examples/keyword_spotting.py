"""Keyword spotting that adapts to its owner: a DS-CNN that knows eight words from eight voices learns a ninth voice,
with an accent, from four recordings of each word. The speech is SYNTHETIC: espeak-ng speaks it.

    ./run example keyword_spotting
    ./run example keyword_spotting --voice pl+m2            # any voice and variant of `espeak-ng --voices`
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx

from gradmote import losses, optimizers
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, Result, compile_model
from gradmote.device import Dataset, TwinTarget, evaluate, fit_with_progress, load_with_progress, open_target

from data import spoken_words
from shared import report
from shared.log_mel import log_mel
from shared.networks import Network

VOICES = ("en-us+m1", "en-us+m3", "en-gb-x-rp+m7", "en+Michael", "en-us+f1", "en-gb-x-rp+f3", "en+linda", "en-029+f4")
FRAMES, BANDS, BATCH = 40, 20, 4
RATE, TUNING_RATE = 0.004, 0.002


def network() -> onnx.ModelProto:
    net = Network((1, FRAMES, BANDS))
    net.conv(8, kernel=(5, 3), stride=2, padding=(2, 1)).batch_norm().relu()
    net.depthwise_separable(24, stride=2).depthwise_separable(32, stride=2)
    return net.flatten().linear(len(spoken_words.WORDS)).model()


def features(
    voices: Sequence[str], speeds: Sequence[int], pitches: Sequence[int], seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return log-mel pictures (n, 1, FRAMES, BANDS) and words (n,): each voice, speed and pitch, in four noises."""
    sounds, words = spoken_words.record(voices, speeds, pitches, takes=4, seed=seed)
    return np.stack([log_mel(sound, spoken_words.RATE, FRAMES, BANDS) for sound in sounds])[:, None], words


def recordings(voices: Sequence[str], seed: int) -> Dataset:
    """Return four recordings of each word by each voice to learn from, and four others to test on."""
    train = features(voices, speeds=(140, 170), pitches=(35, 60), seed=seed)
    return Dataset(*train, *features(voices, speeds=(150, 160), pitches=(40, 55), seed=seed + 1))


def compiled_for(model: onnx.ModelProto, rate: float) -> Result:
    return compile_model(model, losses.cross_entropy(), optimizers.adamw(rate), Options(batch=BATCH))


def pretrain(known: Dataset, epochs: int) -> onnx.ModelProto:
    """Return the factory model, trained on the twin."""
    model = network()
    with TwinTarget() as target:
        target.load_image(compiled_for(model, RATE).image)
        target.set_linear_schedule(RATE, warmup_steps=0, total_steps=epochs * (len(known.x) // BATCH))
        fit_with_progress(target, known, epochs)
        return trained_model(model, target.save())


def main(voice: str = "es+m5", epochs: int = 10, voices: int = len(VOICES), on: str = "twin") -> tuple[float, float]:
    """Pre-train on VOICES voices, then train on VOICE. Returns the accuracy on that voice before and after."""
    with report.working(f"espeak-ng speaks in {voices + 1} voices (synthetic speech)"):
        known, owner = recordings(VOICES[:voices], seed=0), recordings([voice], seed=2)
    compiled = compiled_for(pretrain(known, epochs), TUNING_RATE)
    with open_target(on) as target:
        load_with_progress(target, compiled.image)
        before, before_known = evaluate(target, owner).accuracy, evaluate(target, known).accuracy
        target.set_linear_schedule(TUNING_RATE, warmup_steps=0, total_steps=epochs * (len(owner.x) // BATCH))
        fit_with_progress(target, owner, epochs)
        after, after_known = evaluate(target, owner).accuracy, evaluate(target, known).accuracy
    rows = {f"the new voice, {voice}": (before, after), "the voices known before": (before_known, after_known)}
    report.before_after(f"Words of synthetic speech recognized, on {target.name}", rows)
    report.on_the_board(compiled)
    return before, after


if __name__ == "__main__":
    report.run(main)
