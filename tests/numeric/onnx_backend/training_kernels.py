"""The kernels that only training needs, which the WebAssembly modules for inference lack."""

from __future__ import annotations

from collections.abc import Mapping

from numeric.onnx_backend.page import Facts

from gradmote.generated.opcodes import OPCODES

#: What node tests do not run on: guards of training, which are small, what draws numbers, and sums over a batch.
UNTESTED = {"CHECK_FINITE", "CHECK_BOUND", "RANDOM_UNIFORM", "SUM"}
#: What quantized models infer by, and what runs layers row by row.
QUANTIZED = {"QUANTIZE", "DEQUANTIZE", "COPY_S8", "MATMUL_S8", "CONV_S8", "CONV_TRANSPOSE_S8"} | {
    f"{name}_S8" for name in ("ADD", "MUL", "MAX_POOL", "AVERAGE_POOL")
}
LOOPS = {"LOOP", "GUARD", "SHIFT"}


def training_kernels(facts: Mapping[str, Facts]) -> list[str]:
    """Return all opcodes that neither the inference of an operator or of a quantized model needs, nor loops."""
    kept = set().union(UNTESTED, QUANTIZED, LOOPS, *(found.kernels.forward for found in facts.values()))
    return [name for name in OPCODES if name not in kept]
