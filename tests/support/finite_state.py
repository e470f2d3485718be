"""Networks, rules and numbers of any size, with which tests show that OK means a finite state; and states that no
training made, in checkpoints that anyone could write."""

from __future__ import annotations

import struct
import zlib
from functools import cache

import numpy as np

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.formats.checkpoint import as_half, checked_header
from gradmote.formats.image import read_image
from gradmote.ir.program import CONTROL_FIELDS
from support.oracle import make_model, node

BATCH = 3
#: The limits of a state when training begins (docs/NUMERICS.md), which updates preserve.
LIMITS = 2.0 ** np.array([60, 63, 64, 69, 88, 127])
RULES = {
    "sgd": optimizers.sgd(0.1),
    "sgd_decay": optimizers.sgd(0.1, weight_decay=0.01),
    "momentum": optimizers.sgd(0.1, momentum=0.9),
    "nesterov_decay": optimizers.sgd(0.1, momentum=0.9, nesterov=True, weight_decay=1e-3),
    "adam": optimizers.adam(0.01),
    "adam_decay": optimizers.adam(0.01, weight_decay=0.01),
    "adamw": optimizers.adamw(0.01),
    "adamw_ort": optimizers.adamw_ort(0.01, weight_decay=0.01),
    "clipped": optimizers.adamw(0.01, clip_norm=1.0),
    "clipped by value": optimizers.sgd(0.1, momentum=0.9, clip_value=1.0),
    "groups": optimizers.adamw(0.01).with_groups({"[vcw]*": {"learning_rate": 0.3, "weight_decay": 0.5}}),
}


def weights(**shapes: tuple[int, ...]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    return {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def perceptron():
    nodes = [node("Gemm", "x w b", "h"), node("Relu", "h", "r"), node("Gemm", "r v c", "y")]
    return make_model(nodes, weights(w=(6, 8), b=(8,), v=(8, 3), c=(3,)), {"x": ("N", 6)})


def convolutions():
    nodes = [node("Conv", "x w b", "h", pads=[1, 1, 1, 1]), node("Relu", "h", "r"), node("Conv", "r u", "s")]
    nodes += [node("Flatten", "s", "f"), node("Gemm", "f v c", "y")]
    return make_model(nodes, weights(w=(4, 1, 3, 3), b=(4,), u=(4, 4, 3, 3), v=(16, 3), c=(3,)), {"x": ("N", 1, 4, 4)})


def normalized():
    known = weights(w=(4, 1, 3, 3), scale=(4,), bias=(4,), v=(16, 3), c=(3,))
    known |= {"mean": np.zeros(4, np.float32), "var": np.ones(4, np.float32)}
    nodes = [node("Conv", "x w", "h"), node("BatchNormalization", "h scale bias mean var", "n"), node("Relu", "n", "r")]
    nodes += [node("Flatten", "r", "f"), node("Gemm", "f v c", "y")]
    return make_model(nodes, known, {"x": ("N", 1, 4, 4)})


def recurrent():
    nodes = [
        node("Transpose", "x", "t", perm=[1, 0, 2]),
        node("LSTM", "t w r b", "s h", hidden_size=4),
        node("Squeeze", "h axis", "last"),
        node("Gemm", "last v c", "y"),
    ]
    known = weights(w=(1, 16, 2), r=(1, 16, 4), b=(1, 32), v=(4, 3), c=(3,))
    return make_model(nodes, {**known, "axis": np.array([0], np.int64)}, {"x": ("N", 5, 2)})


NETWORKS = {f.__name__: f for f in (perceptron, convolutions, normalized, recurrent)}


@cache
def image_of(network: str, rule: str, accumulate: bool) -> bytes:
    made = build_artifacts(NETWORKS[network](), None, losses.cross_entropy(), RULES[rule], batch_norm="batch")
    return compile_image(made, Options(batch=BATCH, accumulate=accumulate)).image


def magnitudes(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return numbers with uniform logarithms in a part of float32's range, sometimes with one non-finite number."""
    low, high = np.sort(rng.uniform(-38, 38, 2))
    found = (10 ** rng.uniform(low, high, n) * rng.choice([-1, 1], n)).astype(np.float32)
    if rng.random() < 0.1:
        found[rng.integers(n)] = rng.choice(np.array([np.inf, -np.inf, np.nan], np.float32))
    return found


@cache
def places(image: bytes) -> list[tuple[str, int, int]]:
    """Return name, offset and size in bytes of each float32 tensor of the state and of the learning rate.

    A tensor's name is its role (parameter, slot or statistic) and its own name.
    """
    made = read_image(image)
    pieces = [e for e in made.state if e["role"] in ("parameter", "slot", "statistic")]
    rate = made.header["control_offset"] + 4 * CONTROL_FIELDS.index("learning_rate")
    return [*((f"{e['role']} {e['name']}", e["offset"], e["size"]) for e in pieces), ("rate", rate, 4)]


def numbers(state: bytes | memoryview | bytearray, image: bytes) -> dict[str, np.ndarray]:
    """Return the float32 values of the state by name, as views of its bytes."""
    found = np.frombuffer(state, np.uint8)
    return {name: found[offset : offset + size].view(np.float32) for name, offset, size in places(image)}


def is_finite(state: bytes | memoryview, image: bytes) -> bool:
    return all(np.isfinite(array).all() for array in numbers(state, image).values())


def size_of(network: str) -> int:
    """Return the number of inputs in one batch."""
    return {"perceptron": 6, "recurrent": 10}.get(network, 16) * BATCH


# ---- States that no training made


def forged(kept: bytes, image: bytes, rng: np.random.Generator) -> bytes:
    """Return the checkpoint with another state: any bits in some of its words, all words of a piece at a limit of the
    proof, other counters and rates. Its checksum is valid. Sometimes it is packed."""
    size = checked_header(kept)["state_size"]
    file = bytearray(kept)
    state = memoryview(file)[-size:]
    pieces = [array.view(np.uint32) for array in numbers(state, image).values()]
    for array in (pieces[k] for k in rng.integers(len(pieces), size=rng.integers(1, 4))):
        disturb(array, rng)
    if rng.random() < 0.1:
        control = read_image(image).header["control_offset"]
        disturb(np.frombuffer(state, np.uint32, len(CONTROL_FIELDS), control), rng)
    if rng.random() < 0.2:
        file = bytearray(as_half(sealed(file)))
        if rng.random() < 0.5:
            rest = np.frombuffer(file, np.uint16)[-size // 2 // 2 :]
            rest[rng.integers(rest.size)] = rng.integers(2**16)
    return sealed(file)


def disturb(words: np.ndarray, rng: np.random.Generator) -> None:
    """Set some of these words, or all, to any bits, or to numbers at a limit."""
    chosen = rng.permutation(words.size)[: rng.choice([1, 1, 3, words.size])]
    if rng.random() < 0.5:
        words[chosen] = rng.integers(2**32, size=chosen.size, dtype=np.uint32)
    else:
        near = np.float32(rng.choice(LIMITS)).view(np.uint32) + rng.integers(-2, 2)
        words[chosen] = near | rng.choice([0, 1 << 31]) * rng.integers(2, size=chosen.size)


def sealed(file: bytes | bytearray) -> bytes:
    """Return the file with the correct checksum."""
    return bytes(file[:12]) + struct.pack("<I", zlib.crc32(file[16:])) + bytes(file[16:])
