"""Random convolutional networks: strides, dilations, padding, groups, activations, shortcuts and pools."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CLASSES = 4


class DrawnNetwork:
    """A network of several layers, drawn from a seed."""

    def __init__(self, seed: int, batch: int | str = "N") -> None:
        self.rng = np.random.default_rng(seed)
        self.batch = batch
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.channels = int(self.rng.integers(1, 4))
        self.height, self.width = (int(n) for n in self.rng.integers(9, 26, 2))
        self.shape = (self.channels, self.height, self.width)

    def one_of(self, *choices: int) -> int:
        """Return one of some numbers."""
        return int(self.rng.choice(choices))

    def happens(self, share: float) -> bool:
        """Return True with this probability."""
        return bool(self.rng.random() < share)

    def weight(self, *shape: int) -> str:
        """Return the name of a new weight."""
        name = f"weight_{len(self.weights)}"
        values = self.rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]) or 1)
        self.weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def node(self, kind: str, *inputs: str, **attributes: object) -> str:
        """Return the name of a new node's output."""
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name

    def padding(self, kernel: int, dilation: int, size: int) -> tuple[int, int]:
        """Return the padding before and after, so that each window has a row of the input, and no more than needed."""
        reach = (kernel - 1) * dilation
        before, after = (int(n) for n in self.rng.integers(0, reach // 2 + 1 + (reach % 2), 2)) if reach else (0, 0)
        short = max(0, reach + 1 - size - before - after)
        return before + short, after

    def window(self) -> dict[str, list[int]]:
        """Return random attributes of a window, and set the size of its result."""
        kernel, stride, dilation = self.one_of(1, 2, 3, 3, 5), self.one_of(1, 1, 2, 3), self.one_of(1, 1, 1, 2)
        top, bottom = self.padding(kernel, dilation, self.height)
        left, right = self.padding(kernel, dilation, self.width)
        reach = (kernel - 1) * dilation + 1
        self.height = (self.height + top + bottom - reach) // stride + 1
        self.width = (self.width + left + right - reach) // stride + 1
        return {
            "kernel_shape": [kernel] * 2, "strides": [stride] * 2, "dilations": [dilation] * 2,
            "pads": [top, left, bottom, right],
        }  # fmt: skip

    def conv(self, x: str, channels: int, groups: int, **window: list[int]) -> str:
        """Return the output of a convolution, sometimes with a bias."""
        kernel = window["kernel_shape"]
        inputs = [x, self.weight(channels, self.channels // groups, *kernel)]
        inputs += [self.weight(channels)] if self.happens(0.6) else []
        self.channels = channels
        return self.node("Conv", *inputs, group=groups, **window)

    def any_conv(self, x: str) -> str:
        """Return the output of a random convolution: dense, in two groups, or depthwise."""
        groups = self.one_of(1, 1, self.channels, 2 if self.channels % 2 == 0 else 1)
        return self.conv(x, groups * self.one_of(1, 2, 3), groups, **self.window())

    def activation(self, x: str) -> str:
        """Return the output of a random activation, or x itself."""
        kind = self.rng.choice(["Relu", "Clip", "HardSwish", "Sigmoid", "LeakyRelu", "BatchNormalization", ""])
        if kind == "Clip":
            low, high = (self.scalar(n) for n in (0.0, 6.0))
            return self.node("Clip", x, low, high)
        if kind == "BatchNormalization":
            scale, bias, mean = (self.weight(self.channels) for _ in range(3))
            self.weights.append(numpy_helper.from_array(np.ones(self.channels, np.float32), variance := f"{scale}.var"))
            return self.node("BatchNormalization", x, scale, bias, mean, variance)
        return self.node(str(kind), x) if kind else x

    def scalar(self, number: float) -> str:
        """Return the name of a constant."""
        name = f"scalar_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(number, np.float32), name))
        return name

    def shortcut(self, x: str) -> str:
        """Return x plus the output of an inverted residual on it."""
        before, kernel = self.channels, self.one_of(1, 3, 5)
        plain = {"kernel_shape": [1, 1]}
        same = {"kernel_shape": [kernel] * 2, "pads": [kernel // 2] * 4}
        y = self.activation(self.conv(x, 2 * before, 1, **plain))
        y = self.activation(self.conv(y, self.channels, self.channels, **same))
        y = self.conv(y, before, 1, **plain)
        return self.node("Add", *((x, y) if self.happens(0.5) else (y, x)))

    def pool(self, x: str) -> str:
        """Return the output of a random pool."""
        window = self.window()
        if self.happens(0.5):
            return self.node("MaxPool", x, **window)
        del window["dilations"]
        reach = window["kernel_shape"][0]
        return self.node("AveragePool", x, count_include_pad=self.one_of(0, 1), **window) if reach else x

    def layer(self, x: str) -> str:
        """Return the output of a random layer."""
        kind = self.one_of(0, 0, 0, 1, 1, 2)
        if min(self.height, self.width) < 3:
            kind = 1
        if kind == 2:
            height, width = self.height, self.width
            made = self.pool(x)
            if self.nodes[-1].op_type == "AveragePool":
                self.undilated(height, width)
            return made
        return self.shortcut(x) if kind == 1 else self.activation(self.any_conv(x))

    def undilated(self, height: int, width: int) -> None:
        """Set the size of the output of a pool without dilation, for an input of this size."""
        found = {a.name: list(a.ints) for a in self.nodes[-1].attribute if a.ints}
        kernel, stride, pads = found["kernel_shape"][0], found["strides"][0], found["pads"]
        self.height = (height + pads[0] + pads[2] - kernel) // stride + 1
        self.width = (width + pads[1] + pads[3] - kernel) // stride + 1

    def make(self, layers: int) -> onnx.ModelProto:
        """Return the model: layers, a global pool, and a classifier."""
        x = "x"
        for _ in range(layers):
            x = self.layer(x)
        x = self.node("Flatten", self.node("GlobalAveragePool", x))
        x = self.node("Gemm", x, self.weight(CLASSES, self.channels), self.weight(CLASSES), transB=1)
        graph = helper.make_graph(
            self.nodes, "drawn",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [self.batch, *self.shape])],
            [helper.make_tensor_value_info(x, TensorProto.FLOAT, [self.batch, CLASSES])],
            self.weights,
        )  # fmt: skip
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
