"""All quantized networks under one name each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import onnx

from support.quantized import by_onnxruntime, exported, mcunet
from support.quantized.by_onnxruntime import Form


@dataclass(frozen=True)
class Entry:
    """make: returns None if the network's data is not on this computer; reason says how to get it."""

    name: str
    make: Callable[[], onnx.ModelProto | None]
    reason: str = ""


def entries() -> Iterator[Entry]:
    """Yield the entries, small ones first."""
    for name in exported.NAMES:
        yield Entry(name.removeprefix("quantized_"), partial(exported.network, name))
    for extra in by_onnxruntime.EXTRA:
        form = Form(extra=extra)
        yield Entry(f"DS-CNN {form}", partial(by_onnxruntime.network, "ds_cnn", form))
    for name, title in by_onnxruntime.MORE.items():
        yield Entry(f"{title} {Form()}", partial(by_onnxruntime.network, name))
    for name, title in by_onnxruntime.NETWORKS.items():
        for form in by_onnxruntime.FORMS:
            yield Entry(f"{title} {form}", partial(by_onnxruntime.network, name, form))
    for name, title in mcunet.NETWORKS.items():
        yield Entry(title, partial(mcunet.network_or_none, name), mcunet.reason())
