"""Schemes on whole networks: they compute, keep and change only what their trained parameters need."""

import functools

import numpy as np
import onnx
import pytest
import torch
from numeric.models.networks import NETWORKS
from numeric.models.onnx_network import onnx_network
from numeric.models.test_against_torch import relative
from onnx import numpy_helper

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import part_of, trained_model
from gradmote.compiler import Options, compile_image, compile_model
from gradmote.report.image_reports import kept_copies
from gradmote_runtime import Session
from support.oracle import run_ort

NAMES = ["lenet", "ds_cnn", "resnet_8"]
SCHEMES = ["full", "head", "last:3", "bias", "bias:last:2", "sparse:0.25", "sparse:0.3:last:4",
           "bias+sparse:0.25:last:2"]  # fmt: skip
BATCH = 2

on_networks = pytest.mark.parametrize("name", NAMES)
with_schemes = pytest.mark.parametrize("scheme", SCHEMES)


@functools.cache
def model(name):
    return onnx_network(NETWORKS[name].make(), NETWORKS[name].shape)


@functools.cache
def made(name, scheme):
    """Return the artifacts of a scheme; of at most three layers for LeNet, which has no more."""
    scheme = scheme.replace("last:4", "last:3") if name == "lenet" else scheme
    return build_artifacts(model(name), None, losses.cross_entropy(), optimizers.sgd(0.01), scheme=scheme)


@functools.cache
def compiled(name, scheme):
    return compile_image(made(name, scheme), Options(batch=BATCH))


def step_program(name, scheme):
    return next(p for p in compiled(name, scheme).compiled.programs if p.kind == "step")


def batches(name, steps=1):
    rng = np.random.default_rng(7)
    spec = NETWORKS[name]
    for _ in range(steps):
        yield rng.normal(0, 1, (BATCH, *spec.shape)).astype(np.float32), rng.integers(0, spec.classes, BATCH)


@functools.cache
def torch_gradients(name):
    """Return the gradients of the first batch in float64."""
    network = NETWORKS[name].make().double()
    x, y = next(batches(name))
    torch.nn.functional.cross_entropy(network(torch.from_numpy(x).double()), torch.from_numpy(y)).backward()
    return {n: p.grad.numpy() for n, p in network.named_parameters()}


# ---- Nothing that no trained parameter needs


def dependent(graph, names):
    """The values of a graph that depend on the named ones."""
    found = set(names)
    for node in graph.node:
        if found & set(node.input):
            found.update(node.output)
    return found


@with_schemes
@on_networks
def test_no_gradient_below_the_deepest_trained_parameter(name, scheme):
    artifacts = made(name, scheme)
    forward, training = artifacts.evaluation.graph, artifacts.training.graph
    needed = dependent(forward, artifacts.parameters)
    below = {v for node in forward.node for v in (*node.input, *node.output) if v not in needed}
    made_gradients = {v.partition("_grad")[0] for node in training.node for v in node.output if "_grad" in v}
    assert not made_gradients & below
    if scheme in ("head", "bias:last:2"):
        assert below > {v for node in forward.node[:2] for v in node.output}


@with_schemes
@on_networks
def test_every_result_has_a_reader(name, scheme):
    """Going back from the end, values that no update, output or check needs are not made, and so not saved."""
    program = step_program(name, scheme)
    needed = program.bound()
    for instruction in reversed(program.instructions):
        written = instruction.writes
        checks = instruction.opcode in ("CHECK_FINITE", "CHECK_BOUND")
        lasting = checks or any(w.buffer.region != "scratch" for w in written)
        assert lasting or any(w.buffer in needed for w in written), (instruction.opcode, instruction.origin)
        needed |= {r.buffer for r in instruction.reads}


