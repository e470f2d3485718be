"""A build for a model that only infers: nothing of what trains is in it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gradmote import losses, optimizers
from gradmote.formats.kernel_selection import needs_of
from runtime_sources import CORTEX_M4_FLAGS, INCLUDES, NUMERICS_FLAGS, WARNING_FLAGS, runtime_sources
from support import objects
from support.oracle import compiled, make_model, node, values

MAIN = Path(__file__).resolve().parents[2] / "bench" / "inference_main.c"
OUTSIDE = ("image", "image_size", "arena", "arena_size")
#: What a program that only opens and infers has of the runtime, beside the kernels.
RUNTIME = {
    "gm_open", "gm_arithmetic_differs", "gm_required", "gm_verify", "gm_verify_store", "gm_verify_programs",
    "gm_verify_operands", "gm_verify_image", "gm_product_of_terms", "gm_extent", "gm_term_value", "gm_crc32",
    "gm_idle", "gm_reset", "gm_infer", "gm_begin", "gm_run", "gm_run_to_end", "gm_loss", "gm_tensor_view",
    "gm_find_tensor", "gm_end_program", "gm_kernels", "gm_shapes", "gm_shape_index", "gm_gemm_matrix", "gm_gemm_row",
    "gm_start_row", "gm_loop_across", "gm_relu_row", "gm_along_4x4", "gm_across_4x4", "gm_outer_4x4",
    "gm_general_4x4", "gm_last_k_4",
    *(f"gm_{name}_{rows}x4" for name in ("strided", "columns") for rows in (2, 3, 4)),
}  # fmt: skip


def network(loss=None, optimizer=None):
    nodes = [node("Gemm", "x w b", "h"), node("Relu", "h", "r"), node("MatMul", "r v", "y")]
    weights = {"w": values(1, 6, 4), "b": values(2, 4), "v": values(3, 4, 3)}
    return compiled(make_model(nodes, weights, {"x": ("N", 6)}), loss, optimizer, batch=1)


def linked(flags: list[str], folder: Path) -> Path:
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("arm-none-eabi-gcc is not installed")
    elf = folder / "inference.elf"
    command = ["arm-none-eabi-gcc", *CORTEX_M4_FLAGS, "-Os", *NUMERICS_FLAGS, *WARNING_FLAGS, "-DGM_FUSED=1", *flags]
    command += ["-ffreestanding", "-ffunction-sections", "-fdata-sections", *(f"-I{path}" for path in INCLUDES)]
    outside = [f"-Wl,--defsym={name}=0x20000000" for name in OUTSIDE]
    link_flags = ["-nostartfiles", "-Wl,--gc-sections", "-Wl,-e,main", "--specs=nano.specs", *outside]
    objects.build(command, [MAIN, *runtime_sources()], elf, *link_flags)
    return elf


def functions(elf: Path) -> set[str]:
    output = subprocess.run(["arm-none-eabi-nm", elf], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in output.splitlines() if line.split()[-1].startswith("gm_")}


def text_size(elf: Path) -> int:
    output = subprocess.run(["arm-none-eabi-size", elf], capture_output=True, text=True, check=True).stdout
    return int(output.splitlines()[1].split()[0])


def test_nothing_that_trains_is_in_it(tmp_path):
    needs = needs_of(network())
    assert not needs.trains and "-DGM_TRAINING=0" in needs.flags()
    found = functions(linked(needs.flags(), tmp_path))
    kernels = {f"gm_kernel_{name.lower()}" for name in needs.kernels}
    assert kernels <= found
    assert found - kernels <= RUNTIME, "what trains, or what a program that infers does not call"


def test_what_training_weighs_in_a_build_that_does_not_need_it(tmp_path):
    flags = needs_of(network()).flags()
    without = text_size(linked(flags, tmp_path))
    with_training = text_size(linked([f for f in flags if f != "-DGM_TRAINING=0"], tmp_path))
    assert without < with_training


def test_a_build_for_a_model_that_trains_keeps_training():
    needs = needs_of(network(), network(losses.cross_entropy(), optimizers.sgd(0.1)))
    assert needs.trains and not any("GM_TRAINING" in flag for flag in needs.flags())
