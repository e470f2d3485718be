"""Print how long `--check` takes on real networks, and its worst figures.

cd tests && python -m bench.checks
"""

from __future__ import annotations

import io
import logging
import time
import warnings
from collections.abc import Callable, Iterator

import onnx
import torch
from bench.memory import cases
from bench.speed import sequences
from numeric.models.transformers import TRANSFORMERS

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.checking import check
from gradmote.compiler import Options, compile_image
from gradmote.compiler.compile import keeping_gradients
from support.quantized import small_cnn

REFERENCE = ("mlp", "lenet", "ds_cnn", "resnet_8", "autoencoder", "mobilenet_v1")
BATCH = 2


def models() -> Iterator[tuple[str, Callable[[], onnx.ModelProto], Options, bool]]:
    """Yield name, model, options, and whether its labels are classes."""
    for name in REFERENCE:
        yield name, lambda name=name: cases.model(name), Options(batch=BATCH), cases.classes(name) is not None
    for name in list(TRANSFORMERS)[:5]:
        yield f"transformer {name}", lambda name=name: exported(name), Options(batch=BATCH), True
    for name in ("LSTM", "GRU"):
        yield name, lambda name=name: sequences.NETWORKS[name](BATCH), Options(batch=BATCH), True
    for weights in ("int8", "int16"):
        yield f"CNN with {weights} weights", small_cnn.model, Options(batch=BATCH, weights=weights), True


def exported(name: str) -> onnx.ModelProto:
    """A transformer as PyTorch's older exporter writes it."""
    from numeric.models.test_transformers import batches

    spec, buffer = TRANSFORMERS[name], io.BytesIO()
    settings = {"input_names": ["x"], "output_names": ["y"], "dynamo": False, "dynamic_axes": {"x": {0: "N"}},
                "do_constant_folding": False}  # fmt: skip
    torch.onnx.export(spec.make().eval(), (torch.from_numpy(next(batches(spec))[0]),), buffer, **settings)
    return onnx.load_model_from_string(buffer.getvalue())


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    for name, make, options, has_classes in models():
        model = make()
        loss = losses.cross_entropy() if has_classes else losses.mse()
        made = build_artifacts(model, None, loss, optimizers.adamw())
        result = compile_image(made, options)
        start = time.monotonic()
        found = check(result.image, keeping_gradients(result, made, options), made, model)
        print(f"{name:32} {time.monotonic() - start:5.1f} s  {found.summary()}", flush=True)


if __name__ == "__main__":
    main()
