"""A gradient is made whole if much would wait for its update and the peak falls: less memory, the same bits."""

import math

import numpy as np
from numeric.models.networks import NETWORKS
from numeric.models.onnx_network import onnx_network

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes import fuse_update
from support.oracle import host_profiles, train


def opcodes(result):
    return [i.opcode for p in result.compiled.programs if p.kind == "step" for i in p.instructions]


def test_early_convolutions_of_a_residual_network(monkeypatch):
    network = NETWORKS["resnet_8"]
    model = onnx_network(network.make(), network.shape)
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.01, momentum=0.9))
    chosen = compile_image(made, Options())
    monkeypatch.setattr(fuse_update, "MUCH", math.inf)
    fused = compile_image(made, Options())
    assert "CONV_GRAD_W" not in opcodes(fused) and {"CONV_GRAD_W", "CONV_UPDATE"} <= set(opcodes(chosen))
    assert chosen.layout.placements["step"].peak < 0.9 * fused.layout.placements["step"].peak
    rng = np.random.default_rng(0)
    batches = [(rng.normal(size=(1, *network.shape)).astype(np.float32), np.array([k], np.int32)) for k in range(2)]
    for profile in host_profiles():
        runs = [train(result.image, batches, profile) for result in (chosen, fused)]
        assert runs[0][0] == runs[1][0]
        assert runs[0][1].state_sha256() == runs[1][1].state_sha256()
