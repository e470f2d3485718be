"""Networks that are used for measuring: how long planning takes, and what it saves."""

from __future__ import annotations

import pytest
from numeric.models.networks import NETWORKS
from numeric.models.onnx_network import onnx_network

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options
from gradmote.compiler.compile import flatten
from gradmote.compiler.passes import pipeline
from gradmote.formats.image import lay_out
from gradmote.plan.lifetimes import aligned

#: Bytes of scratch and gradients without fusing, order or sharing, over those that are planned, are at least this. (A
#: batch norm has no intermediate tensors to begin with.)
SAVED = {"lenet": 6, "ds_cnn": 5, "resnet_8": 6, "mobilenet_v1": 6, "mobilenet_v2": 6, "autoencoder": 100}


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("name", NETWORKS)
def test_planning_saves(name, batch):
    network = NETWORKS[name]
    loss = losses.cross_entropy() if network.classes else losses.mse()
    model = onnx_network(network.make(), network.shape)
    compiled = flatten(build_artifacts(model, None, loss, optimizers.sgd(0.01)), Options(batch))
    step = next(p for p in compiled.programs if p.kind == "step")
    naive = sum(aligned(b.size) for b in step.buffers() if b.region == "scratch")
    pipeline.optimize(compiled)
    placement = lay_out(compiled).placements["step"]
    assert naive > (SAVED[name] if batch == 1 else 4.5) * placement.peak
    assert placement.peak <= 1.01 * placement.bound
