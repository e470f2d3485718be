"""Digits: a small convolutional network learns handwritten digits from scratch, on the twin or on a board.

./run example digits_cnn
./run example digits_cnn --on qemu:mps2-an386 --epochs 2
"""

from __future__ import annotations

import onnx

from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.device import evaluate, fit_with_progress, load_with_progress, open_target

from data import digits
from shared import report
from shared.networks import Network

BATCH, RATE = 8, 0.01


def network() -> onnx.ModelProto:
    net = Network((1, 8, 8))
    net.conv(8, kernel=3, padding=1).relu().max_pool(2)
    net.conv(16, kernel=3, padding=1).relu().max_pool(2)
    return net.flatten().linear(10).model()


def main(epochs: int = 10, on: str = "twin") -> float:
    """Train for EPOCHS on twin, qemu:mps2-an386, or the port of a board. Returns the accuracy on held-out digits."""
    samples = digits.load()
    compiled = compile_model(network(), losses.cross_entropy(), optimizers.adamw(RATE), Options(batch=BATCH))
    with open_target(on) as target:
        load_with_progress(target, compiled.image)
        before = evaluate(target, samples).accuracy
        target.set_linear_schedule(RATE, warmup_steps=0, total_steps=epochs * (len(samples.x) // BATCH))
        fit_with_progress(target, samples, epochs)
        after = evaluate(target, samples).accuracy
        report.before_after(f"Digits, on {target.name}", {"held-out accuracy": (before, after)})
    report.on_the_board(compiled)
    return after


if __name__ == "__main__":
    report.run(main)
