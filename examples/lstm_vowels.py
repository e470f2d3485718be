"""Vowels: an LSTM learns to distinguish nine speakers by one syllable, from scratch, on the twin or on a board.

./run example lstm_vowels
./run example lstm_vowels --on qemu:mps2-an386 --epochs 1
"""

from __future__ import annotations

import onnx

from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.device import evaluate, fit_with_progress, load_with_progress, open_target

from data import japanese_vowels as vowels
from shared import report
from shared.networks import Network

HIDDEN, BATCH, RATE = 16, 6, 0.01


def network() -> onnx.ModelProto:
    net = Network((vowels.FRAMES, vowels.COEFFICIENTS))
    return net.lstm(HIDDEN).linear(vowels.SPEAKERS).model()


def main(epochs: int = 20, on: str = "twin") -> float:
    """Train for EPOCHS on twin, qemu:mps2-an386, or the port of a board. Returns the accuracy on held-out speech."""
    samples = vowels.load()
    compiled = compile_model(network(), losses.cross_entropy(), optimizers.adamw(RATE), Options(batch=BATCH))
    with open_target(on) as target:
        load_with_progress(target, compiled.image)
        before = evaluate(target, samples).accuracy
        target.set_linear_schedule(RATE, warmup_steps=0, total_steps=epochs * (len(samples.x) // BATCH))
        fit_with_progress(target, samples, epochs)
        after = evaluate(target, samples).accuracy
        report.before_after(f"Speakers of a vowel, on {target.name}", {"held-out accuracy": (before, after)})
    report.on_the_board(compiled)
    return after


if __name__ == "__main__":
    report.run(main)
