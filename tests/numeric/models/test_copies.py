"""Layout is a matter of strides: which copies whole networks keep, and why. These numbers may fall, not grow."""

import pytest
from numeric.models.networks import NETWORKS
from numeric.models.test_against_torch import exported
from numeric.models.test_transformers import exported as exported_transformer
from numeric.models.transformers import TRANSFORMERS

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.cli.compile import describe, summary
from gradmote.compiler import Options, compile_image
from gradmote.report.image_reports import kept_copies
from support.oracle import make_model, node, values


def compiled(model):
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.1))
    return compile_image(made, Options(batch=2))


def reasons(model, program="step"):
    return sorted(c.reason for c in kept_copies(compiled(model).compiled) if c.program == program)


NEEDED = {
    "lenet": [],  # the last pool writes its channels outermost, as Linear's weights expect them
    "ds_cnn": [],
    "resnet_8": [],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NEEDED)
def test_convolutional_networks(name):
    spec = NETWORKS[name]
    assert reasons(exported(spec.make(), spec.shape, False)) == NEEDED[name]


@pytest.mark.filterwarnings("ignore")
def test_attention():
    """The forward pass copies nothing: heads are strides. The gradients of q, k and v are made side by side."""
    model = exported_transformer(TRANSFORMERS["written_out"], False)
    assert reasons(model, "infer") == []
    assert reasons(model) == ["GatherGrad", "row-major for Reshape"]


def test_the_command_tells_of_copies(tmp_path):
    nodes = [node("Concat", "x x", "two", axis=1), node("MatMul", "two w", "y")]
    result = compiled(make_model(nodes, {"w": values(0, 6, 2)}, {"x": ("N", 3)}))
    assert "2 copies, 48 B: 2 Concat" in describe(tmp_path / "model.mote", result)
    copies = [c for c in summary(result)["copies"] if c["program"] == "infer"]
    assert [(c["bytes"], c["reason"]) for c in copies] == [(24, "Concat")] * 2
    assert all("two" in c["node"] for c in copies)
