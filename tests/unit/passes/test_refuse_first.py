"""Instructions that refuse data come before all that the data would change, in every program that trains."""

from __future__ import annotations

import pytest
from numeric.models.networks import NETWORKS
from numeric.models.onnx_network import onnx_network

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes.schedule import may_refuse
from support.oracle import make_model, node, values

STATE = ("parameter", "statistic", "slot", "gradient")


def selecting():
    """Return a model of two selections by data: each could be refused after the other has got gradients."""
    nodes = [node("Gather", "table i", "e", axis=0), node("MatMul", "e v", "y")]
    nodes += [node("Gather", "other j", "f", axis=0), node("MatMul", "f w", "z"), node("Add", "y z", "sum")]
    weights = {"table": values(1, 9, 4), "other": values(2, 30, 2), "v": values(3, 4, 5), "w": values(4, 2, 5)}
    model = make_model(nodes, weights, {"i": ("N",), "j": ("N",)}, outputs=("sum",))
    for tensor in model.graph.input:
        tensor.type.tensor_type.elem_type = 7
    return model


def network(name):
    return lambda: onnx_network(NETWORKS[name].make(), NETWORKS[name].shape)


MODELS = {name: network(name) for name in ("lenet", "ds_cnn", "resnet_8")} | {"selecting": selecting}


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("loss", [losses.cross_entropy(), losses.cross_entropy(label_smoothing=0.1)])
@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_changed_before_all_has_been_looked_at(name, loss, accumulate):
    made = build_artifacts(MODELS[name](), None, loss, optimizers.sgd(0.1), batch_norm="batch")
    for program in compile_image(made, Options(batch=2, accumulate=accumulate)).compiled.programs:
        if program.kind in ("train", "step"):
            refusing = [k for k, i in enumerate(program.instructions) if i.phase == "forward" and may_refuse(i)]
            changing = [
                k for k, i in enumerate(program.instructions) if any(w.buffer.region in STATE for w in i.writes)
            ]
            assert max(refusing) < min(changing)
