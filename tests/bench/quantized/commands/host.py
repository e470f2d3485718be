"""Times a step of training on this computer, in float32 and in int8, and writes it to docs/QUANTIZATION.md.

Each figure is the shortest of all calls, which take turns, so that other work on the computer counts little.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np
import onnx
from bench.quantized import page

from gradmote import Session, compile_model, losses, optimizers
from gradmote.compiler import Options
from support.quantized import by_onnxruntime

NETWORKS = {name: (by_onnxruntime.NETWORKS | by_onnxruntime.MORE)[name] for name in
            ("ds_cnn", "resnet_8", "mobilenet_v1", "mobilenet_v2")}  # fmt: skip
#: Form -> the network in it.
FORMS: dict[str, Callable[[str], onnx.ModelProto]] = {
    "float32": by_onnxruntime.float_network,
    "int8, int16 gradients": by_onnxruntime.network,
}
BATCHES = (1, 32)
#: So small that networks stay as they are.
RATE = 1e-9


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quantized host", description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each network and batch (default: 4)")
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS), help="without the page")
    chosen = parser.parse_args(arguments)
    columns, rows = ["network", "batch", *FORMS, "float32 / int8"], []
    for network in chosen.networks:
        for batch in BATCHES:
            rows.append(row(network, batch, chosen.seconds))
            print("\n".join(page.markdown(columns, rows[-1:])[2:]), flush=True)
    if chosen.networks == list(NETWORKS):
        page.write("host", columns, rows)


def row(network: str, batch: int, seconds: float) -> list[str]:
    steps = {form: step(network, form, batch) for form in FORMS}
    shortest = dict.fromkeys(FORMS, float("inf"))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for form, call in steps.items():
            started = time.perf_counter()
            call()
            shortest[form] = min(shortest[form], time.perf_counter() - started)
    first, last = shortest.values()
    return [NETWORKS[network], str(batch), *(f"{1e3 * found:.2f} ms" for found in (first, last)), f"{first / last:.2f}"]


def step(network: str, form: str, batch: int) -> Callable[[], object]:
    """Return what trains all weights with one batch of noise."""
    made = compile_model(FORMS[form](network), losses.cross_entropy(), optimizers.sgd(0.01), Options(batch=batch))
    session = Session(made.image)
    session.learning_rate = RATE
    x, y = by_onnxruntime.samples(network, batch), np.zeros(batch, np.int64)
    session.step(x, y)
    return lambda: session.step(x, y)