@with_schemes
@on_networks
def test_frozen_weights_are_constants_and_state_is_what_is_trained(name, scheme):
    result, artifacts = compiled(name, scheme), made(name, scheme)
    sizes = {n: a.nbytes for n, a in artifacts.parameters.items()}
    assert {p.name: p.buffer.size for p in result.compiled.parameters} == sizes
    assert result.layout.parameters_size == sum(sizes.values())
    written = [w.buffer for i in step_program(name, scheme).instructions for w in i.writes]
    assert {b.name for b in written if b.region == "parameter"} == set(sizes)
    constants = {b.data for p in result.compiled.programs for b in p.buffers() if b.region == "constant"}
    inference = artifacts.inference.graph
    read = {v for node in inference.node for v in node.input}
    frozen = [t for t in inference.initializer if t.name in read and t.name not in sizes]
    weights = [numpy_helper.to_array(t) for t in frozen if t.data_type == onnx.TensorProto.FLOAT]
    assert all(w.tobytes() in constants for w in weights if w.size > 1)


@on_networks
def test_channels_cost_no_memory(name):
    """Parts are made side by side, gradients of x in one buffer: scratch and copies are no more than if all trains."""
    for batch in (1, 8):
        whole, sparse = (
            compile_model(model(name), losses.cross_entropy(), optimizers.sgd(), Options(batch=batch), scheme=s,
                          batch_norm="fold") for s in ("full", "sparse:0.25")
        )  # fmt: skip
        assert sparse.layout.placements["step"].peak <= whole.layout.placements["step"].peak
        copies = [[c for c in kept_copies(r.compiled) if c.reason != "Concat"] for r in (whole, sparse)]
        assert len(copies[0]) == len(copies[1])
        joined = sum(c.bytes for c in kept_copies(sparse.compiled) if c.reason == "Concat" and c.program == "step")
        assert joined <= 4 * batch * NETWORKS[name].classes  # a Gemm of several samples writes whole rows


# ---- Numbers


@with_schemes
@on_networks
def test_gradients_are_pytorchs_rows(name, scheme):
    image = compile_image(made(name, scheme), Options(batch=BATCH, accumulate=True)).image
    with Session(image) as session:
        session.poison()
        session.train_step(*next(batches(name)))
        for parameter in session.parameter_names():
            weight, part = part_of(parameter)
            whole = torch_gradients(name)[weight]
            error = np.abs(np.array(session.gradient(parameter)) - whole[part]).max() / np.abs(whole).max()
            assert error <= 1e-4, (parameter, error)


@with_schemes
@on_networks
def test_the_rest_does_not_move(name, scheme):
    """Five steps on the twin, then the trained rows put back into the model."""
    before = {t.name: numpy_helper.to_array(t) for t in model(name).graph.initializer}
    with Session(compiled(name, scheme).image) as session:
        session.poison()
        curve = [session.step(*batch) for batch in batches(name, 5)]
        checkpoint, names = session.save(), session.parameter_names()
        x = next(batches(name))[0]
        expected = np.array(session.infer(x)[0])
    assert np.isfinite(curve).all()
    exported = trained_model(model(name), checkpoint)
    after = {t.name: numpy_helper.to_array(t) for t in exported.graph.initializer}
    frozen = {n: np.ones(a.shape, bool) for n, a in before.items()}
    for parameter in names:
        weight, part = part_of(parameter)
        frozen[weight][part] = False
        assert (after[weight][part] != before[weight][part]).any(), parameter
    for weight, mask in frozen.items():
        np.testing.assert_array_equal(after[weight][mask], before[weight][mask])
    (found,) = run_ort(exported, {"x": x}).values()
    assert relative(expected, found) <= 1e-4


@on_networks
def test_folded_rows_go_back(name):
    """The channels of weights that have a BatchNormalization in them."""
    result = compile_model(model(name), losses.cross_entropy(), optimizers.sgd(0.01), Options(batch=BATCH),
                           scheme="sparse:0.5", batch_norm="fold")  # fmt: skip
    with Session(result.image) as session:
        for batch in batches(name, 2):
            session.step(*batch)
        x = next(batches(name))[0]
        (found,) = run_ort(trained_model(model(name), session.save()), {"x": x}).values()
        assert relative(np.array(session.infer(x)[0]), found) <= 1e-4
