"""Float networks, quantized by onnxruntime.quantization in each of its QDQ forms."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx

#: MLPerf Tiny's networks with convolutions, from the PyTorch ones in numeric/models/networks.py; and others from there.
NETWORKS = {"ds_cnn": "DS-CNN", "resnet_8": "ResNet-8", "mobilenet_v1": "MobileNetV1-0.25"}
MORE = {"lenet": "LeNet", "autoencoder": "autoencoder", "mobilenet_v2": "MobileNetV2-w0.35"}
CALIBRATION = 16


@dataclass(frozen=True)
class Form:
    """activations, weights: "int8" or "uint8", or "int16" for activations. per_channel: a scale for each output
    channel of a weight. extra: other options of onnxruntime, by its names for them. kind: "QDQ" or "QOperator"."""

    activations: str = "int8"
    weights: str = "int8"
    per_channel: bool = True
    extra: dict[str, object] = field(default_factory=dict, compare=False)
    kind: str = field(default="QDQ", compare=False)

    def __str__(self) -> str:
        words = [self.activations, self.weights, "per", "channel" if self.per_channel else "tensor"]
        return "-".join([*words, *(f"{name}={value}" for name, value in self.extra.items())])


#: onnxruntime has no uint8 weights under int8 activations.
TYPES = [("int8", "int8"), ("uint8", "int8"), ("uint8", "uint8")]
FORMS = [Form(*types, per_channel) for types in TYPES for per_channel in (True, False)]
#: Weights that stay float before QuantizeLinear, float biases, symmetric activations, and a pair for each consumer.
EXTRA: list[dict[str, object]] = [
    {"AddQDQPairToWeight": True},
    {"QuantizeBias": False},
    {"ActivationSymmetric": True},
    {"DedicatedQDQPair": True},
]


def quantized(
    model: onnx.ModelProto, samples: np.ndarray, form: Form | None = None, without: Sequence[str] = ()
) -> onnx.ModelProto:
    """Return the model as quantize_static() writes it after its own pre-processing, which folds batch norms.

    samples: (N, ...), for calibrating the ranges of activations; the model's single input takes them one at a time.
    without: names of nodes that stay in float.
    """
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Reader(CalibrationDataReader):
        def __init__(self) -> None:
            self.rest: Iterator[np.ndarray] = iter(samples)

        def get_next(self) -> dict[str, np.ndarray] | None:
            sample = next(self.rest, None)
            return None if sample is None else {model.graph.input[0].name: sample[None]}

    form = form or Form()
    types = {"int8": QuantType.QInt8, "uint8": QuantType.QUInt8, "int16": QuantType.QInt16}
    with tempfile.TemporaryDirectory() as folder:
        plain, prepared, made = (Path(folder, f"{name}.onnx") for name in ("plain", "prepared", "made"))
        onnx.save(model, plain)
        quant_pre_process(plain, prepared, skip_symbolic_shape=True)
        quantize_static(
            prepared,
            made,
            Reader(),
            quant_format=QuantFormat[form.kind],
            activation_type=types[form.activations],
            weight_type=types[form.weights],
            per_channel=form.per_channel,
            nodes_to_exclude=list(without),
            extra_options=form.extra,
        )
        return onnx.load(made)


def network(name: str, form: Form | None = None) -> onnx.ModelProto:
    """Return one of NETWORKS with its seeded weights, calibrated on noise."""
    return quantized(float_network(name), samples(name, CALIBRATION), form)


def float_network(name: str) -> onnx.ModelProto:
    from numeric.models.networks import NETWORKS as FLOAT
    from numeric.models.onnx_network import onnx_network

    return onnx_network(FLOAT[name].make(), FLOAT[name].shape)


def samples(name: str, count: int, seed: int = 0) -> np.ndarray:
    from numeric.models.networks import NETWORKS as FLOAT

    return np.random.default_rng(seed).normal(0, 1, (count, *FLOAT[name].shape)).astype(np.float32)


def of_integers(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a quantized model whose input is the integers that its first QuantizeLinear makes from real numbers."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    (given,) = made.graph.input
    (first,) = (node for node in made.graph.node if given.name in node.input)
    zero = next(tensor for tensor in made.graph.initializer if tensor.name == first.input[2])
    assert first.op_type == "QuantizeLinear"
    made.graph.node.remove(first)
    for node in made.graph.node:
        for index, name in enumerate(node.input):
            node.input[index] = given.name if name == first.output[0] else name
    given.type.tensor_type.elem_type = zero.data_type
    del made.graph.value_info[:]
    return made
