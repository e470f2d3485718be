"""MobileNetV2 in int8 adapts to another camera. It knows clothes from bright pictures, and learns to see them through
a camera that hangs sideways and gives negatives, with all its weights trained.

    ./run example mobilenet_v2_int8                                  # pre-training takes a minute or two, once
    ./run example mobilenet_v2_int8 --train head                     # the last layer alone, which is not enough
"""

from __future__ import annotations

import numpy as np
import onnx

from gradmote import losses, optimizers, quantize_model
from gradmote.compiler import Options, Result, compile_model
from gradmote.device import Dataset, evaluate, fit_with_progress, load_with_progress, open_target

from data import fashion_mnist
from shared import report
from shared.networks import Network
from shared.pretraining import pretrained

#: Expansion, channels, repetitions and stride of the first, of width 0.35 for small pictures. (Sandler et al. 2018)
STAGES = [(1, 8, 1, 1), (6, 8, 2, 1), (6, 16, 3, 2), (6, 24, 4, 2), (6, 32, 3, 1), (6, 56, 3, 2), (6, 112, 1, 1)]
TESTS, CALIBRATION = 1_000, 64
PRETRAINING_BATCH, PRETRAINING_RATE, RATE = 16, 0.003, 0.005


def network() -> onnx.ModelProto:
    net = Network((1, 28, 28)).conv(16, kernel=3, stride=2, padding=1).batch_norm().relu6()
    for expansion, channels, count, stride in STAGES:
        for i in range(count):
            net.inverted_residual(channels, stride if i == 0 else 1, expansion)
    return net.conv(256, 1).batch_norm().relu6().global_average_pool().linear(10).model()


def other_camera(pictures: np.ndarray) -> np.ndarray:
    """Return the bytes from another camera."""
    return np.ascontiguousarray((255 - np.rot90(pictures, axes=(2, 3))) * 0.8).astype(np.uint8)


def seen_by_both(known: int, samples: int) -> tuple[Dataset, Dataset]:
    """Return the pictures that the network knows beforehand, and those that it sees in its new place."""
    given = fashion_mnist.load(known + samples, TESTS)
    new = Dataset(other_camera(given.x[known:]), given.y[known:], other_camera(given.x_test), given.y_test, given.scale)
    return Dataset(given.x[:known], given.y[:known], scale=given.scale), new


def compiled_for(model: onnx.ModelProto, train: str, batch_norm: str | None = None) -> Result:
    loss, sgd, scheme = losses.cross_entropy(), optimizers.sgd(RATE), "head" if train == "head" else "full"
    return compile_model(model, loss, sgd, Options(batch=1), scheme=scheme, batch_norm=batch_norm)


def main(
    samples: int = 600,
    epochs: int = 2,
    train: str = "all",
    known_samples: int = 6_000,
    pretraining_epochs: int = 2,
    on: str = "twin",
) -> tuple[float, float]:
    """Learn from SAMPLES pictures of the new camera, after KNOWN_SAMPLES of the old one. TRAIN: "all" weights, or the
    "head". Returns the accuracy before and after."""
    known, new = seen_by_both(known_samples, samples)
    settings = (pretraining_epochs, PRETRAINING_RATE, PRETRAINING_BATCH, "batch")
    knows = pretrained("mobilenet_v2", network(), known, *settings)
    both = np.concatenate([known.x[:CALIBRATION], new.x[:CALIBRATION]])
    model = quantize_model(knows, (both * known.scale).astype(np.float32))
    compiled, as_float = compiled_for(model, train), compiled_for(knows, train, "fold")
    with open_target(on) as target:
        load_with_progress(target, compiled.image)
        before = evaluate(target, new).accuracy
        target.set_linear_schedule(RATE, warmup_steps=0, total_steps=epochs * samples)
        fit_with_progress(target, new.without_test(), epochs)
        after = evaluate(target, new).accuracy
    report.before_after(f"Clothes before the other camera, on {target.name}", {"pictures recognized": (before, after)})
    report.on_the_board(compiled)
    report.say(f"in float32 the same steps take {as_float.layout.arena_size:,} B of RAM")
    return before, after


if __name__ == "__main__":
    report.run(main)
