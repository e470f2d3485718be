"""Networks at random: fused, reordered and in as few bytes as possible they train to the bits of the plain program, in
which every buffer has a place of its own and no pass but those that say what is summed and rounded how has run.

GRADMOTE_NETWORKS is how many are drawn.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.plan.test_arena import assert_sound, place_apart

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes import accumulate_gradients, fuse_add, fuse_loss, pipeline
from gradmote.formats.image import layout
from support.oracle import examples, host_profiles, make_model, node, train, values
from support.sampling import draws

COUNT = draws("networks")
BATCH, CLASSES = 2, 3
ACTIVATIONS = ["Relu", "Clip", "HardSwish", "Tanh", "LeakyRelu"]
OPTIMIZERS = {
    "sgd": lambda: optimizers.sgd(0.1),
    "momentum": lambda: optimizers.sgd(0.05, momentum=0.9, weight_decay=0.01),
    "adamw": lambda: optimizers.adamw(0.01),
    "clipped": lambda: optimizers.sgd(0.1, clip_norm=0.5),
}


class Sketch:
    """A network while it is drawn: its nodes, its weights, and the shapes (channels, size) of all values so far."""

    def __init__(self, draw, channels, size):
        self.draw, self.nodes, self.weights = draw, [], {"low": np.float32(-0.5), "high": np.float32(1.0)}
        self.shapes = {"x": (channels, size)}

    def any_value(self, like=lambda shape: True):
        return self.draw(st.sampled_from([name for name, shape in self.shapes.items() if like(shape)]))

    def add(self, op_type, inputs, shape, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(node(op_type, inputs, name, **attributes))
        self.shapes[name] = shape
        return name

    def weight(self, *shape):
        """A new weight, or one that is there already: tied."""
        alike = [name for name, array in self.weights.items() if array.shape == shape]
        if alike and self.draw(st.booleans()):
            return self.draw(st.sampled_from(alike))
        name = f"{'w' if len(shape) > 1 else 'b'}{len(self.weights)}"
        self.weights[name] = values(len(self.weights), *shape) / np.float32(np.sqrt(np.prod(shape[1:])))
        return name

    # ---- Layers

    def convolution(self):
        x = self.any_value()
        channels, size = self.shapes[x]
        kernel, depthwise = self.draw(st.sampled_from([1, 3])), self.draw(st.booleans())
        maps, group = (channels, channels) if depthwise else (self.draw(st.integers(1, 4)), 1)
        inputs = f"{x} {self.weight(maps, channels // group, kernel, kernel)}"
        inputs += f" {self.weight(maps)}" if self.draw(st.booleans()) else ""
        self.add("Conv", inputs, (maps, size), pads=[kernel // 2] * 4, group=group)

    def normalization(self):
        x = self.any_value()
        channels, _ = self.shapes[x]
        scale, bias = self.weight(channels), self.weight(channels)
        for name, array in (("mean", values(50, channels)), ("var", np.abs(values(51, channels)))):
            self.weights[f"{name}{channels}"] = array
        self.add("BatchNormalization", f"{x} {scale} {bias} mean{channels} var{channels}", self.shapes[x])

    def activation(self):
        x, op_type = self.any_value(), self.draw(st.sampled_from(ACTIVATIONS))
        self.add(op_type, x + (" low high" if op_type == "Clip" else ""), self.shapes[x])

    def pool(self):
        x = self.any_value()
        channels, size = self.shapes[x]
        stride = self.draw(st.integers(1, 2))
        op_type = self.draw(st.sampled_from(["MaxPool", "AveragePool"]))
        shape = channels, (size - min(size, 2)) // stride + 1
        self.add(op_type, x, shape, kernel_shape=[min(size, 2)] * 2, strides=[stride] * 2)

    def meeting(self):
        """Two values of one shape, perhaps the same one."""
        a = self.any_value()
        b = self.any_value(lambda shape: shape == self.shapes[a])
        self.add(self.draw(st.sampled_from(["Add", "Add", "Sub", "Mul"])), f"{a} {b}", self.shapes[a])

    def concatenation(self):
        a = self.any_value()
        b = self.any_value(lambda shape: shape[1] == self.shapes[a][1])
        self.add("Concat", f"{a} {b}", (self.shapes[a][0] + self.shapes[b][0], self.shapes[a][1]), axis=1)

    def classifier(self):
        """Reads the last value, and perhaps another."""
        ends = [list(self.shapes)[-1], *([self.any_value()] if self.draw(st.booleans()) else [])]
        pooled = [self.add("GlobalAveragePool", end, (self.shapes[end][0], 1)) for end in ends]
        features = sum(self.shapes[name][0] for name in pooled)
        joined = self.add("Concat", " ".join(pooled), (features, 1), axis=1)
        flat = self.add("Flatten", joined, (features, 1))
        self.nodes.append(node("Gemm", f"{flat} {self.weight(features, CLASSES)} {self.weight(CLASSES)}", "y"))

    def model(self):
        used = {name for n in self.nodes for name in n.input}
        weights = {name: array for name, array in self.weights.items() if name in used}
        return make_model(self.nodes, weights, {"x": ("N", self.shapes["x"][0], *[self.shapes["x"][1]] * 2)})


LAYERS = [
    Sketch.convolution, Sketch.convolution, Sketch.convolution, Sketch.normalization, Sketch.activation,
    Sketch.activation, Sketch.pool, Sketch.meeting, Sketch.concatenation,
]  # fmt: skip


@st.composite
def networks(draw):
    sketch = Sketch(draw, draw(st.integers(1, 3)), draw(st.integers(3, 5)))
    sketch.convolution()
    for _ in range(draw(st.integers(2, 9))):
        draw(st.sampled_from(LAYERS))(sketch)
    sketch.classifier()
    return sketch.model()


def plain(artifacts, options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "PROGRAMS", [fuse_add.run, accumulate_gradients.run, fuse_loss.run])
        patch.setattr(layout, "place", place_apart)
        return compile_image(artifacts, options)


def batches(model, count=3):
    """Draw multiples of a half: many are zeros, ties and bounds."""
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim[1:]]
    rng = np.random.default_rng(0)
    rows = [rng.integers(-3, 4, (BATCH, *shape)).astype(np.float32) / 2 for _ in range(count)]
    return [(x, rng.integers(0, CLASSES, BATCH).astype(np.int32)) for x in rows]


def outcome(result, data, profile, accumulate):
    """Losses, the state, and what the trained model answers, in poisoned scratch."""
    run, session = train(result.image, data, profile, accumulate)
    session.poison()
    return run, session.state_sha256(), bytes(session.infer(data[0][0])[0])


@settings(examples(COUNT), max_examples=COUNT)
@given(
    model=networks(),
    optimizer=st.sampled_from(list(OPTIMIZERS)),
    trained=st.sampled_from([None, None, ["b*"], ["w*"]]),
    accumulate=st.booleans(),
    overwrite_inputs=st.booleans(),
)
def test_the_same_bits_in_the_least_memory(model, optimizer, trained, accumulate, overwrite_inputs):
    made = build_artifacts(model, trained, losses.cross_entropy(), OPTIMIZERS[optimizer]())
    planned = compile_image(made, Options(BATCH, accumulate, overwrite_inputs=overwrite_inputs))
    apart = plain(made, Options(BATCH, accumulate))
    for kind, placement in planned.layout.placements.items():
        assert_sound(placement)
        assert overwrite_inputs or placement.peak <= apart.layout.placements[kind].peak
    for profile in host_profiles():
        data = batches(model)
        assert outcome(planned, data, profile, accumulate) == outcome(apart, data, profile, accumulate)


#: Buffers that have several names: one weight for two layers, one that is read as it is and transposed; a value beside
#: views of itself; a value that meets itself.
ALIASES = {
    "tied weights": ["MatMul x w a", "Relu a r", "MatMul r w b", "MatMul b v y"],
    "a weight and its transpose": ["MatMul x u a", "Tanh a t", "Gemm t u b transB", "MatMul b v y"],
    "a value and its views": ["MatMul x w a", "Relu a r", "Flatten r f", "Transpose f p", "Transpose p q", "Add q a s",
                              "MatMul s v y"],
    "a value twice": ["MatMul x w a", "Mul a a m", "Add m m s", "Sub s a d", "MatMul d v y"],
}  # fmt: skip


def aliased(lines):
    """Each line: operator, inputs, output, and perhaps an attribute that is set."""
    nodes = []
    for line in lines:
        op_type, *names = line.split()
        attributes = {names.pop(): 1} if names[-1] == "transB" else {}
        nodes.append(node(op_type, " ".join(names[:-1]), names[-1], **attributes))
    weights = {"w": values(1, 6, 6), "u": values(2, 6, 6), "v": values(3, 6, CLASSES)}
    used = {name for n in nodes for name in n.input}
    return make_model(nodes, {n: a for n, a in weights.items() if n in used}, {"x": ("N", 6)})


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("name", ALIASES)
def test_buffers_with_several_names(name, accumulate, profile):
    model = aliased(ALIASES[name])
    made = build_artifacts(model, None, losses.cross_entropy(), OPTIMIZERS["momentum"]())
    results = compile_image(made, Options(BATCH, accumulate)), plain(made, Options(BATCH, accumulate))
    for placement in results[0].layout.placements.values():
        assert_sound(placement)
    first, second = (outcome(result, batches(model), profile, accumulate) for result in results)
    assert first == second
