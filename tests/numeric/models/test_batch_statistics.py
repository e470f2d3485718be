"""BatchNormalization with statistics of the batch, against PyTorch in training mode."""

import io

import numpy as np
import onnx
import pytest
import torch

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts, generate_artifacts
from gradmote.artifacts.export import export_inference, trained_model
from gradmote.compiler import Options, compile_image
from gradmote.errors import ModelError, RuntimeFault, UnsupportedOperator
from gradmote.formats import checkpoint
from gradmote.training import CheckpointState, Module, Optimizer
from gradmote_runtime import Session
from support.oracle import host_profiles, make_model, node, run_ort, values

STEPS, BATCH, RATE = 20, 8, 0.05


class Net(torch.nn.Module):
    """BatchNorm over images, after a transposed convolution, and over features. fresh: as PyTorch initializes it."""

    def __init__(self, fresh=False):
        super().__init__()
        torch.manual_seed(5)
        self.body = torch.nn.Sequential(
            torch.nn.Conv2d(2, 4, 3, padding=1, bias=False), torch.nn.BatchNorm2d(4, momentum=0.2), torch.nn.ReLU(),
            torch.nn.ConvTranspose2d(4, 3, 2, stride=2), torch.nn.BatchNorm2d(3, eps=1e-3), torch.nn.ReLU(),
            torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(3, 6), torch.nn.BatchNorm1d(6),
        )  # fmt: skip
        for norm in () if fresh else [m for m in self.modules() if hasattr(m, "running_mean")]:
            for value in (norm.weight.data, norm.bias.data, norm.running_mean, norm.running_var):
                value.uniform_(0.5, 1.5)

    def forward(self, x):
        return self.body(x)


def exported(network, mode, dynamo=False):
    buffer = io.BytesIO()
    settings = {"input_names": ["x"], "output_names": ["y"]}
    if dynamo:
        settings |= {"dynamo": True, "optimize": False, "dynamic_shapes": ({0: torch.export.Dim("N")},)}
    else:
        settings |= {"dynamo": False, "training": mode, "do_constant_folding": False, "dynamic_axes": {"x": {0: "N"}}}
    torch.onnx.export(network, (torch.zeros(2, 2, 5, 5),), buffer, **settings)
    return onnx.load_model_from_string(buffer.getvalue())


def model():
    return exported(Net().eval(), torch.onnx.TrainingMode.PRESERVE)


def batches():
    """Yield batches of this seed: with others a number comes so near to ReLU's edge that rounding decides the side."""
    rng = np.random.default_rng(5)
    for _ in range(STEPS):
        x = rng.normal(0.5, 1, (BATCH, 2, 5, 5)).astype(np.float32)
        yield x, rng.integers(0, 6, BATCH)


def artifacts(proto=None, **build):
    build = {"batch_norm": "batch", "running_variance": "sample"} | build
    return build_artifacts(proto or model(), None, losses.cross_entropy(), optimizers.sgd(RATE, momentum=0.9), **build)


@pytest.fixture(scope="module")
def torch_run():
    """Losses before each step, and the state afterwards, in float64."""
    network = Net().double().train()
    optimizer = torch.optim.SGD(network.parameters(), RATE, momentum=0.9)
    curve = []
    for x, y in batches():
        loss = torch.nn.functional.cross_entropy(network(torch.from_numpy(x).double()), torch.from_numpy(y))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
    return curve, {k: v.numpy() for k, v in network.state_dict().items() if v.dim()}


