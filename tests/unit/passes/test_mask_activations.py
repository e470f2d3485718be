"""A bit for each element instead of an activation: what the pass does, what it leaves, and that every bit stays."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes import mask_activations, pipeline
from gradmote.compiler.passes.mask_activations import with_masks
from gradmote.formats.image import lay_out, write_image
from gradmote.ir.copies import flat_copy
from gradmote.ir.generated.instructions import INSTRUCTIONS
from gradmote.ir.program import Binding, Buffer, Compiled, Program, Ref
from gradmote_runtime import Session
from support.oracle import examples, host_profiles, make_model, node, seeds, train, values

BOUNDS = {"low": np.float32(-0.5), "high": np.float32(1.5)}


def network(activations, channels=5, residual=False, size=8):
    """Conv, bias and activation for each activation named, perhaps around a shortcut; then a classifier."""
    nodes, weights, x = [], {}, "x"
    for k, activation in enumerate(activations):
        inputs = 2 if k == 0 else channels
        weights |= {f"w{k}": values(k, channels, inputs, 3, 3) / 4, f"b{k}": values(40 + k, channels)}
        nodes.append(node("Conv", f"{x} w{k} b{k}", f"c{k}", pads=[1, 1, 1, 1]))
        summed = f"c{k}"
        if residual and k:
            nodes.append(node("Add", f"c{k} {x}", f"s{k}"))
            summed = f"s{k}"
        bounds = " low high" if activation == "Clip" else ""
        nodes.append(node(activation, summed + bounds, f"a{k}"))
        x = f"a{k}"
    nodes += [node("GlobalAveragePool", x, "p"), node("Flatten", "p", "f"), node("MatMul", "f w9", "y")]
    return make_model(nodes, {**weights, **BOUNDS, "w9": values(30, channels, 3)}, {"x": ("N", 2, size, size)})


def with_and_without(model, names, accumulate=False):
    """The images of a model with the pass and without. names: what is trained; None: everything."""
    made = build_artifacts(model, names, losses.cross_entropy(), optimizers.sgd(0.1, momentum=0.9))
    options = Options(batch=2, accumulate=accumulate)
    with_pass = compile_image(made, options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "PROGRAMS", [p for p in pipeline.PROGRAMS if p is not mask_activations.run])
        return with_pass, compile_image(made, options)


def opcodes(result, kind="step"):
    return [i.opcode for p in result.compiled.programs if p.kind == kind for i in p.instructions]


def batches(size=8):
    """Zeros and bounds are many."""
    rng = np.random.default_rng(5)
    rows = rng.integers(-2, 3, (3, 2, 2, size, size)).astype(np.float32) / 2
    return [(x, rng.integers(0, 3, 2).astype(np.int32)) for x in rows]


@pytest.mark.parametrize("trained", ["weights", "biases"])
@examples(10)
@given(
    activations=st.lists(st.sampled_from(["Relu", "Clip", "HardSwish"]), min_size=2, max_size=4),
    channels=st.integers(1, 5), residual=st.booleans(), accumulate=st.booleans(), seed=seeds,
)  # fmt: skip
def test_the_same_bits_in_no_more_memory(trained, activations, channels, residual, accumulate, seed):
    model = network(activations, channels, residual, size=5 + seed % 3)
    pair = with_and_without(model, None if trained == "weights" else ["b*"], accumulate)
    kind = "train" if accumulate else "step"
    less, more = (result.layout.placements[kind].bound for result in pair)
    assert less < more if "MASK" in opcodes(pair[0], kind) else less == more
    for profile in host_profiles():
        runs = [train(result.image, batches(5 + seed % 3), profile, accumulate) for result in pair]
        assert runs[0][0] == runs[1][0]
        assert bytes(runs[0][1].state()) == bytes(runs[1][1].state())


@pytest.mark.parametrize("activation", ["Relu", "Clip"])
def test_frozen_weights_need_bits_alone(activation):
    """Check that at most two of four activations are alive at a time, with only the bits of the others."""
    packed, plain = with_and_without(network([activation] * 4), ["b*"])
    assert "MASK" in opcodes(packed) and opcodes(packed).count("MASK") == opcodes(packed).count("MASK_GRAD")
    a = 4 * 2 * 5 * 8 * 8
    assert packed.layout.placements["step"].peak < 2.5 * a < 4 * a <= plain.layout.placements["step"].peak


def test_what_a_weights_gradient_reads_is_kept():
    packed, _ = with_and_without(network(["Relu"] * 3), None)
    assert "MASK" not in opcodes(packed)


def test_inference_is_left_alone():
    packed, _ = with_and_without(network(["Relu"] * 3), ["b*"])
    assert "MASK" not in opcodes(packed, "infer") + opcodes(packed, "eval")


def test_no_mask_where_the_peak_is_elsewhere():
    """Tanh needs most, after the last use of the ReLU that follows it."""
    nodes = [node("Conv", "x w b", "c"), node("Tanh", "c", "t"), node("GlobalAveragePool", "t", "p")]
    nodes += [node("Conv", "p u", "d"), node("Relu", "d", "a"), node("Flatten", "a", "f"), node("MatMul", "f v", "y")]
    weights = {"w": values(1, 2, 2, 1, 1), "b": values(2, 2), "u": values(4, 2, 2, 1, 1), "v": values(3, 2, 3)}
    packed, _ = with_and_without(make_model(nodes, weights, {"x": ("N", 2, 6, 6)}), ["b"])
    assert "MASK" not in opcodes(packed)


def program_of(opcode, saved, n, params):
    """An inference program: dx of one gradient instruction; its operands are inputs."""
    buffers = {name: Buffer(name, 4 * n, "input") for name in ("dy", saved)}
    dx = Buffer("dx", 4 * n, "scratch")
    kept = Buffer("kept", 4 * n, "scratch")
    copy = flat_copy(Ref(buffers[saved]), Ref(kept), n)
    operands = {"dy": Ref(buffers["dy"]), saved: Ref(kept), "dx": Ref(dx)}
    inputs = [Binding(name, "input", "f32", (n,), Ref(b)) for name, b in buffers.items()]
    outputs = [Binding("dx", "output", "f32", (n,), Ref(dx))]
    return inputs, Program("infer", [copy, INSTRUCTIONS[opcode](**operands, n=n, **params)], [*inputs, *outputs])


def image_of(inputs, program):
    compiled = Compiled([program], [], [], [], Buffer("control", 48, "control"), inputs, 1, 0.1)
    return write_image(compiled, lay_out(compiled), False)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 16, 29])
@pytest.mark.parametrize(
    "opcode, saved, params", [("RELU_GRAD", "y", {}), ("CLAMP_GRAD", "x", {"low": -0.5, "high": 1.5})]
)
def test_the_question_is_the_same_for_every_kind_of_number(opcode, saved, params, n):
    """NaN, infinities, zeros of both signs, subnormals, the bounds and their neighbours."""
    bounds = [np.nextafter(np.float32(b), np.float32(t)) for b in (-0.5, 1.5) for t in (-9, 9)]
    special = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-45, -1e-45, -0.5, 1.5, *bounds, 1.0, -1.0]
    x = np.resize(np.array(special, np.float32), (3, n)) if n > 16 else np.array(special, np.float32)
    inputs, program = program_of(opcode, saved, n, params)
    plain = image_of(inputs, program)
    program.instructions = with_masks(program, [program.uses()[program.instructions[1].operands[saved].buffer]])
    packed = image_of(inputs, program)
    assert [i.opcode for i in program.instructions] == ["COPY", "MASK", "MASK_GRAD"]
    dy = np.array([math.nan, 2.0, -0.0, math.inf, 3.0], np.float32)
    with Session(plain) as one, Session(packed) as other:
        for start in range(len(special)):
            rows = np.resize(np.roll(np.ravel(x), -start), n), np.resize(np.roll(dy, start), n)
            feeds = dict(zip((saved, "dy"), rows, strict=True))
            expected, found = (np.array(s.infer(feeds["dy"], feeds[saved])) for s in (one, other))
            assert expected.tobytes() == found.tobytes()
