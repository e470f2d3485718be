"""Builds small ONNX networks layer by layer, with fresh weights, and without a training framework.

    network = Network((1, 8, 8), seed=0)
    network.conv(8, kernel=3, padding=1).relu().max_pool(2).flatten().linear(10)
    model = network.model()

Weights are normal with variance 2 / (inputs of one output), which keeps the scale of activations through Relu (He et
al. 2015); biases start at 0. Their names are conv1.weight, linear2.bias and so on, for `train=["linear2.*"]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 18
Pair = int | tuple[int, int]


class Network:
    """A chain of layers. shape: of one sample, without the batch; (channels, height, width) or (features,)."""

    def __init__(self, shape: tuple[int, ...], seed: int = 0) -> None:
        self.inputs = shape
        self.shape = shape  #: of one sample of the last layer's output
        self.value = "x"  #: name of the last layer's output
        self._random = np.random.default_rng(seed)
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        self._layers = 0

    # ---- Layers ---------------------------------------------------------------------------------------------------

    def conv(self, channels: int, kernel: Pair, stride: Pair = 1, padding: Pair = 0, groups: int = 1) -> Network:
        """Append a 2-D convolution; as many groups as input channels make it depthwise."""
        name = self._name("conv")
        (kh, kw), (sh, sw), (ph, pw) = _pair(kernel), _pair(stride), _pair(padding)
        inputs, height, width = self.shape
        fan_in = inputs // groups * kh * kw
        weights = self._linear_weights(name, (channels, inputs // groups, kh, kw), fan_in, channels)
        self.shape = (channels, (height + 2 * ph - kh) // sh + 1, (width + 2 * pw - kw) // sw + 1)
        return self.node("Conv", *weights, strides=[sh, sw], pads=[ph, pw, ph, pw], group=groups)

    def depthwise_separable(self, channels: int, stride: Pair = 1) -> Network:
        """Append a 3x3 convolution of each channel by itself, then a 1x1 convolution across channels."""
        self.conv(self.shape[0], 3, stride, padding=1, groups=self.shape[0]).batch_norm().relu()
        return self.conv(channels, 1).batch_norm().relu()

    def inverted_residual(self, channels: int, stride: int, expansion: int) -> Network:
        """Append a block of MobileNetV2: widen, convolve each channel, narrow again, and add x if shapes allow it."""
        before, inputs = self.value, self.shape[0]
        if expansion > 1:
            self.conv(inputs * expansion, 1).batch_norm().relu6()
        self.conv(self.shape[0], 3, stride, padding=1, groups=self.shape[0]).batch_norm().relu6()
        self.conv(channels, 1).batch_norm()
        return self.node("Add", before) if stride == 1 and inputs == channels else self

    def linear(self, features: int) -> Network:
        weights = self._linear_weights(self._name("linear"), (features, self.shape[0]), self.shape[0], features)
        self.shape = (features,)
        return self.node("Gemm", *weights, transB=1)

    def lstm(self, hidden: int) -> Network:
        """Append an LSTM from (steps, features) to the output after the last step, (hidden,)."""
        name, (_, features), gates = self._name("lstm"), self.shape, 4 * hidden
        weights = self.weight(f"{name}.weight", self.normal((1, gates, features), features**-0.5))
        recurrence = self.weight(f"{name}.recurrence", self.normal((1, gates, hidden), hidden**-0.5))
        bias = self.weight(f"{name}.bias", np.zeros((1, 2 * gates)))
        self.node("Transpose", perm=[1, 0, 2])
        inputs = [self.value, weights, recurrence, bias]
        self._nodes.append(helper.make_node("LSTM", inputs, ["", f"{name}_last"], name=name, hidden_size=hidden))
        self.value, self.shape = f"{name}_last", (hidden,)
        return self.node("Flatten", axis=2)  # (1, batch, hidden)

    def batch_norm(self) -> Network:
        """Append a BatchNormalization with trained scale 1 and shift 0, and running mean 0 and variance 1."""
        name, channels = self._name("norm"), self.shape[0]
        values = {"weight": 1, "bias": 0, "running_mean": 0, "running_var": 1}
        parts = [self.weight(f"{name}.{part}", np.full(channels, value)) for part, value in values.items()]
        return self.node("BatchNormalization", *parts)

    def relu(self) -> Network:
        return self.node("Relu")

    def relu6(self) -> Network:
        low, high = (self.weight(self._name("bound"), np.array(value)) for value in (0, 6))
        return self.node("Clip", low, high)

    def tanh(self) -> Network:
        return self.node("Tanh")

    def max_pool(self, size: int) -> Network:
        channels, height, width = self.shape
        self.shape = (channels, height // size, width // size)
        return self.node("MaxPool", kernel_shape=[size, size], strides=[size, size])

    def global_average_pool(self) -> Network:
        """Append the mean of each channel: (channels, height, width) to (channels,)."""
        self.shape = (self.shape[0], 1, 1)
        return self.node("GlobalAveragePool").flatten()

    def flatten(self) -> Network:
        self.shape = (int(np.prod(self.shape)),)
        return self.node("Flatten")

    # ---- Anything else --------------------------------------------------------------------------------------------

    def node(self, op_type: str, *inputs: str, **attributes: Any) -> Network:
        """Append any ONNX operator. Its first input is the last layer's value; `inputs` are names of weights."""
        output = f"{op_type.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(op_type, [self.value, *inputs], [output], name=output, **attributes))
        self.value = output
        return self

    def weight(self, name: str, values: np.ndarray) -> str:
        """Add a trainable float32 tensor, and return its name."""
        self._weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def normal(self, shape: tuple[int, ...], deviation: float) -> np.ndarray:
        """Return random numbers around 0, from the network's seed."""
        return self._random.normal(0, deviation, shape)

    def model(self) -> onnx.ModelProto:
        """Return the network as ONNX; input "x" (batch, *shape), output "y"."""
        nodes = [*self._nodes, helper.make_node("Identity", [self.value], ["y"])]
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", *self.inputs])]
        outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", *self.shape])]
        graph = helper.make_graph(nodes, "network", inputs, outputs, self._weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)

    # ---- Internals ------------------------------------------------------------------------------------------------

    def _name(self, kind: str) -> str:
        self._layers += 1
        return f"{kind}{self._layers}"

    def _linear_weights(self, name: str, shape: tuple[int, ...], fan_in: int, outputs: int) -> tuple[str, str]:
        weight = self.weight(f"{name}.weight", self.normal(shape, (2 / fan_in) ** 0.5))
        return weight, self.weight(f"{name}.bias", np.zeros(outputs))


def _pair(value: Pair) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else value