def check_state(saved: bytes, expected):
    tensors = checkpoint.unpack(saved).tensors
    for name, array in expected.items():
        np.testing.assert_allclose(tensors[name], array, rtol=2e-4, atol=2e-5, err_msg=name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", ["eval", "training", "dynamo"])
def test_same_curve_as_torch(source, torch_run):
    """The mode in which the model was exported makes no difference; dynamo's exporter decomposes what trains."""
    mode = torch.onnx.TrainingMode.TRAINING if source == "training" else torch.onnx.TrainingMode.PRESERVE
    network = Net().train() if source == "training" else Net().eval()
    made = artifacts(exported(network, mode, source == "dynamo"))
    assert made.batch_norm() == ("batch", 3)
    for profile in host_profiles():
        with Session(compile_image(made, Options(batch=BATCH)).image, profile) as session:
            session.poison()
            curve = [session.step(*batch) for batch in batches()]
            np.testing.assert_allclose(curve, torch_run[0], rtol=1e-4)
            check_state(session.save(), torch_run[1] if source != "training" else weights_of(torch_run[1]))


def weights_of(state):
    """Return the weights without the running statistics, which exporting in training mode itself updates."""
    return {name: array for name, array in state.items() if "running" not in name}


def test_inference_uses_the_running_statistics(tmp_path, torch_run):
    network = Net().double().eval()
    state = {k: torch.from_numpy(np.asarray(v)) for k, v in torch_run[1].items()}
    network.load_state_dict(state, strict=False)
    with Session(compile_image(artifacts(), Options(batch=BATCH)).image) as session:
        for batch in batches():
            session.step(*batch)
        x, y = next(batches())
        expected = network(torch.from_numpy(x).double()).detach()
        np.testing.assert_allclose(np.array(session.infer(x)[0]), expected, rtol=1e-3, atol=1e-4)
        loss = torch.nn.functional.cross_entropy(expected, torch.from_numpy(y))
        np.testing.assert_allclose(session.eval_step(x, y), loss, rtol=1e-4)
        export_inference(model(), session.save(), tmp_path / "out.onnx")
    written = onnx.load(tmp_path / "out.onnx")
    np.testing.assert_allclose(run_ort(written, {"x": x})["y"], expected, rtol=1e-3, atol=1e-4)


def test_micro_batches_and_the_onnx_artifacts_agree():
    """The program train, whose steps each update the statistics; onnxruntime on the training model gives the same."""
    made = artifacts(running_variance="population")
    x, y = next(batches())
    label = made.training.graph.input[1].name
    outputs = run_ort(made.training, {"x": x, label: y})
    with Session(compile_image(made, Options(batch=BATCH, accumulate=True)).image) as session:
        session.poison()
        session.train_step(x, y)
        tensors = checkpoint.unpack(session.save()).tensors
        assert len(made.statistics) == 6
        for name, before in made.statistics.items():
            assert not np.array_equal(tensors[name], before)
            np.testing.assert_allclose(tensors[name], outputs[f"{name}_new"], rtol=1e-5, atol=1e-6)
        for name in made.parameters:
            assert np.array_equal(tensors[name], made.parameters[name])


def test_variance_of_the_population():
    """ONNX's definition: over n."""
    made = artifacts(running_variance="population")
    x, y = next(batches())
    with Session(compile_image(made, Options(batch=BATCH)).image) as session:
        session.step(x, y)
        after = checkpoint.unpack(session.save()).tensors["body.1.running_var"]
    first = torch.nn.functional.conv2d(torch.from_numpy(x), Net().body[0].weight, padding=1).detach().numpy()
    before = made.statistics["body.1.running_var"]
    np.testing.assert_allclose(after, 0.8 * before + 0.2 * first.var((0, 2, 3)), rtol=1e-5)


def test_statistics_that_the_exporter_merged_with_weights(tmp_path):
    """A fresh network has bias = running mean = 0 and weight = running variance = 1: one initializer for both."""
    proto = exported(Net(fresh=True).eval(), torch.onnx.TrainingMode.PRESERVE)
    assert "body.1.running_mean" not in {t.name for t in proto.graph.initializer}
    with Session(compile_image(artifacts(proto), Options(batch=BATCH)).image) as session:
        for batch in batches():
            session.step(*batch)
        x, _ = next(batches())
        export_inference(proto, session.save(), tmp_path / "out.onnx")
        inferred = np.array(session.infer(x)[0])
    np.testing.assert_allclose(run_ort(onnx.load(tmp_path / "out.onnx"), {"x": x})["y"], inferred, rtol=1e-4, atol=1e-5)


def test_a_refused_step_changes_nothing():
    with Session(compile_image(artifacts(), Options(batch=BATCH)).image) as session:
        x, y = next(batches())
        session.step(x, y)
        before = checkpoint.unpack(session.save()).tensors
        x[3, 0, 0, 0] = np.nan
        with pytest.raises(RuntimeFault):
            session.step(x, y)
        after = checkpoint.unpack(session.save()).tensors
    assert all(np.array_equal(after[n], before[n]) for n in before)


def test_a_saved_run_goes_on(torch_run):
    image = compile_image(artifacts(), Options(batch=BATCH)).image
    every = list(batches())
    with Session(image) as session:
        for batch in every[:7]:
            session.step(*batch)
        saved = session.save()
    with Session(image) as session:
        session.load(saved)
        np.testing.assert_allclose([session.step(*b) for b in every[7:]], torch_run[0][7:], rtol=1e-4)


def test_through_the_onnxruntime_api(tmp_path, torch_run):
    names = list(artifacts().parameters)
    generate_artifacts(
        model(), names, loss=losses.cross_entropy(), optimizer=optimizers.sgd(RATE, momentum=0.9),
        artifact_directory=tmp_path, batch_norm="batch", running_variance="sample",
    )  # fmt: skip
    state = CheckpointState.load_checkpoint(tmp_path / "checkpoint")
    module = Module(tmp_path / "training_model.onnx", state, tmp_path / "eval_model.onnx")
    optimizer = Optimizer(tmp_path / "optimizer_model.onnx", module)
    curve = []
    for batch in batches():
        curve.append(float(module(*batch)))
        optimizer.step()
        module.lazy_reset_grad()
    np.testing.assert_allclose(curve, torch_run[0], rtol=1e-4)
    CheckpointState.save_checkpoint(state, tmp_path / "trained")
    check_state((tmp_path / "trained").read_bytes(), torch_run[1])
    module.export_model_for_inferencing(tmp_path / "out.onnx", ["y"])
    x = next(batches())[0]
    expected = run_ort(trained_model(model(), (tmp_path / "trained").read_bytes()), {"x": x})["y"]
    np.testing.assert_allclose(run_ort(onnx.load(tmp_path / "out.onnx"), {"x": x})["y"], expected, rtol=1e-4, atol=1e-5)


def test_without_an_eval_model_there_is_no_inference(tmp_path):
    made = artifacts()
    generate_artifacts(
        model(), list(made.parameters), loss=losses.cross_entropy(), artifact_directory=tmp_path, batch_norm="batch"
    )
    state = CheckpointState.load_checkpoint(tmp_path / "checkpoint")
    with pytest.raises(ModelError, match="statistics of the batch.*eval model"):
        Module(tmp_path / "training_model.onnx", state)


# ---- Refusals


def features(**statistics):
    weights = {"w": values(1, 3, 4), "scale": values(2, 4), "bias": values(3, 4), "mean": values(4, 4)}
    weights |= {"var": np.abs(values(5, 4))} | statistics
    nodes = [node("MatMul", "x w", "m"), node("BatchNormalization", "m scale bias mean var", "y")]
    return make_model(nodes, weights, {"x": ("N", 3)})


def test_one_value_a_channel():
    with pytest.raises(ModelError, match="one value per channel.*larger batch"):
        compile_image(artifacts(features()), Options(batch=1))
    compile_image(artifacts(features()), Options(batch=2))


def test_computed_statistics():
    proto = features()
    proto.graph.node.insert(0, node("Abs", "scale", "a"))
    proto.graph.node[2].input[4] = "a"
    with pytest.raises(UnsupportedOperator, match="computed 'a'"):
        artifacts(proto)


def test_unknown_modes():
    with pytest.raises(ModelError, match="batch_norm is 'thawed'.*frozen, fold, batch"):
        artifacts(features(), batch_norm="thawed")
    with pytest.raises(ModelError, match="running_variance is 'biased'"):
        artifacts(features(), running_variance="biased")
