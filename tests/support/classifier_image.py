"""A small image, written word by word from the spec's tables, and therefore independent of the compiler.

logits = x W with x [2, 3], W [3, 4]; the mean softmax cross-entropy of two labels; SGD. It has all five programs.
"""

from __future__ import annotations

import struct
import zlib
from array import array

from gradmote.generated import records
from gradmote.generated.opcodes import OPCODES
from gradmote.generated.optimizers import RULES

BATCH, FEATURES, CLASSES = 2, 3, 4
WEIGHTS = [0.5, -0.25, 0.125, 1.0, -0.5, 0.75, 0.0, -1.0, 0.25, 0.375, -0.625, 0.5]
LEARNING_RATE = 0.5
PROPERTIES = 2

#: One batch.
PIXELS = array("f", [1.0, -2.0, 0.5, 0.25, 3.0, -1.0])
LABELS = array("i", [2, 0])

# ---- Arena ------------------------------------------------------------------------------------------------------

_SIZES = {
    "w": 48, "control": 48, "properties": 32 * PROPERTIES,  # state
    "dw": 48,  # gradients
    "x": 24, "labels": 8,  # inputs
    "logits": 32, "log_prob": 32, "loss": 4, "dlogits": 32, "row": 48,  # scratch
}  # fmt: skip
AT = {name: sum(list(_SIZES.values())[:i]) for i, name in enumerate(_SIZES)}
ARENA_SIZE = sum(_SIZES.values())
STATE_SIZE, SCRATCH = AT["dw"], AT["logits"]

# ---- Constants: 1.0, and the rule of plain SGD --------------------------------------------------------------------

_CONSTANTS = struct.pack("<f12x", 1.0) + struct.pack("<I7f", RULES["sgd"]["kind"], *[0.0] * 7)
_ONE = records.CONSTANT_BIT
_RULE = records.CONSTANT_BIT | 16


def _word(value: float | str, choices: tuple[str, ...]) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", choices.index(value))
    return struct.pack("<f", value) if isinstance(value, float) else struct.pack("<I", value & 0xFFFFFFFF)


def _instruction(opcode: str, operands: list[int | None], params: dict[str, float | str]) -> bytes:
    spec = OPCODES[opcode]
    assert len(operands) == len(spec["operands"]) and list(params) == list(spec["params"])
    words = [_word(records.NONE if at is None else at, ()) for at in operands]
    words += [_word(value, spec["params"][name][1]) for name, value in params.items()]
    return struct.pack("<I", spec["code"] | (1 + len(words)) << 16) + b"".join(words)


def _gemm(a: int, b: int, y: int, **params: int) -> tuple[bytes, int]:
    sizes = {"batch": 1, "m": 0, "n": 0, "k": 0, "a_batch": 0, "a_row": 0, "a_col": 0, "b_batch": 0, "b_row": 0,
             "b_col": 0, "accumulate": 0, "activation": "none"} | params  # fmt: skip
    return _instruction("GEMM", [a, b, None, y], sizes), params["m"] * params["n"] * params["k"]


def _cross_entropy(gradient: bool) -> tuple[bytes, int]:
    params = {"outer": BATCH, "classes": CLASSES, "inner": 1, "loss_outer": 0, "loss_inner": 0, "reduction": "mean",
              "ignore_index": -100, "smoothing": 0.0, "log_input": 0}  # fmt: skip
    if gradient:
        operands = [_ONE, AT["log_prob"], AT["labels"], None, None, AT["dlogits"]]
        return _instruction("SOFTMAX_CROSS_ENTROPY_GRAD", operands, params), BATCH * CLASSES
    operands = [AT["logits"], AT["labels"], None, None, AT["log_prob"], AT["loss"]]
    return _instruction("SOFTMAX_CROSS_ENTROPY", operands, params), BATCH * CLASSES


def _update(gradient: int, scale: int | None) -> tuple[bytes, int]:
    rate = AT["control"] + 4 * [name for name, _, _ in records.RECORDS["control"]].index("learning_rate")
    n = FEATURES * CLASSES
    return _instruction("UPDATE", [gradient, AT["w"], None, None, None, rate, scale, _RULE], {"n": n}), n


def _weight_gradient(y: int, accumulate: int) -> tuple[bytes, int]:
    """Return the instruction dW[k, n] = sum over the batch of x[b, k] dlogits[b, n]."""
    return _gemm(AT["x"], AT["dlogits"], y, m=FEATURES, n=CLASSES, k=BATCH, a_row=1, a_col=FEATURES, b_row=CLASSES,
                 b_col=1, accumulate=accumulate)  # fmt: skip


