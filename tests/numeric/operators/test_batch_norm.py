"""BatchNormalization with frozen statistics and with those of the batch: the gradients of data, scale and bias."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import (
    Case,
    assert_all_close,
    check_case,
    compile_twice,
    examples,
    gradients_of,
    host_profiles,
    make_model,
    node,
    poisoned,
    projection,
    read_gradients,
    run_ort,
    values,
)


def batch_norm_case(shape, offset=0, **attributes):
    channels = shape[1]
    weights = {
        "x": values(1, *shape) + np.float32(offset),
        "scale": values(2, channels),
        "bias": values(3, channels),
        "mean": values(4, channels),
        "var": np.abs(values(5, channels)) + 0.5,
    }
    model = make_model([node("BatchNormalization", "x scale bias mean var", "y", **attributes)], weights)
    return Case(model, train=["x", "scale", "bias"])


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 5), (2, 3, 4, 2)])
@pytest.mark.parametrize("epsilon", [1e-5, 0.1])
def test_frozen_statistics(shape, epsilon):
    check_case(batch_norm_case(shape, epsilon=epsilon))


def test_statistics_are_no_weights():
    case = batch_norm_case((2, 3, 4))
    made = build_artifacts(case.model, None, lambda b, y: b.op("ReduceSum", y, name="loss", keepdims=0))
    assert list(made.parameters) == ["x", "scale", "bias"]


def test_between_convolutions():
    weights = {"w1": values(1, 4, 2, 3, 3), "scale": values(2, 4), "bias": values(3, 4), "w2": values(4, 2, 4, 2, 2)}
    frozen = {"mean": values(5, 4), "var": np.abs(values(6, 4)) + 0.5}
    nodes = [
        node("Conv", "x w1", "c", pads=[1, 1, 1, 1]),
        node("BatchNormalization", "c scale bias mean var", "n"),
        node("Relu", "n", "r"),
        node("Conv", "r w2", "y"),
    ]
    model = make_model(nodes, weights | frozen, {"x": (2, 2, 5, 5)})
    check_case(Case(model, {"x": values(0, 2, 2, 5, 5)}, train=list(weights), batch=2, reference=False))


def torch_gradients(parameters, weights, epsilon):
    """Return PyTorch's gradients of the sum of y times weights, computed in float64."""
    given = {name: torch.from_numpy(array).double().requires_grad_() for name, array in parameters.items()}
    y = torch.nn.functional.batch_norm(given["x"], None, None, given["scale"], given["bias"], True, eps=epsilon)
    (y * torch.from_numpy(weights)).sum().backward()
    return {name: tensor.grad.numpy() for name, tensor in given.items()}


@examples(16)
@given(
    batch=st.integers(6, 9), channels=st.integers(1, 37), space=st.lists(st.integers(1, 3), max_size=2),
    epsilon=st.sampled_from([1e-5, 0.1]), offset=st.sampled_from([0, 100]), seed=st.integers(0, 99),
)  # fmt: skip
def test_statistics_of_the_batch(batch, channels, space, epsilon, offset, seed):
    """Channels are adjacent elements if there is no space, else planes."""
    case = batch_norm_case((batch, channels, *space), offset, epsilon=epsilon)
    case.seed = seed
    made = build_artifacts(case.model, case.train, projection(case.weights), optimizers.sgd(0.05), batch_norm="batch")
    expected = torch_gradients(made.parameters, case.weights, epsilon)
    if not offset:  # its mean is that of plain sums
        assert_all_close(gradients_of(run_ort(made.training, case.feeds), case.train), expected, 2e-4, "onnxruntime")
    for profile in host_profiles():
        with Session(compile_twice(made)[0], profile) as session:
            poisoned(session, session.train_step)
            assert_all_close(read_gradients(session), expected, 2e-3 if offset else 2e-4, profile)


def opcodes_of(batch_norm, train=None):
    """Return the opcodes of a training step of Conv - BatchNormalization - Relu - Conv."""
    weights = {"w1": values(1, 4, 2, 3, 3), "scale": values(2, 4), "bias": values(3, 4), "w2": values(4, 2, 4, 2, 2)}
    frozen = {"mean": values(5, 4), "var": np.abs(values(6, 4)) + 0.5}
    nodes = [node("Conv", "x w1", "c"), node("BatchNormalization", "c scale bias mean var", "n")]
    nodes += [node("Relu", "n", "r"), node("Conv", "r w2", "v")]
    nodes += [node("GlobalAveragePool", "v", "p"), node("Flatten", "p", "y")]
    model = make_model(nodes, weights | frozen, {"x": ("N", 2, 6, 6)})
    made = build_artifacts(model, train, losses.cross_entropy(), optimizers.sgd(0.1), batch_norm=batch_norm)
    compiled = compile_image(made, Options(batch=2)).compiled
    return [i.opcode for i in next(p for p in compiled.programs if p.kind == "step").instructions]


def test_passes_over_memory():
    """One forward, ReLU in it; backward one for the sums and one for the data."""
    frozen, batch = opcodes_of("frozen"), opcodes_of("batch")
    assert (frozen.count("NORMALIZE"), frozen.count("NORMALIZE_SUMS"), frozen.count("MOMENTS")) == (2, 1, 0)
    assert not {"RELU", "ADD", "STANDARDIZE", "COPY", "NORMALIZE_GRAD"} & set(frozen)
    assert [batch.count(name) for name in ("MOMENTS", "NORMALIZE", "NORMALIZE_SUMS", "NORMALIZE_GRAD")] == [1, 1, 1, 1]
    assert not {"RELU", "STANDARDIZE"} & set(batch)


def test_biases_alone_need_no_data():
    assert "NORMALIZE_SUMS" not in opcodes_of("frozen", train=["bias"])


def test_batch_statistics_are_refused():
    case = batch_norm_case((2, 3, 4))
    batch_norm = case.model.graph.node[0]
    batch_norm.output.extend(["new_mean", "new_var"])
    batch_norm.attribute.append(helper.make_attribute("training_mode", 1))
    with pytest.raises(UnsupportedOperator, match="statistics of the batch.*eval mode"):
        build_artifacts(case.model)
