"""Instructions with the memory that they work on, drawn or taken from networks, for kernels with vectors."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np
from hypothesis import strategies as st

from gradmote.generated.opcodes import OPCODES

#: Kind, weight decay and further numbers of each rule: SGD, momentum, Adam, PyTorch's AdamW, and onnxruntime's.
FACTORS = (0.9, 0.1, 0.999, 0.001, 1e-8)
RULES = ((0, 0.0), (1, 0.0, 0.9, 0.0), (2, 0.0, *FACTORS), (3, 0.01, *FACTORS), (4, 0.01, *FACTORS))
#: Words of the longest one.
RULE_WORDS = 7
CONSTANTS = {"one": 1, "two": 2, "three": 3, "four": 4}
#: channels, outputs, size, kernel, stride, dilation, pad of layers as networks have them: wide rows between borders,
#: few channels, outputs that do not fill whole vectors, a sum that is longer than a panel, borders of each kind, sums
#: of gradients whose taps would be 4 KB apart.
LAYERS = [
    (1, 8, 28, 3, 1, 1, 1), (8, 16, 14, 3, 1, 1, 1), (3, 16, 32, 3, 1, 1, 1), (16, 24, 17, 3, 2, 1, 1),
    (24, 12, 20, 3, 1, 2, 2), (20, 8, 19, 5, 3, 1, 2), (140, 16, 7, 3, 1, 1, 1), (9, 40, 11, 1, 2, 1, 0),
    (6, 6, 4, 3, 1, 4, 4), (8, 4, 15, 5, 1, 1, 2), (16, 8, 14, 3, 1, 8, 8), (8, 4, 12, 3, 1, 1, 2),
    (64, 64, 5, 3, 1, 1, 1), (16, 16, 32, 3, 1, 1, 1), (4, 16, 19, 3, 1, 1, 1), (5, 8, 21, 3, 2, 1, 1),
    (3, 32, 13, 3, 1, 1, 1), (7, 16, 15, 1, 1, 1, 0), (2, 16, 28, 5, 2, 1, 2), (3, 64, 9, 3, 1, 1, 1),
    (2, 8, 2, 5, 1, 1, 2), (1, 16, 1, 5, 1, 1, 2), (2, 8, 3, 4, 3, 2, 4),
]  # fmt: skip
#: The same, with more channels than one part of a sum.
LONG_SUMS = [(1100, 20, 2, 1, 1, 1, 0), (20, 1100, 2, 1, 1, 1, 0)]
#: groups, height, width, kernel, stride, dilation, pad: narrow and wide rows, lines that are cut into columns, groups
#: that do not fill whole vectors, kernels of each length.
DEPTHWISE = [
    (64, 25, 5, 3, 1, 1, 1), (16, 12, 13, 3, 2, 1, 1), (20, 9, 40, 5, 1, 1, 2), (8, 4, 700, 3, 1, 1, 1),
    (9, 6, 300, 3, 2, 1, 0), (8, 3, 1100, 1, 1, 1, 0), (24, 10, 11, 3, 3, 2, 2), (8, 30, 20, 7, 1, 2, 6),
    (12, 5, 5, 2, 1, 1, 1), (8, 90, 90, 3, 1, 40, 40), (16, 1, 1, 3, 1, 1, 1), (40, 6, 7, 3, 1, 1, 1),
    (32, 8, 14, 3, 1, 1, 2), (48, 9, 6, 3, 2, 1, 1), (16, 5, 22, 3, 1, 2, 2), (8, 7, 11, 2, 2, 1, 0),
]  # fmt: skip
#: channels, size, kernel, stride, dilation, pad
POOLS = [
    (8, 28, 2, 2, 1, 0),
    (16, 14, 2, 2, 1, 0),
    (8, 9, 3, 3, 1, 0),
    (16, 15, 3, 2, 1, 1),
    (24, 9, 3, 1, 2, 2),
    (8, 5, 2, 3, 1, 0),
]
INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "u32": np.int32}
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-45, 3e38], np.float32)


def words_of(least: int, most: int) -> Callable[[np.random.Generator, bytes], bytes]:
    """Return what makes words between the bounds of an operand's bytes."""
    return lambda random, data: random.integers(least, most, len(data) // 4, np.int32, endpoint=True).tobytes()


def floats_of(unit: float) -> Callable[[np.random.Generator, bytes], bytes]:
    """Return what makes an operand's floats small enough for some results to be inside of int8 or int16."""
    return lambda _, data: (np.frombuffer(data, np.float32) * np.float32(unit)).tobytes()


#: Operands of kernels of int8 and int16 whose numbers are restricted.
QUANTIZED = {**{f"{name}_exponent": words_of(-24, 0) for name in ("a", "addend", "b", "dy", "x")},
             "gain": words_of(0, 9000), "bias": lambda random, data: data, "multipliers": floats_of(1e-3),
             "units": floats_of(1e-3), "factor": floats_of(1e-3)}  # fmt: skip
#: Kernels of elementary functions, whose operands are of all sizes.
FUNCTIONS = ("EXP", "SIGMOID", "SWISH", "TANH", "GELU", "GELU_TANH", "SOFTMAX", "SOFTMAX_GRAD", "LSTM_CELLS",
             "GRU_CELLS", "RNN_CELLS")  # fmt: skip
#: Recurrent layers -> operands that may be absent.
RECURRENT = {"LSTM_CELLS": ("h0", "c0", "p"), "LSTM_CELLS_GRAD": ("dy", "dyh", "dyc", "p"),
             "GRU_CELLS": ("h0", "bias"), "GRU_CELLS_GRAD": ("dy", "dyh"), "RNN_CELLS": ("h0",),
             "RNN_CELLS_GRAD": ("dy", "dyh")}  # fmt: skip
#: Those that may be absent.
ABSENT = ("bias", "offsets", "addend", "q", "mask", "scale")


class Case:
    """An instruction with the memory that it works on; dims, strides and other parameters drawn by a test."""

    def __init__(self, name: str, parameters: dict[str, int], seed: int, absent: tuple[str, ...] = ()) -> None:
        self.spec, self.parameters = OPCODES[name], parameters
        self.random = np.random.default_rng(seed)
        self.special = self.random.random() < 0.5
        self.spread = np.float32(2.0 ** self.random.integers(-2, 8) if name in FUNCTIONS else 1.0)
        self.regions: list[tuple[int, int]] = []
        self.written: list[tuple[int, int, str]] = []
        self.memory = bytearray(os.urandom(64))
        operands = [self.place(key, *kind[:3]) if key not in absent else 0xFFFFFFFF
                    for key, kind in self.spec["operands"].items()]  # fmt: skip
        words = [*operands, *(parameters[key] & 0xFFFFFFFF for key in self.spec["params"])]
        self.instruction = np.array([(len(words) + 1) << 16 | self.spec["code"], *words], np.uint32)

    def place(self, key: str, access: str, dtype: str, axes: tuple[tuple[str, str | None], ...]) -> int:
        """Return the operand's offset: after the others, with a gap that no kernel may touch."""
        data = self.data(dtype, 1 + self.reach(axes))
        if key in ("slot2", "aux"):
            data = np.abs(np.frombuffer(data, np.float32)).tobytes()
        if key in QUANTIZED:
            data = QUANTIZED[key](self.random, data)
        offset = len(self.memory)
        self.regions.append((offset, len(data)))
        if "w" in access and key not in ("row", "panel"):
            self.written.append((offset, len(data), dtype))
        self.memory += data + os.urandom(-len(data) % 16 + 64)
        return offset

    def data(self, dtype: str, count: int) -> bytes:
        if dtype == "u8":  # numbers of a window's taps, or that of none
            return self.random.choice([0, 1, 2, 3, 4, 255], count).astype(np.uint8).tobytes()
        if dtype == "bit":
            return self.random.bytes(-(-count // 8))
        if dtype in INTEGERS:
            return self.integers(INTEGERS[dtype], count).tobytes()
        return self.rule() if dtype == "rule" else self.values(count).tobytes()

    def integers(self, dtype: type, count: int) -> np.ndarray:
        """Draw layers of all sizes; now and then all have the largest size."""
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        found = self.random.integers(least, most, count, dtype, endpoint=True) >> self.random.integers(8)
        return self.random.choice([least, most], count).astype(dtype) if self.random.random() < 0.1 else found

    def rule(self) -> bytes:
        kind, *numbers = RULES[self.random.integers(len(RULES))]
        return (np.uint32(kind).tobytes() + np.array(numbers, np.float32).tobytes()).ljust(4 * RULE_WORDS, b"\0")

    def reach(self, axes: tuple[tuple[str, str | None], ...]) -> int:
        """The largest index, in elements."""
        last, contiguous = 0, 1
        for dim, stride in reversed(axes):
            size = CONSTANTS.get(dim) or self.parameters[dim]
            last += (size - 1) * (contiguous if stride is None else CONSTANTS.get(stride) or self.parameters[stride])
            contiguous *= size
        return last

    def values(self, count: int) -> np.ndarray:
        found = self.random.normal(size=count).astype(np.float32) * self.spread
        if self.special:
            chosen = self.random.random(count) < 0.02
            found[chosen] = self.random.choice(SPECIAL, int(chosen.sum()))
        return found

    def text(self) -> bytes:
        """Return the case for run_kernels.c."""
        self.memory += bytes(-len(self.memory) % 16)
        head = np.array([len(self.instruction), len(self.regions), len(self.memory)], np.uint32)
        parts = (head, self.instruction, np.array(self.regions, np.uint32))
        return b"".join([*(part.tobytes() for part in parts), self.memory])


def strides(draw: st.DrawFn, dims: dict[str, int], innermost: str | None = None) -> dict[str, int]:
    """Draw strides for the axes in any order, now and then with room between neighbours. dims: stride -> size."""
    order = draw(st.permutations(sorted(dims)))
    if innermost and draw(st.booleans()):
        order = [innermost, *(axis for axis in order if axis != innermost)]
    found, step = {}, 1
    for axis in order:
        found[axis] = step
        step = step * dims[axis] + draw(st.sampled_from([0, 0, 0, 1, 3]))
    return found


sizes = st.one_of(st.integers(1, 20), st.sampled_from([24, 31, 32, 33, 40, 64, 65]))


@st.composite
def products(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    name = draw(st.sampled_from(["GEMM", "GEMM_UPDATE", "MATMUL"]))
    m, n, k = draw(st.one_of(st.just(1), sizes)), draw(sizes), draw(st.one_of(sizes, st.sampled_from([1, 1100])))
    given = {"m": m, "n": n, "k": k, "batch": draw(st.integers(1, 2)), "d0": 1, "d1": draw(st.integers(1, 2)), "a0": 0,
             "b0": 0, "y0": 0}  # fmt: skip
    given |= strides(draw, {"a_row": m, "a_col": k}) | strides(draw, {"b_row": k, "b_col": n})
    given |= {"a_batch": m * k + 3, "b_batch": n * k + 2, "a1": 5, "b1": 3, "y_row": n + draw(st.integers(0, 3))}
    given |= {"y1": m * given["y_row"], "accumulate": draw(st.integers(0, 1)), "activation": draw(st.integers(0, 1))}
    return name, given, ("bias",) if draw(st.booleans()) else ()


@st.composite
def updates(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    return "UPDATE", {"n": draw(sizes)}, ("scale",) if draw(st.booleans()) else ()


@st.composite
def checks(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    return "CHECK_FINITE", {"n": draw(sizes)}, ()


def reach_of(draw: st.DrawFn, axis: str, longest: int = 16) -> dict[str, int]:
    """One axis of a window: input, output, kernel, stride, dilation, pad."""
    kernel, stride, dilation = draw(st.integers(1, 5)), draw(st.integers(1, 3)), draw(st.sampled_from([1, 1, 2]))
    size, pad = draw(st.integers(1, longest)), draw(st.integers(0, 4))
    fit = (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
    outputs = max(1, fit + draw(st.sampled_from([0, 0, -1, 1])))
    return {f"in_{axis}": size, f"out_{axis}": outputs, f"kernel_{axis}": kernel, f"stride_{axis}": stride,
            f"dilation_{axis}": dilation, f"pad_{axis}": pad}  # fmt: skip


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    name = draw(st.sampled_from(["CONV", "CONV_TRANSPOSE", "CONV_GRAD_W", "CONV_UPDATE"]))
    one, few, many = st.just(1), st.integers(1, 3), st.sampled_from([8, 16, 32, 64, 72])
    kinds = [(sizes, sizes, st.sampled_from([1, 1, 2])), (one, one, sizes), (few, many, one), (many, many, one),
             (one, one, many)]  # fmt: skip
    channels, outputs, groups = draw(st.one_of(*(st.tuples(*kind) for kind in kinds)))
    given = {"batch": draw(st.integers(1, 2)), "groups": groups, "in_channels": channels, "out_channels": outputs}
    given |= reach_of(draw, "h") | reach_of(draw, "w", draw(st.sampled_from([16, 16, 40])))
    if draw(st.integers(0, 3)) == 0:
        given |= dict.fromkeys(("kernel_h", "kernel_w", "stride_h", "stride_w"), 1) | {"pad_h": 0, "pad_w": 0}
        given |= {"out_h": given["in_h"], "out_w": given["in_w"]}
    inner = ("x_group", "y_group") if channels * outputs == 1 else ("x_channel", "y_channel")
    batch = given["batch"]
    given |= strides(draw, {"x_batch": batch, "x_h": given["in_h"], "x_w": given["in_w"], "x_group": groups,
                            "x_channel": channels}, inner[0])  # fmt: skip
    given |= strides(draw, {"y_batch": batch, "y_h": given["out_h"], "y_w": given["out_w"], "y_group": groups,
                            "y_channel": outputs}, inner[1])  # fmt: skip
    taps = {"w_h": given["kernel_h"], "w_w": given["kernel_w"]}
    if draw(st.booleans()):
        w_h = given["kernel_w"]
        w_in_channel = w_h * given["kernel_h"]
        given |= {"w_w": 1, "w_h": w_h, "w_in_channel": w_in_channel, "w_out_channel": w_in_channel * channels,
                  "w_group": w_in_channel * channels * outputs}  # fmt: skip
    else:
        given |= strides(draw, {**taps, "w_in_channel": channels, "w_out_channel": outputs, "w_group": groups})
    given |= {"accumulate": draw(st.integers(0, 1)), "activation": draw(st.integers(0, 1))}
    return name, given, ("bias",) if draw(st.booleans()) else ()


@st.composite
def quantized(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    """Convolutions of int8 and int16: shapes and strides are those of float ones."""
    _, given, _ = draw(convolutions())
    name = draw(st.sampled_from(["CONV_S8", "CONV_GRAD_X_S16", "CONV_GRAD_W_S16", "CONV_UPDATE_S16"]))
    byte = st.one_of(st.integers(-128, 127), st.sampled_from([-128, 0, 127]))
    given |= {zero: draw(byte) for zero in ("x_zero", "w_zero", "y_zero", "low", "high")}
    given |= {"limit": draw(st.integers(1, 32767)), "dy_limit": 32767, "p_bytes": draw(st.integers(1, 2)),
              "stream": 3, "panel_words": 1}  # fmt: skip
    if name == "CONV_UPDATE_S16":
        given |= {"limit": int(np.float32(draw(st.sampled_from([1.0, 8.0, 1e9]))).view(np.uint32)), "zero": 3}
    return name, given, ("panel", *(key for key in ABSENT if draw(st.booleans())))


@st.composite
def integers(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    """Updates of stored integers, and sums of int16 over two axes."""
    name = draw(st.sampled_from(["SUM_S16", "UPDATE_S8", "UPDATE_S16"]))
    given = {"outer": draw(st.integers(1, 3)), "channels": draw(sizes), "inner": draw(st.one_of(st.just(1), sizes))}
    axes = {"x_outer": given["outer"], "x_channel": given["channels"], "x_inner": given["inner"]}
    given |= strides(draw, axes, draw(st.sampled_from(["x_channel", "x_inner"])))
    limit = np.float32(draw(st.sampled_from([0.0, 1.0, 2.5, 256.0, 16384.0, 1e9, -1.0, np.nan])))
    given |= {"accumulate": draw(st.integers(0, 1)), "stream": draw(st.integers(0, 9)), "zero": 3}
    given |= {"limit": int(limit.view(np.uint32)), "low": draw(st.sampled_from([-128, -127, -32768, -2147483648]))}
    return name, given | {"high": draw(st.sampled_from([127, 32767, 2147483647]))}, absent_of(draw, "divisor", "scale")


@st.composite
def sums_of_gradients(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    given = {"d0": draw(st.integers(1, 2)), "d1": draw(st.integers(1, 2)), "d2": draw(st.integers(1, 5)),
             "d3": draw(sizes)}  # fmt: skip
    for side in "abs":
        found = strides(draw, {f"{side}{i}": given[f"d{i}"] for i in range(4)}, f"{side}3")
        given |= {axis: draw(st.sampled_from([step, step, step, 0])) for axis, step in found.items()}
    byte = st.integers(-128, 127)
    given |= {"low": draw(byte), "high": draw(byte), "limit": draw(st.integers(1, 32767))}
    other = ("b", "b_exponent") if draw(st.booleans()) else ()
    return "ADD_S16", given, (*other, *absent_of(draw, "q", "mask", "scale"))


@st.composite
def elements_of_integers(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    """Draw elementwise kernels of int8, and the first gradient of int16: plain C that compilers turn into vectors."""
    name = draw(st.sampled_from(["MASK_S8", "QUANTIZE", "DEQUANTIZE", "ADD_S8", "MUL_S8", "QUANTIZE_GRAD_S16"]))
    given = {"n": draw(sizes), "outer": draw(st.integers(1, 3)), "channels": draw(sizes), "inner": draw(sizes)}
    axes = {"x_outer": given["outer"], "x_channel": given["channels"], "x_inner": given["inner"]}
    given |= strides(draw, axes, draw(st.sampled_from(["x_channel", "x_inner"])))
    given |= {"d0": draw(st.integers(1, 2)), "d1": 1, "d2": draw(st.integers(1, 5)), "d3": draw(sizes)}
    for side in "ab":
        given |= strides(draw, {f"{side}{i}": given[f"d{i}"] for i in range(4)}, f"{side}3")
    given |= scalings(draw) | {"limit": draw(st.integers(1, 32767))}
    optional = {"DEQUANTIZE": ("zero",), "QUANTIZE_GRAD_S16": ("q", "mask", "scale")}
    return name, given, absent_of(draw, *optional.get(name, ()))


@st.composite
def pools_of_integers(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    _, given, _ = draw(pools())
    given |= scalings(draw) | {"count_pad": draw(st.integers(0, 1)), "order": draw(st.integers(0, 3))}
    return draw(st.sampled_from(["MAX_POOL_S8", "AVERAGE_POOL_S8"])), given, absent_of(draw, "index")


def scalings(draw: st.DrawFn) -> dict[str, int]:
    """Draw scales, zero points and bounds."""
    byte = st.one_of(st.integers(-128, 127), st.sampled_from([-128, 0, 127]))
    scale = st.sampled_from([0.02, 1 / 3, 1.0, 1e-30])
    found = {name: int(np.float32(draw(scale)).view(np.uint32)) for name in ("scale", "a_scale", "b_scale", "x_scale",
                                                                             "y_scale")}  # fmt: skip
    return found | {name: draw(byte) for name in ("zero", "a_zero", "b_zero", "x_zero", "y_zero", "low", "high")}


def absent_of(draw: st.DrawFn, *operands: str) -> tuple[str, ...]:
    """Draw which operands are absent."""
    return tuple(operand for operand in operands if draw(st.booleans()))


@st.composite
def sums(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    few = st.sampled_from([1, 1, 1, 2, 3])
    kept = {"k0": draw(few), "k1": draw(few), "k2": draw(st.one_of(st.just(1), sizes)), "k3": draw(sizes)}
    gone = {"r0": draw(few), "r1": draw(few), "r2": draw(few), "r3": draw(st.one_of(st.just(1), sizes))}
    axes = {f"{name[0]}s{name[1]}": size for name, size in (kept | gone).items()}
    scale = int(np.float32(draw(st.sampled_from([1.0, 1 / 3, -0.0]))).view(np.uint32))
    innermost = draw(st.sampled_from(["ks2", "ks3", "rs3"]))
    given = kept | gone | strides(draw, axes, innermost) | {"scale": scale, "accumulate": draw(st.integers(0, 1))}
    return "REDUCE_SUM", given, ()


@st.composite
def pools(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    name = draw(st.sampled_from(["MAX_POOL", "MAX_POOL_INDEX_GRAD", "AVERAGE_POOL", "AVERAGE_POOL_GRAD"]))
    given = {"batch": draw(st.integers(1, 2)), "channels": draw(st.sampled_from([1, 5, 8, 16, 24, 77]))}
    given |= reach_of(draw, "h") | reach_of(draw, "w", draw(st.sampled_from([16, 40])))
    given |= {f"padded_{axis}": given[f"in_{axis}"] + 2 * given[f"pad_{axis}"] for axis in "hw"}
    for side, prefix in (("x", "in"), ("y", "out")):
        axes = {f"{side}_batch": given["batch"], f"{side}_channel": given["channels"]}
        axes |= {f"{side}_{axis}": given[f"{prefix}_{axis}"] for axis in "hw"}
        given |= strides(draw, axes, f"{side}_channel")
    absent = ("index",) if name == "MAX_POOL" and draw(st.booleans()) else ()
    return name, given | {flag: draw(st.integers(0, 1)) for flag in ("relu", "count_pad")}, absent


@st.composite
def normalizations(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    name = draw(st.sampled_from(["MOMENTS", "NORMALIZE", "NORMALIZE_SUMS", "NORMALIZE_GRAD"]))
    given = {"outer": draw(sizes), "channels": draw(sizes), "inner": draw(st.sampled_from([1, 1, 1, 7]))}
    given |= {"activation": draw(st.integers(0, 1)), "epsilon": int(np.float32(1e-5).view(np.uint32))}
    optional = {"MOMENTS": ["var"], "NORMALIZE": ["mean", "bias"]}.get(name, [])
    return name, given, tuple(operand for operand in optional if draw(st.booleans()))


@st.composite
def functions(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    """Draw elementary functions, and rows of softmax."""
    name = draw(st.sampled_from([name for name in FUNCTIONS if name not in RECURRENT]))
    given = {"n": draw(sizes), "alpha": int(np.float32(1.25).view(np.uint32)), "outer": draw(st.integers(1, 3))}
    given |= {"classes": draw(sizes), "inner": draw(st.sampled_from([1, 1, 3]))}
    return name, given, ()


@st.composite
def recurrent_layers(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    """Draw recurrent layers and their gradients, of a few steps and samples."""
    name = draw(st.sampled_from(sorted(RECURRENT)))
    hidden, batch = draw(sizes), draw(st.sampled_from([1, 2, 3, 5, 9]))
    given = {"steps": draw(st.integers(1, 3)), "batch": batch, "hidden": hidden, "dy_row": hidden + draw(sizes)}
    slots = draw(st.sampled_from([0, batch * hidden])) if not name.endswith("GRAD") else batch * hidden
    given |= {f"{state}_step": slots for state in ("h", "c", "part")} | {"dy_step": batch * given["dy_row"]}
    given |= {"dpart_step": draw(st.sampled_from([0, batch * hidden]))}
    given |= {flag: draw(st.integers(0, 1)) for flag in ("reverse", "coupled", "reset_after", "relu")}
    return name, given, absent_of(draw, *RECURRENT[name])


@st.composite
def standardizations(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...]]:
    """Draw groups as layer, group and instance norms have them: neighbours are groups, elements, or neither."""
    name = draw(st.sampled_from(["STANDARDIZE", "STANDARDIZE_GRAD"]))
    few = st.integers(1, 3)
    sizes_of = {f"{kind}{i}": draw(few) for kind in "kr" for i in range(3)} | {"k3": draw(sizes), "r3": draw(sizes)}
    innermost = draw(st.sampled_from(["ks3", "rs3", None]))
    given = strides(draw, {f"{axis[0]}s{axis[1]}": size for axis, size in sizes_of.items()}, innermost)
    given |= sizes_of | {"epsilon": int(np.float32(1e-5).view(np.uint32)), "centre": draw(st.integers(0, 1))}
    optional = ["inv_std", "mean", "var"] if name == "STANDARDIZE" else []
    return name, given, tuple(operand for operand in optional if draw(st.booleans()))


DRAWN = {"products": products(), "updates": updates(), "checks": checks(), "convolutions": convolutions(),
         "elements of integers": elements_of_integers(), "pools of integers": pools_of_integers(),
         "quantized convolutions": quantized(), "integers": integers(), "sums of gradients": sums_of_gradients(),
         "sums": sums(), "pools": pools(),
         "normalizations": normalizations(), "functions": functions(),
         "recurrent layers": recurrent_layers(),
         "standardizations": standardizations()}  # fmt: skip


def window(size: int, kernel: int, stride: int, dilation: int, pad: int) -> dict[str, int]:
    """Both axes of a square window over a square image."""
    outputs = (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
    both = {"in": size, "out": outputs, "kernel": kernel, "stride": stride, "dilation": dilation, "pad": pad}
    return {f"{name}_{axis}": value for name, value in both.items() for axis in "hw"}


def dense(prefix: str, size: int, channels: int) -> dict[str, int]:
    """Strides of one operand, (batch, h, w, channels)."""
    steps = {"batch": size * size * channels, "h": size * channels, "w": channels, "channel": 1}
    return {f"{prefix}_{axis}": step for axis, step in steps.items()}


def typical_convolutions(name: str, layer: tuple[int, ...]) -> list[Case]:
    channels, outputs, size, kernel, *rest = layer
    given = {"batch": 2, "groups": 1, "in_channels": channels, "out_channels": outputs}
    given |= {"activation": 1, "accumulate": 0}
    given |= window(size, kernel, *rest) | {"x_group": 0, "y_group": 0, "w_group": 0}
    given |= dense("x", size, channels) | dense("y", given["out_h"], outputs)
    given |= {"w_w": 1, "w_h": kernel, "w_in_channel": kernel**2, "w_out_channel": kernel**2 * channels}
    return [Case(name, given, seed, ("bias",) if seed else ()) for seed in range(2)]


def typical_convolutions_of_integers(name: str, layer: tuple[int, ...]) -> list[Case]:
    channels, outputs, size, kernel, *rest = layer
    given = {"batch": 2, "groups": 1, "in_channels": channels, "out_channels": outputs, "accumulate": 0}
    given |= window(size, kernel, *rest) | {"x_group": 0, "y_group": 0, "w_group": 0}
    given |= dense("x", size, channels) | dense("y", given["out_h"], outputs)
    given |= {"w_w": 1, "w_h": kernel, "w_in_channel": kernel**2, "w_out_channel": kernel**2 * channels}
    given |= {"x_zero": -128, "w_zero": 0, "y_zero": 5, "low": -128, "high": 127, "dy_limit": 32767, "p_bytes": 1}
    given |= {"zero": 0, "stream": 1, "panel_words": 1, "limit": 0x41000000 if name == "CONV_UPDATE_S16" else 12345}
    return [Case(name, given, 0, ("panel", "offsets", "addend", "mask"))]


def depthwise(layer: tuple[int, ...]) -> dict[str, int]:
    """Parameters of a depthwise convolution of two samples whose groups are neighbours."""
    groups, height, width, kernel, stride, dilation, pad = layer
    given = {"batch": 2, "groups": groups, "in_channels": 1, "out_channels": 1, "accumulate": 0}
    for axis, size in (("h", height), ("w", width)):
        given |= {key: value for key, value in window(size, kernel, stride, dilation, pad).items() if key[-1] == axis}
    for side, rows, columns in (("x", height, width), ("y", given["out_h"], given["out_w"])):
        steps = {"w": groups, "h": columns * groups, "batch": rows * columns * groups, "group": 1, "channel": 1}
        given |= {f"{side}_{key}": step for key, step in steps.items()}
    return given | {"w_w": 1, "w_h": kernel, "w_in_channel": 1, "w_out_channel": 1, "w_group": kernel**2}


def depthwise_convolutions(name: str, layer: tuple[int, ...]) -> list[Case]:
    given = depthwise(layer)
    return [Case(name, given | {"accumulate": seed, "activation": seed}, seed, ("bias",) if seed else ())
            for seed in range(2)]  # fmt: skip


def depthwise_convolutions_of_integers(name: str, layer: tuple[int, ...]) -> list[Case]:
    given = depthwise(layer)
    given |= {"x_zero": -128, "w_zero": 0, "y_zero": 5, "low": -128, "high": 127, "dy_limit": 32767, "p_bytes": 1}
    given |= {"zero": 0, "stream": 1, "panel_words": 1, "limit": 0x41000000 if name == "CONV_UPDATE_S16" else 12345}
    absent = (("panel", "offsets", "addend", "mask"), ("panel", "bias", "q", "scale"))
    return [Case(name, given, 0, each) for each in absent]


def typical_pools(name: str, layer: tuple[int, ...]) -> list[Case]:
    channels, size, *rest = layer
    given = {"batch": 2, "channels": channels, "relu": 1} | window(size, *rest)
    outputs = given["out_h"]
    planes = {"y_batch": channels * outputs**2, "y_channel": outputs**2, "y_h": outputs, "y_w": 1}
    both = enumerate((dense("y", outputs, channels), planes))
    return [Case(name, given | dense("x", size, channels) | y, seed) for seed, y in both]


FLOATS = ("CONV", "CONV_TRANSPOSE", "CONV_GRAD_W")
WHOLE = ("CONV_S8", "CONV_GRAD_X_S16", "CONV_GRAD_W_S16", "CONV_UPDATE_S16")
Maker = Callable[[str, tuple[int, ...]], list[Case]]
#: Functions that make cases from a kernel's name and a layer -> names and layers.
TYPICAL: dict[Maker, tuple[Sequence[str], Sequence[tuple[int, ...]]]] = {
    typical_convolutions: (FLOATS, LAYERS),
    typical_convolutions_of_integers: (WHOLE, [*LAYERS, *LONG_SUMS]),
    depthwise_convolutions: ((*FLOATS, "CONV_UPDATE"), DEPTHWISE),
    depthwise_convolutions_of_integers: (WHOLE, DEPTHWISE),
    typical_pools: (("MAX_POOL", "MAX_POOL_INDEX_GRAD"), POOLS),
}
