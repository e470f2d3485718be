"""Fashion-MNIST: a depthwise-separable CNN (the shape of MobileNet and of MLPerf Tiny's keyword spotter) learns to
distinguish clothes, from scratch, on the twin of a board. BatchNorm keeps its statistics and trains its scales.

    ./run example fashion_ds_cnn                                                    # about two minutes
    ./run example fashion_ds_cnn --samples 6000 --epochs 1
"""

from __future__ import annotations

import onnx

from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.device import evaluate, fit_with_progress, load_with_progress, open_target

from data import fashion_mnist
from shared import report
from shared.networks import Network

BATCH, RATE = 8, 0.004


def network() -> onnx.ModelProto:
    net = Network((1, 28, 28))
    net.conv(8, kernel=3, stride=2, padding=1).batch_norm().relu()
    net.depthwise_separable(24, stride=2).depthwise_separable(48, stride=2)
    return net.flatten().linear(10).model()


def main(epochs: int = 3, samples: int = 60_000, test_samples: int = 10_000, on: str = "twin") -> float:
    """Train for EPOCHS on the first SAMPLES pictures. Returns the accuracy on test pictures."""
    pictures = fashion_mnist.load(samples, test_samples)
    compiled = compile_model(network(), losses.cross_entropy(), optimizers.adamw(RATE), Options(batch=BATCH))
    with open_target(on) as target:
        load_with_progress(target, compiled.image)
        before = evaluate(target, pictures).accuracy
        target.set_linear_schedule(RATE, warmup_steps=0, total_steps=epochs * (samples // BATCH))
        trained = fit_with_progress(target, pictures, epochs)
        after = evaluate(target, pictures).accuracy
    report.before_after(f"Fashion-MNIST, on {target.name}", {"accuracy on test pictures": (before, after)})
    seconds = sum(epoch.seconds for epoch in trained.epochs)
    report.say(f"{epochs * samples / seconds:,.0f} pictures a second, {seconds:.0f} s of training")
    report.on_the_board(compiled)
    return after


if __name__ == "__main__":
    report.run(main)
