"""Trains a network on the twin before it goes to a device, only once: the result is cached in build/."""

from __future__ import annotations

import hashlib

import numpy as np
import onnx

from gradmote import losses, optimizers
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, compile_model
from gradmote.device import Dataset, TwinTarget, fit_with_progress
from gradmote.formats.files import build_folder, make_folder, write_atomically


def pretrained(
    name: str,
    model: onnx.ModelProto,
    data: Dataset,
    epochs: int,
    rate: float,
    batch: int,
    batch_norm: str | None = "frozen",
) -> onnx.ModelProto:
    """Return the model after `epochs` over the data with AdamW, whose rate falls from `rate` to 0. An earlier result
    is reused as long as model, data and training stay the same."""
    key = digest(model, data, f"{epochs} {rate} {batch} {batch_norm}")
    kept = build_folder() / "pretrained" / f"{name}-{key}.onnx"
    if kept.exists():
        return onnx.load(kept)
    compiled = compile_model(
        model, losses.cross_entropy(), optimizers.adamw(rate), Options(batch=batch), batch_norm=batch_norm
    )
    with TwinTarget() as twin:
        twin.load_image(compiled.image)
        twin.set_linear_schedule(rate, warmup_steps=0, total_steps=epochs * (len(data.x) // batch))
        fit_with_progress(twin, data.without_test(), epochs)
        learned = trained_model(model, twin.save())
    make_folder(kept.parent)
    write_atomically(kept, learned.SerializeToString(deterministic=True))
    return learned


def digest(model: onnx.ModelProto, data: Dataset, settings: str) -> str:
    """Return a digest of everything that determines the training."""
    found = hashlib.sha256(model.SerializeToString(deterministic=True) + settings.encode())
    for array in (data.x, data.y, np.array([data.scale, data.zero])):
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]
