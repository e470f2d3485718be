"""Bounds on what an MLP 64-32-10 may cost on a Cortex-M4F, and on a CNN's code. Exact counts: they do not depend on
this machine's speed."""

import shutil

import pytest

pytestmark = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
)


@pytest.fixture(scope="module")
def figures():
    from bench.mlp_on_cortex_m4 import measure

    from gradmote import optimizers

    return measure(optimizers.sgd(0.1), levels=["O2"])


def test_code_for_speed_of_runtime_and_kernels_is_under_16_kb(figures):
    assert figures["fused_O2"] < 16 * 1024
    assert figures["text_O2"] < 16 * 1024
    assert figures["rounds_O2"] < 1800, "what rounds of federated learning add"


def test_code_for_size_of_runtime_and_kernels_is_under_16_kb(tmp_path):
    from bench.mlp_on_cortex_m4 import compiled, sizes

    from gradmote import optimizers

    figures = sizes(compiled(optimizers.sgd(0.1), 1), "Os", tmp_path)
    assert figures["text_Os"] < 16 * 1024
    assert figures["fused_Os"] < 16 * 1024
    assert figures["rounds_Os"] < 1800, "what rounds of federated learning add"


@pytest.mark.parametrize("profile", ["fused", "strict"])
def test_code_of_a_cnns_trainer_is_under_32_kb(tmp_path, profile):
    from bench.mlp_on_cortex_m4 import trainer_text
    from bench.speed.cases import training

    from gradmote.formats.kernel_selection import needs_of

    flags = needs_of(training("cnn", "sgd", 1).image).flags()
    assert trainer_text("-O2", flags, tmp_path, profile) < 32 * 1024


def test_arena_with_parameters_is_under_11_kb(figures):
    assert figures["arena"] < 11 * 1024


def test_a_step_takes_at_least_five_times_fewer_instructions_than_aifes(figures):
    from bench.mlp_on_cortex_m4 import AIFES_INSTRUCTIONS

    assert figures["instructions"] * 5 < AIFES_INSTRUCTIONS


def test_the_instruction_stream_costs_under_2_percent(figures):
    assert 0 < figures["stream_overhead"] < 0.02
