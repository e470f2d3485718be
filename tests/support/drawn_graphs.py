"""Random graphs that reconverge, share, alias, broadcast and slice: values that several nodes read and whose paths
meet again, halves that are separated and joined, means that are broadcast again, weights used twice or not trained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import onnx

from support.drawn_cnn import DrawnNetwork
from support.oracle import make_model, node
from support.quantized.drawn import network

Array = np.ndarray
BATCH, CLASSES = 3, 3
UNARY = ("Relu", "Abs", "Neg", "Sigmoid", "Tanh", "LeakyRelu", "HardSwish", "Elu", "Identity", "Softmax", "Square")
BINARY = ("Add", "Add", "Mul", "Sub", "Max", "Min")


@dataclass(frozen=True)
class Drawn:
    """A model with one input x (N, ...) and scores y (N, classes), its frozen weights, and properties of its graph."""

    model: onnx.ModelProto
    frozen: tuple[str, ...]
    reconverges: bool  # two paths from one value of the forward pass meet in one node
    batch: int = BATCH

    @property
    def classes(self) -> int:
        return dims(self.model.graph.output[0])[0]

    def inputs(self, count: int) -> Array:
        """Return the inputs of some batches. They are multiples of a half, with many zeros and ties."""
        random = np.random.default_rng(7)
        shape = (count, self.batch, *dims(self.model.graph.input[0]))
        return random.integers(-3, 4, shape).astype(np.float32) / 2


def dims(value: onnx.ValueInfoProto) -> list[int]:
    """Return a shape without the batch."""
    return [d.dim_value for d in value.type.tensor_type.shape.dim[1:]]


class Sketch:
    """A graph under construction. All its values are (N, width)."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.width = int(self.random.choice([4, 6, 8]))
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, Array] = {}
        self.values = ["x"]
        self.sources: dict[str, set[str]] = {"x": {"x"}}
        self.reconverges = False

    def model(self, count: int) -> Drawn:
        """Draw `count` steps, and join all ends to one output."""
        self.values.append(self.product("x"))
        for _ in range(count):
            self.values.append(self.draw(STEPS)(self, self.near()))
        end = self.joined([value for value in self.values if not self.is_read(value)])
        self.op("MatMul", [end, self.weight((self.width, CLASSES))], "y")
        beside = self.near()  # an output that the loss leaves out
        outputs = ["y", beside] if self.random.random() < 0.2 and beside != "x" else ["y"]
        found = make_model(self.nodes, self.weights, {"x": ("N", self.width)}, outputs=outputs)
        trained = [name for name, array in self.weights.items() if array.dtype == np.float32]
        frozen = [name for name in trained if self.random.random() < 0.15]
        still = tuple(frozen) if len(frozen) < len(trained) else ()
        return Drawn(found, still, self.reconverges, self.draw((1, BATCH, BATCH)))

    # ---- Choices

    def draw(self, choices: Sequence):
        return choices[int(self.random.integers(len(choices)))]

    def near(self) -> str:
        """Return a value, usually one of the last."""
        back = min(len(self.values), 1 + int(self.random.geometric(0.4)))
        return self.values[-back]

    def is_read(self, value: str) -> bool:
        return any(value in n.input for n in self.nodes)

    def weight(self, shape: tuple[int, ...]) -> str:
        """Return a weight, now and then one that is already in use."""
        alike = [name for name, array in self.weights.items() if array.shape == shape and array.dtype == np.float32]
        if alike and self.random.random() < 0.2:
            return self.draw(alike)
        name = f"w{len(self.weights)}"
        scale = 1.0 / np.sqrt(shape[0]) if len(shape) > 1 else 0.7
        self.weights[name] = (scale * self.random.normal(size=shape)).astype(np.float32)
        return name

    def constant(self, array: Sequence[int] | Array) -> str:
        name = f"c{len(self.weights)}"
        self.weights[name] = np.asarray(array)
        return name

    def op(self, op_type: str, inputs: Sequence[str], output: str = "", **attributes) -> str:
        output = output or f"v{len(self.nodes)}"
        self.nodes.append(node(op_type, " ".join(inputs), output, **attributes))
        read = [self.sources[name] for name in inputs if name in self.sources]
        self.reconverges |= any(len(a & b - {"x"}) > 0 for i, a in enumerate(read) for b in read[:i])
        self.sources[output] = set[str]().union(*read) | {output}
        return output

    # ---- Steps

    def unary(self, x: str) -> str:
        kind = self.draw(UNARY)
        return self.op("Mul", [x, x]) if kind == "Square" else self.op(kind, [x])

    def scaled(self, x: str) -> str:
        return self.op(self.draw(("Mul", "Mul", "Add", "Sub")), [x, self.weight((self.width,))])

    def meeting(self, x: str) -> str:
        return self.op(self.draw(BINARY), [x, self.near()])

    def gated(self, x: str) -> str:
        """Return x p + f(x) q."""
        parts = [self.op("Mul", [value, self.weight((self.width,))]) for value in (x, self.unary(x))]
        return self.op("Add", parts)

    def product(self, x: str) -> str:
        return self.op("MatMul", [x, self.weight((self.width, self.width))])

    def packed(self, x: str) -> str:
        """Return products with the halves of one weight, as attention packs its projections, or with one of them."""
        whole, axis = self.weight((2 * self.width, self.width)), self.constant([0])
        bounds = [(0, self.width), (self.width, 2 * self.width)][int(self.random.integers(2)) :]
        halves = [self.op("Slice", [whole, self.constant([a]), self.constant([b]), axis]) for a, b in bounds]
        return self.joined([self.op("MatMul", [x, half]) for half in halves])

    def dense(self, x: str) -> str:
        return self.op(
            "Relu", [self.op("Gemm", [x, self.weight((self.width, self.width)), self.weight((self.width,))])]
        )

    def halves(self, x: str) -> str:
        """Return two halves in exchanged order, with one of them changed."""
        middle, axis = self.width // 2, self.constant([1])
        bounds = [(0, middle), (middle, self.width)]
        parts = [self.op("Slice", [x, self.constant([a]), self.constant([b]), axis]) for a, b in bounds]
        changed = self.op(self.draw(("Relu", "Tanh", "Neg")), [parts[1]])
        return self.op("Concat", [changed, parts[0]], axis=1)

    def centred(self, x: str) -> str:
        """Combine x with its mean over the width, which is broadcast again."""
        mean = self.op("ReduceMean", [x, self.constant([1])], keepdims=1)
        return self.op(self.draw(("Sub", "Add", "Mul")), [x, mean])

    def turned(self, x: str) -> str:
        """Return views: two axes of the width, exchanged and joined again."""
        split = self.op("Reshape", [x, self.constant([-1, 2, self.width // 2])])
        turned = self.op("Transpose", [split], perm=[0, 2, 1])
        changed = self.op(self.draw(("Relu", "Identity", "Abs")), [turned])
        return self.op("Reshape", [changed, self.constant([-1, self.width])])

    def standardized(self, x: str) -> str:
        return self.op("LayerNormalization", [x, self.weight((self.width,)), self.weight((self.width,))], axis=-1)

    def attended(self, x: str) -> str:
        """Return attention with one head, in which each number is a token."""
        tokens = self.op("Reshape", [x, self.constant([-1, 1, self.width, 1])])
        q, k, v = (self.op("Mul", [tokens, self.weight((1,))]) for _ in range(3))
        scores = self.op("MatMul", [q, self.op("Transpose", [k], perm=[0, 1, 3, 2])])
        if self.random.random() < 0.5:
            scores = self.op(self.draw(("Mul", "Div")), [scores, self.constant(np.array(0.5, np.float32))])
        shares = self.op("Softmax", [scores], axis=-1)
        found = self.op("MatMul", [shares, v])
        if self.random.random() < 0.2:
            found = self.op("Add", [found, self.op("MatMul", [shares, q])])
        return self.op("Reshape", [found, self.constant([-1, self.width])])

    def convolution(self, x: str) -> str:
        """Return a convolution on a picture with one row."""
        split = self.op("Reshape", [x, self.constant([-1, 2, 1, self.width // 2])])
        kernel = self.weight((2, 2, 1, 3))
        done = self.op("Conv", [split, kernel], pads=[0, 1, 0, 1])
        return self.op("Reshape", [done, self.constant([-1, self.width])])

    def convolution_of_a_view(self, x: str) -> str:
        """Return x with its second half convolved: in a batch the halves are not adjacent."""
        picture = self.op("Reshape", [x, self.constant([-1, 2, 1, self.width // 2])])
        parts = [self.op("Slice", [picture, *map(self.constant, ([k], [k + 1], [1]))]) for k in range(2)]
        done = self.op("Conv", [parts[1], self.weight((1, 1, 1, 3))], pads=[0, 1, 0, 1])
        return self.op("Reshape", [self.op("Concat", [parts[0], done], axis=1), self.constant([-1, self.width])])

    def joined(self, ends: Sequence[str]) -> str:
        found = ends[0]
        for end in ends[1:]:
            found = self.op("Add", [found, end])
        return found


STEPS: tuple[Callable[[Sketch, str], str], ...] = (
    Sketch.unary, Sketch.unary, Sketch.unary, Sketch.scaled, Sketch.scaled, Sketch.meeting, Sketch.meeting,
    Sketch.meeting, Sketch.gated, Sketch.gated, Sketch.product, Sketch.packed, Sketch.dense, Sketch.halves,
    Sketch.centred, Sketch.turned, Sketch.standardized, Sketch.convolution, Sketch.convolution_of_a_view,
    Sketch.attended,
)  # fmt: skip


def drawn(seed: int) -> Drawn:
    """Return the graph for a seed, with 3 to 24 steps."""
    sketch = Sketch(seed)
    return sketch.model(int(sketch.random.integers(3, 25)))


def drawn_convolutional(seed: int) -> Drawn:
    """Return the network for a seed: some convolutions of a picture, with shortcuts and pools."""
    model = DrawnNetwork(seed).make(layers=2 + seed // 16 % 4)
    return Drawn(model, (), any(n.op_type == "Add" for n in model.graph.node), 1 + seed // 8 % 2)


def drawn_quantized(seed: int) -> Drawn:
    """Return the network for a seed, which computes in int8."""
    random = np.random.default_rng(seed)
    model = network(random, lambda choices: choices[int(random.integers(len(choices)))])
    return Drawn(model, (), any(n.op_type in ("Add", "Mul", "Concat") for n in model.graph.node))
