"""Trains a network of MCUNetV3 at some rates, and limits of how far an int8 weight moves in one step, and writes the
mean loss at the end to docs/QUANTIZATION.md. GRADMOTE_MCUNET names the folder with the networks.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bench.quantized import page

from gradmote import compile_model, losses, optimizers
from gradmote_runtime import Session
from support.quantized import mcunet

from data import fashion_mnist

NETWORK, PIXELS, STEPS, AVERAGED = "mbv2-w0.35", 128, 80, 20
LIMITS = {"default": None, "longest step 1": 1.0, "longest step 8": 8.0, "any step": 0.0}


@dataclass(frozen=True)
class Setting:
    title: str
    rate: float
    momentum: float = 0.0


SETTINGS = [
    Setting("0.001, the default", 0.001),
    Setting("0.003", 0.003),
    Setting("0.01", 0.01),
    Setting("0.001, momentum 0.9", 0.001, 0.9),
]


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quantized longest_step", description=__doc__)
    parser.add_argument("--network", choices=mcunet.NETWORKS, help="measure another one, and write nothing")
    given = parser.parse_args(arguments)
    x, y = samples()
    rows = [row(given.network or NETWORK, setting, x, y) for setting in SETTINGS]
    if not given.network:
        page.write("longest step", ["SGD, learning rate", *LIMITS], rows)


def samples() -> tuple[np.ndarray, np.ndarray]:
    """Return pictures (STEPS, 3, PIXELS, PIXELS) in -1 .. 1, and labels."""
    found = fashion_mnist.load(STEPS, 1)
    nearest = np.linspace(0, found.x.shape[2] - 1, PIXELS).round().astype(int)
    pictures = found.x[:, :, nearest][..., nearest].astype(np.float32)
    return np.repeat(pictures / np.float32(127.5) - 1, 3, axis=1), found.y.astype(np.int32)


def row(network: str, setting: Setting, x: np.ndarray, y: np.ndarray) -> list[str]:
    found = [setting.title, *(f"{loss_after(network, setting, limit, x, y):.3g}" for limit in LIMITS.values())]
    print(" | ".join(found), flush=True)
    return found


def loss_after(network: str, setting: Setting, limit: float | None, x: np.ndarray, y: np.ndarray) -> float:
    """Return the mean loss of the last AVERAGED steps with one sample each, all weights trained."""
    sgd = optimizers.sgd(setting.rate, momentum=setting.momentum, clip_steps=limit)
    with Session(compile_model(mcunet.network(network), losses.cross_entropy(), sgd).image) as session:
        seen = [float(session.step(x[i : i + 1], y[i : i + 1])) for i in range(STEPS)]
    return float(np.mean(seen[-AVERAGED:]))
