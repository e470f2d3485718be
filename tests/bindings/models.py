"""The models whose states are compared: those of numeric/models, and one for each way in which images differ.

Each is compiled without drawing anything, so that it has the same bytes in every run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import onnx
import onnx.parser

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.sample_store import StoreOptions
from gradmote.losses import Loss
from gradmote.optimizers import Optimizer
from support import digits
from support.oracle import values

BATCH = 2
#: Classes, tokens and rows of tables that whole numbers in labels and inputs name; none is above these.
DIGITS, TOKENS = 10, 11


@dataclass(frozen=True)
class Model:
    """One model of the set.

    compiled: returns its image. below: whole numbers of its labels and inputs are drawn below this
    one. large: 50 steps of it take seconds. on_board: an emulated board trains it too.
    """

    name: str
    compiled: Callable[[], bytes]
    below: int = DIGITS
    large: bool = False
    on_board: bool = False


def models() -> list[Model]:
    """Return the whole set."""
    return [*networks(), *normalized(), *transformers(), *recurrent(), *forms()]


def image(
    model: onnx.ModelProto,
    loss: Loss,
    optimizer: Optimizer,
    options: Options | None = None,
    scheme: str | None = None,
    statistics: str | None = None,
) -> bytes:
    """Return the image of a model that trains every weight, or those of the scheme."""
    made = build_artifacts(model, None, loss, optimizer, scheme=scheme, batch_norm=statistics)
    return compile_image(made, options or Options(batch=BATCH)).image


def networks() -> list[Model]:
    """Return LeNet, the networks of MLPerf Tiny and MobileNetV2; they have batch norms, and one has float labels."""
    from numeric.models.networks import NETWORKS
    from numeric.models.onnx_network import onnx_network

    def compiled(name: str) -> bytes:
        spec = NETWORKS[name]
        loss = losses.cross_entropy() if spec.classes else losses.mse()
        batch = 1 if name.startswith("mobilenet") else BATCH
        return image(onnx_network(spec.make(), spec.shape), loss, optimizers.sgd(1e-3), Options(batch=batch))

    small = ("lenet", "autoencoder")
    return [
        Model(name, lambda name=name: compiled(name), spec.classes or 1, large=name not in small)
        for name, spec in NETWORKS.items()
    ]


def normalized() -> list[Model]:
    """Return the small networks with group, instance, layer and RMS norms."""
    from numeric.models.networks import NORMALIZED
    from numeric.models.test_against_torch import exported

    def compiled(name: str) -> bytes:
        spec = NORMALIZED[name]
        model = exported(spec.make(), spec.shape, dynamo=name == "normalized_rms")
        return image(model, losses.cross_entropy(), optimizers.sgd(0.01))

    return [Model(name, lambda name=name: compiled(name), 3) for name in NORMALIZED]


def transformers() -> list[Model]:
    """Return the transformers; the inputs of all except one are tokens."""
    from numeric.models.test_transformers import exported
    from numeric.models.transformers import TRANSFORMERS

    def compiled(name: str) -> bytes:
        return image(exported(TRANSFORMERS[name], dynamo=False), losses.cross_entropy(), optimizers.adam(1e-3))

    on_board = "encoder_norm_first"
    return [Model(name, lambda name=name: compiled(name), TOKENS, on_board=name == on_board) for name in TRANSFORMERS]


def recurrent() -> list[Model]:
    """Return an LSTM, a GRU and an RNN over sequences."""
    from bench.cost_models import CELLS
    from bench.cost_models import recurrent as network

    def compiled(cell: tuple[str, int]) -> bytes:
        return image(network(*cell, 9, 8), losses.cross_entropy(), optimizers.adam(0.01), Options(batch=None))

    return [Model(cell[0].lower(), lambda cell=cell: compiled(cell), 4, on_board=cell[0] == "LSTM") for cell in CELLS]


def forms() -> list[Model]:
    """Return a model for each way in which images differ beside their layers."""
    entropy, adamw = losses.cross_entropy(), optimizers.adamw(0.003)
    mlp = digits.model

    def of_digits(name: str, options: Options, optimizer: Optimizer = adamw, **settings: str) -> Model:
        return Model(name, lambda: image(mlp(), entropy, optimizer, options, **settings))

    every = Options(batch=BATCH, accumulate=True, store=StoreOptions(20), properties=2)
    return [
        Model("dropout_accumulate", lambda: image(mlp(0.25), entropy, adamw, every), on_board=True),
        of_digits("adamw_ort", Options(batch=3), optimizers.adamw_ort(0.003)),
        of_digits("momentum_clipped", Options(batch=5), optimizers.sgd(0.1, momentum=0.9, clip_norm=0.5)),
        of_digits("overwritten_inputs", Options(batch=BATCH, overwrite_inputs=True)),
        of_digits("without_names", Options(batch=BATCH, strip_names=True)),
        of_digits("head", Options(batch=BATCH), scheme="head"),
        of_digits("sparse", Options(batch=BATCH), scheme="sparse:0.25"),
        Model("batch_statistics", batch_statistics, 12, large=True),
        Model("several_inputs", lambda: image(several_inputs(), losses.bce_with_logits(), optimizers.adam(0.01))),
        Model("triplet", lambda: image(embeddings(), losses.triplet(), optimizers.sgd(0.01))),
        Model("every_operator", every_operator),
    ]


def batch_statistics() -> bytes:
    """Return DS-CNN with batch norms that take the batch's statistics."""
    from bench.cost_models import network

    return image(network("ds_cnn"), losses.cross_entropy(), optimizers.sgd(1e-3), statistics="batch")


def every_operator() -> bytes:
    """Return a network with the operators that the others lack."""
    from bench.cost_models import bag

    return image(bag(10), losses.mse(), optimizers.sgd(1e-6))


def several_inputs() -> onnx.ModelProto:
    """Return a model of two float32 inputs and one of whole numbers, with float32 labels."""
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["": 17]>
        several (float[N,6] left, float[N,3] right, int64[N,4] words) => (float[N,2] y) {
          e = Gather (table, words)
          m = ReduceMean <axes = [1], keepdims = 0> (e)
          c = Concat <axis = 1> (left, m, right)
          h = Gemm (c, w, b)
          a = Tanh (h)
          y = MatMul (a, v)
        }""")
    shapes = {"table": (DIGITS, 5), "w": (14, 7), "b": (7,), "v": (7, 2)}
    for seed, (name, shape) in enumerate(shapes.items()):
        model.graph.initializer.append(onnx.numpy_helper.from_array(values(seed, *shape), name))
    return model


def embeddings() -> onnx.ModelProto:
    """Return one tower that three inputs share, whose three outputs a triplet loss compares."""
    lines = "".join(f"h{i} = Gemm (x{i}, w, b)\ny{i} = Tanh (h{i})\n" for i in range(3))
    model = onnx.parser.parse_model(f"""
        <ir_version: 8, opset_import: ["": 17]>
        towers (float[N,6] x0, float[N,6] x1, float[N,6] x2) => (float[N,4] y0, float[N,4] y1, float[N,4] y2) {{
          {lines}
        }}""")
    for seed, (name, shape) in enumerate({"w": (6, 4), "b": (4,)}.items()):
        model.graph.initializer.append(onnx.numpy_helper.from_array(values(seed, *shape), name))
    return model
