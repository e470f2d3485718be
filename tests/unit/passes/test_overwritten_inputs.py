"""Inputs that programs may overwrite: the same bits in a smaller arena, and a refusal to run on overwritten inputs."""

import numpy as np
import pytest
from numeric.models.networks import NETWORKS
from numeric.models.test_against_torch import exported

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.device import TwinTarget
from gradmote.errors import DataError, DeviceError
from gradmote_runtime import Session
from support.oracle import make_model, node, values

BATCH = 2


def both(model, train=None):
    """The image whose inputs last, and the one that overwrites them."""
    rule = optimizers.sgd(0.01, momentum=0.9)
    made = build_artifacts(model, train, losses.cross_entropy(), rule, loss_inputs=[model.graph.output[0].name])
    return [compile_image(made, o) for o in (Options(BATCH), Options(BATCH, overwrite_inputs=True))]


def trained(result, batches, profile="fused"):
    """State and outputs after all programs ran on each batch, in poisoned scratch."""
    session, seen = Session(result.image, profile), []
    for *x, y in batches:
        session.poison()
        seen.append([bytes(o) for o in session.infer(*x)])
        session.poison()
        seen.append([session.eval_step(*x, y), session.step(*x, y)])
    return session.state_sha256(), seen


def batches_of(shape, classes, count=3):
    random = np.random.default_rng(0)
    return [
        (random.normal(size=(BATCH, *shape)).astype(np.float32), random.integers(0, classes, BATCH))
        for _ in range(count)
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["lenet", "ds_cnn"])
def test_networks_train_to_the_same_bits(name):
    spec = NETWORKS[name]
    lasting, overwriting = both(exported(spec.make(), spec.shape, False))
    assert overwriting.layout.inputs_size == 4 * BATCH < lasting.layout.inputs_size  # the labels
    batches = batches_of(spec.shape, 10)
    assert trained(lasting, batches) == trained(overwriting, batches)


def test_an_arena_that_no_longer_holds_the_input():
    """Only the last layer trains: the long input is gone when the wide middle is made."""
    nodes = [node("MatMul", "x w", "h"), node("MatMul", "h u", "g"), node("Sin", "g", "s"), node("MatMul", "s v", "y")]
    weights = {"w": values(0, 200, 10), "u": values(1, 10, 150), "v": values(2, 150, 3)}
    model = make_model(nodes, weights, {"x": ("N", 200)})
    results = both(model, ["v"])
    lasting, overwriting = (r.layout.arena_size for r in results)
    assert overwriting <= lasting - 4 * BATCH * 120
    batches = batches_of((200,), 3)
    assert trained(results[0], batches) == trained(results[1], batches)


def test_several_inputs_one_of_them_an_output_as_it_stands():
    nodes = [node("Add", "a b", "s"), node("Identity", "a", "same"), node("Mul", "s w", "y")]
    model = make_model(nodes, {"w": values(0, 4)}, {"a": ("N", 4), "b": ("N", 4)}, outputs=("y", "same"))
    results = both(model)
    random = np.random.default_rng(1)
    a, b = (random.normal(size=(BATCH, 4)).astype(np.float32) for _ in "ab")
    batches = [(a, b, np.array([0, 3])), (b, a, np.array([1, 2]))]
    assert trained(results[0], batches) == trained(results[1], batches)
    outputs = Session(results[1].image).infer(a, b)
    np.testing.assert_array_equal(outputs[1], a)


@pytest.fixture
def image():
    model = make_model([node("MatMul", "x w", "y")], {"w": values(0, 5, 3)}, {"x": ("N", 5)})
    return both(model)[1].image


X, Y = np.ones((BATCH, 5), np.float32), np.array([0, 2])


def test_a_session_refuses_to_run_twice_on_one_input(image):
    session = Session(image)
    assert not session.inputs()[0]["lasts"]
    with pytest.raises(DataError, match="input 'x' is not there: the image overwrites inputs"):
        session.infer()
    session.step(X, Y)
    with pytest.raises(DataError, match="is not there"):
        session.step()
    session.input_view(0)[0, 0] = 1.0  # written in place, without a copy
    session.infer()
    session.set_input(0, X)
    session.eval_step()  # labels last


def test_a_target_refuses_as_a_board_does(image):
    with TwinTarget() as target:
        target.load_image(image)
        target.write("input", 0, X)
        target.run("infer")
        with pytest.raises(DeviceError, match="no samples for input 0.*before each run"):
            target.run("infer")
