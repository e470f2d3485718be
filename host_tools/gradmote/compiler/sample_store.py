"""The sample store of an image: samples that `gm_learn` keeps and `gm_replay` trains on.

docs/SPEC.md describes its bytes.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import DataError, ModelError, UnsupportedOperator
from ..formats import records
from ..ir.generated.instructions import SoftmaxCrossEntropy, SoftmaxCrossEntropyWithGrad
from ..ir.instruction import ELEMENT_BYTES, Buffer
from ..ir.program import Binding, Program, Store

Array = np.ndarray[Any, Any]
#: Types of inputs whose samples a store can keep -> NumPy's.
NUMPY_TYPES: dict[str, type[np.generic]] = {"f32": np.float32, "i8": np.int8, "u8": np.uint8}

#: Instructions that read class labels and hold the number of classes.
_Loss = SoftmaxCrossEntropy | SoftmaxCrossEntropyWithGrad


@dataclass(frozen=True)
class StoreOptions:
    """The options of a sample store.

    `capacity` is a number of samples. `dtype` is "int8" (a byte per element, with a scale for each sample) or "f32"
    (exact). Samples of an int8 or uint8 input are always kept unchanged. `x` ([n, ...], of the input's type) and
    `y` ([n], integers) are initial samples; the store keeps a class-balanced selection of them.
    """

    capacity: int
    dtype: str = "int8"
    x: Array | None = None
    y: Array | None = None


def store_of(
    options: StoreOptions | None, programs: Sequence[Program], inputs: Sequence[Binding], seed: int
) -> Store | None:
    """Return the store that the options ask for, or None without options.

    Raises ModelError if no program trains.
    """
    if options is None:
        return None
    if not any(program.kind in ("train", "step") for program in programs):
        raise ModelError("a sample store in an image that does not train", "give --loss, or compile without --store")
    return make_store(options, programs, inputs, seed)


def make_store(options: StoreOptions, programs: Sequence[Program], inputs: Sequence[Binding], seed: int) -> Store:
    """Return the store of a classifier, filled with the initial samples.

    Raises UnsupportedOperator for any other model, and DataError if the samples do not fit it.
    """
    sample, label = classifier_tensors(inputs)
    classes = classes_of(programs, label)
    batch = elements_of(label)
    if elements_of(sample) % batch:
        raise refusal(f"input '{sample.name}' {list(sample.shape)} does not hold {batch} samples, one per label")
    if options.capacity < classes:
        raise DataError(
            f"a store of {options.capacity} samples for {classes} classes",
            f"give --store {classes} or more, so that each class can have a sample",
        )
    elements = elements_of(sample) // batch
    lasts = sample.ref.buffer.region == "input"
    aside = Buffer(f"{sample.name}.aside", ELEMENT_BYTES[sample.dtype] * elements, "input") if lasts else None
    dtype = options.dtype if sample.dtype == "f32" else "bytes"
    store = Store(options.capacity, classes, dtype, elements, Buffer("store", 0, "store"), aside)
    data = initial(store, *chosen(options, store, seed, NUMPY_TYPES[sample.dtype]))
    return replace(store, buffer=Buffer("store", len(data), "store", data))


# ---- Requirements on the model


def refusal(reason: str) -> UnsupportedOperator:
    """Return the error for a model that is not a classifier."""
    hint = "compile without --store; a store takes classifiers with one input of float32, int8 or uint8, and one label"
    return UnsupportedOperator(reason, hint)


def elements_of(binding: Binding) -> int:
    """Return the number of elements of a bound tensor."""
    return math.prod(binding.shape)


def classifier_tensors(inputs: Sequence[Binding]) -> tuple[Binding, Binding]:
    """Return the bindings of the input and the label.

    Raises UnsupportedOperator unless there is exactly one input of float32, int8 or uint8, and one
    int32 label.
    """
    samples = [b for b in inputs if b.role == "input"]
    labels = [b for b in inputs if b.role == "label"]
    for kind, found, dtypes in (("input", samples, NUMPY_TYPES), ("label", labels, ("i32",))):
        if len(found) != 1:
            names = ", ".join(f"'{b.name}'" for b in found) or "none"
            raise refusal(f"a sample store needs one {kind}, and the model has {len(found)}: {names}")
        if found[0].dtype not in dtypes:
            raise refusal(
                f"{kind} '{found[0].name}' holds {found[0].dtype}, and a sample store takes {', '.join(dtypes)}"
            )
    return samples[0], labels[0]


def classes_of(programs: Iterable[Program], label: Binding) -> int:
    """Return the number of classes of the cross-entropy over these labels."""
    for instruction in (i for program in programs for i in program.instructions):
        if isinstance(instruction, _Loss) and is_one_label_a_sample(instruction, label):
            return instruction.classes
    raise refusal(f"label '{label.name}' is not the class of a sample in a cross-entropy")


def is_one_label_a_sample(loss: _Loss, label: Binding) -> bool:
    """Return whether the loss reads this label tensor, with one label for each sample."""
    return loss.labels.buffer is label.ref.buffer and loss.outer == elements_of(label)


# ---- Initial content


def chosen(options: StoreOptions, store: Store, seed: int, kind: type[np.generic]) -> tuple[Array, Array]:
    """Return a class-balanced choice of at most `capacity` of the given samples.

    The result is (samples [n, elements] of the input's type, labels [n]).
    """
    if options.x is None or options.y is None:
        return np.zeros((0, store.elements), kind), np.zeros(0, np.int64)
    x, y = np.asarray(options.x), np.asarray(options.y)
    check_samples(x, y, store)
    if store.dtype == "bytes":
        check_quantized(x, np.dtype(kind))
    x = x.astype(kind)
    return balanced(x.reshape(len(x), store.elements), y.astype(np.int64), store.capacity, seed)


def check_samples(x: Array, y: Array, store: Store) -> None:
    """Raise DataError if the arrays are not samples of the model."""
    if y.dtype.kind not in "iu" or y.shape != (len(x),):
        raise DataError(f"y is {y.dtype} {list(y.shape)}", "give one integer class for each sample")
    if x.size != len(x) * store.elements:
        raise DataError(f"x has shape {list(x.shape)}", f"the model's samples have {store.elements} elements")
    if y.size and not 0 <= int(y.min()) <= int(y.max()) < store.classes:
        raise DataError(f"y holds {y.min()} .. {y.max()}", f"the model's classes are 0 .. {store.classes - 1}")
    if not np.isfinite(x).all():
        raise DataError("x holds NaN or infinity", "look for bad samples")


def check_quantized(x: Array, kind: np.dtype[Any]) -> None:
    """Raise DataError if samples are not integers in the range of the input."""
    limits = np.iinfo(kind)
    if x.dtype.kind not in "iu" or (x.size and not limits.min <= int(x.min()) <= int(x.max()) <= limits.max):
        raise DataError(
            f"x is {x.dtype}, and the model's samples are {kind}",
            "give the quantized numbers, round(x / scale) + zero_point, of the model's QuantizeLinear",
        )


def balanced(x: Array, y: Array, capacity: int, seed: int) -> tuple[Array, Array]:
    """Return at most `capacity` samples, as many of each class as the data allow.

    A class with fewer samples leaves its share to the others.
    """
    order = np.random.default_rng(seed).permutation(len(y))
    rank = np.zeros(len(y), np.int64)  # the position of each sample within its class
    for label in np.unique(y):
        mine = order[y[order] == label]
        rank[mine] = np.arange(len(mine))
    best = order[np.argsort(rank[order], kind="stable")][:capacity]
    rows = best[np.argsort(y[best], kind="stable")]
    return x[rows], y[rows]


def initial(store: Store, x: Array, y: Array) -> bytes:
    """Return the store's initial bytes, with these samples first; each counts as seen once."""
    kept = np.bincount(y, minlength=store.classes)
    full = (kept == kept.max()) if len(y) == store.capacity else np.zeros(store.classes, bool)
    classes = b"".join(
        records.pack("store_class", {"seen": int(n), "kept": int(n), "full": int(f)})
        for n, f in zip(kept, full, strict=True)
    )
    labels = np.zeros(store.capacity, "<u4")
    labels[: len(y)] = y + 1
    scales, samples = encoded(store, x)
    draws = struct.pack("<I", 0)
    return draws + classes + labels.tobytes() + scales + samples + bytes((store.capacity - len(y)) * store.stride)


def encoded(store: Store, x: Array) -> tuple[bytes, bytes]:
    """Return (scales, samples) in the store's format."""
    if store.dtype == "f32":
        return b"", x.astype("<f4").tobytes()
    if store.dtype == "bytes":
        return b"", np.pad(x, ((0, 0), (0, store.stride - store.elements))).tobytes()
    scales = np.zeros(store.capacity, "<f4")
    rows = np.zeros((len(x), store.stride), np.int8)
    for row, sample in enumerate(x):
        scales[row], rows[row, : store.elements] = quantized(sample)
    return scales.tobytes(), rows.tobytes()


def quantized(sample: Array) -> tuple[np.float32, Array]:
    """Return (scale, int8 values) of a sample, computed in binary32.

    scale = max |x| / 127, q = x / scale, rounded to the nearest integer, ties to even.
    """
    scale = np.float32(np.abs(sample).max(initial=np.float32(0)) / np.float32(127))
    if scale == 0:
        return scale, np.zeros(sample.shape, np.int8)
    return scale, np.clip(np.rint(sample / scale), -127, 127).astype(np.int8)