def _programs() -> dict[str, list[tuple[bytes, int]]]:
    forward = [_gemm(AT["x"], AT["w"], AT["logits"], m=BATCH, n=CLASSES, k=FEATURES, a_row=FEATURES, a_col=1,
                     b_row=CLASSES, b_col=1)]  # fmt: skip
    loss = [*forward, _cross_entropy(gradient=False)]
    scale = AT["control"] + 4 * [name for name, _, _ in records.RECORDS["control"]].index("gradient_scale")
    return {
        "infer": forward,
        "eval": loss,
        "train": [*loss, _cross_entropy(gradient=True), _weight_gradient(AT["dw"], 1)],
        "optimizer": [_update(AT["dw"], scale)],
        "step": [*loss, _cross_entropy(gradient=True), _weight_gradient(AT["row"], 0), _update(AT["row"], None)],
    }


# ---- Tables -----------------------------------------------------------------------------------------------------


def _dims(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (len(shape), *shape, *[1] * (records.MAX_RANK - len(shape)))


_NAMES = b"x\0labels\0logits\0loss\0w\0"
_NAMES += bytes(-len(_NAMES) % 4)


def _tensor(name: str, role: str, programs: str, dtype: str, shape: tuple[int, ...]) -> bytes:
    bits = sum(1 << records.PROGRAM[program] for program in programs.split())
    bits |= bits << len(records.PROGRAM) if shape[:1] == (BATCH,) else 0  # samples do not depend on each other
    return struct.pack("<13I", _NAMES.index(name.encode() + b"\0"), records.ROLE[role], bits, records.DTYPE[dtype],
                       *_dims(shape), AT[name], _SIZES[name])  # fmt: skip


def _state_entry(role: str, shape: tuple[int, ...], at: str, name: int, gradient: int) -> bytes:
    dtype = records.DTYPE["f32" if role == "parameter" else "i32"]
    return struct.pack("<13I", name, records.STATE_ROLE[role], dtype, *_dims(shape), AT[at], _SIZES[at], gradient)


def _initial() -> bytes:
    control = {"learning_rate": LEARNING_RATE, "base_learning_rate": LEARNING_RATE, "gradient_scale": 1.0}
    words = [_word(control.get(name, 0), ()) for name, _, _ in records.RECORDS["control"]]
    return struct.pack("<12f", *WEIGHTS) + b"".join(words)


def _sections() -> dict[str, bytes]:
    programs, code = b"", b""
    for kind, instructions in _programs().items():
        stream = b"".join(words for words, _ in instructions)
        work = sum(trips for _, trips in instructions)
        programs += struct.pack("<7I", records.PROGRAM[kind], len(code), len(stream), len(instructions), ARENA_SIZE,
                                work, 0)  # fmt: skip
        code += stream
    tensors = [
        _tensor("x", "input", "infer eval train step", "f32", (BATCH, FEATURES)),
        _tensor("labels", "label", "eval train step", "i32", (BATCH,)),
        _tensor("logits", "output", "infer eval", "f32", (BATCH, CLASSES)),
        _tensor("loss", "loss", "eval train step", "f32", ()),
    ]
    state = [
        _state_entry("parameter", (FEATURES, CLASSES), "w", _NAMES.index(b"w\0"), AT["dw"]),
        _state_entry("control", (12,), "control", records.NONE, records.NONE),
        _state_entry("properties", (8 * PROPERTIES,), "properties", records.NONE, records.NONE),
    ]
    return {
        "tensors": b"".join(tensors), "programs": programs, "code": code, "constants": _CONSTANTS,
        "initial": _initial(), "state": b"".join(state), "names": _NAMES, "store": b"",
    }  # fmt: skip


def classifier_image() -> bytes:
    """Return the bytes of the .mote file."""
    body, table, start = b"", b"", 144  # the header's 140 bytes, padded
    for name in records.SECTION:
        section = _sections()[name]
        table += struct.pack("<2I", start + len(body), len(section))
        body += section + bytes(-len(section) % records.SECTION_ALIGN)
    fields = struct.pack("<4I11I", 1, 2, 3, 4, ARENA_SIZE, STATE_SIZE, _SIZES["w"], AT["dw"], _SIZES["dw"], SCRATCH,
                         AT["control"], AT["properties"], PROPERTIES, BATCH, records.NONE)  # fmt: skip
    rest = fields + table + bytes(4) + body
    head = struct.pack("<4I", records.IMAGE_MAGIC, records.FORMAT_VERSION, 16 + len(rest), zlib.crc32(rest))
    return head + rest
