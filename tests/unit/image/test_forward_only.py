"""An image without a loss carries what inference needs, and nothing of training."""

import functools

import pytest
from bench.memory.cases import artifacts, model

from gradmote.compiler import Options, compile_image, compile_model
from gradmote.formats import records
from gradmote.formats.image import read_image
from gradmote.formats.image.layout import align
from gradmote.formats.kernel_selection import needs_of

#: Weights and biases, each BatchNormalization folded into the convolution before it.
NUMBERS = {"mlp": 2_410, "lenet": 9_098, "ds_cnn": 22_604, "resnet_8": 77_706}
on_networks = pytest.mark.parametrize("name", NUMBERS)


@functools.cache
def forward(name):
    return compile_model(model(name), None, options=Options(properties=0))


@functools.cache
def trained(name):
    return compile_image(artifacts(name, "full"), Options(properties=0))


@on_networks
def test_it_has_the_program_infer_alone(name):
    image = read_image(forward(name).image)
    assert [p["kind"] for p in image.programs] == ["infer"]
    assert {t["role"] for t in image.tensors} == {"input", "output"}
    assert image.scheme == "" and not needs_of(forward(name).image).rules
    kernels = set(needs_of(forward(name).image).kernels)
    assert kernels <= {"ADD", "AVERAGE_POOL", "CONV", "GEMM", "MAX_POOL", "MUL", "REDUCE_SUM", "RELU"}


@on_networks
def test_its_arena_is_input_scratch_and_the_control_record(name):
    result = forward(name)
    header, (state,) = read_image(result.image).header, read_image(result.image).state
    assert state["role"] == "control"
    assert header["state_size"] == records.size_of("control") and header["gradients_size"] == 0
    source = next(t for t in read_image(result.image).tensors if t["role"] == "input")
    scratch = result.layout.placements["infer"].peak
    assert result.layout.arena_size == align(header["state_size"] + source["size"] + scratch)
    assert result.layout.arena_size < trained(name).layout.arena_size


@on_networks
def test_its_constants_are_the_weights(name):
    """A few single numbers, such as the divisor of a mean, are there too."""
    constants = read_image(forward(name).image).constants
    assert 0 <= len(constants) - 4 * NUMBERS[name] < 16


@on_networks
def test_no_section_is_larger_than_with_training(name):
    alone, whole = read_image(forward(name).image), read_image(trained(name).image)
    assert len(forward(name).image) == align(records.size_of("header")) + sum(align(s) for s in alone.sizes.values())
    assert all(alone.sizes[s] <= whole.sizes[s] for s in alone.sizes if s != "constants")
    stored = [i.sizes["constants"] + i.sizes["initial"] for i in (alone, whole)]
    assert stored[0] <= stored[1]
