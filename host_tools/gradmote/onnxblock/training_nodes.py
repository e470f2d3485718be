"""onnxruntime's training operators over sequences of tensors, with bodies that any ONNX runtime can run.

onnxruntime-training computes them in place. Their bodies here cannot, so each node also has the optional outputs of
onnxruntime's operators: the new tensors, in the order of the old ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx

from .base_model import current, new_name

DOMAIN = "com.microsoft"
#: Functions need this IR version of a model.
FUNCTIONS_IR_VERSION = 8

#: op_type -> the outputs that are sequences, or "" for the flag of shape (1), and the body.
BODIES: dict[str, tuple[tuple[str, ...], str]] = {
    # g min(1, max_norm / (sqrt(sum of g^2) + 1e-6))
    "InplaceClipGradNorm": (
        ("clip_grad_norm_output",),
        """
InplaceClipGradNorm <max_norm> (gradients) => (clipped) {
  count = SequenceLength(gradients)
  nothing = Constant<value_float: float = 0.0>()
  total = Loop(count, , nothing)<body = add_squares(int64 i, bool go, float before) => (bool on, float after) {
    g = SequenceAt(gradients, i)
    squares = ReduceSumSquare<keepdims = 0>(g)
    after = Add(before, squares)
    on = Identity(go)
  }>
  norm = Sqrt(total)
  tiny = Constant<value_float: float = 1e-6>()
  norm_above_0 = Add(norm, tiny)
  max_norm = Constant<value_float: float = @max_norm>()
  ratio = Div(max_norm, norm_above_0)
  one = Constant<value_float: float = 1.0>()
  factor = Min(ratio, one)
  none = SequenceEmpty()
  clipped = Loop(count, , none)<body = scale(int64 j, bool goes, seq(float) some) => (bool stays, seq(float) more) {
    gradient = SequenceAt(gradients, j)
    scaled = Mul(gradient, factor)
    more = SequenceInsert(some, scaled)
    stays = Identity(goes)
  }>
}""",
    ),
    # w - rate g
    "SGDOptimizerV2": (
        ("", "updated_weights"),
        """
SGDOptimizerV2 (rate, weights, gradients) => (completed, updated_weights) {
  completed = Constant<value = bool[1] {1}>()
  count = SequenceLength(weights)
  none = SequenceEmpty()
  updated_weights = Loop(count, , none)<body = step(int64 i, bool go, seq(float) some) => (bool on, seq(float) more) {
    w = SequenceAt(weights, i)
    g = SequenceAt(gradients, i)
    change = Mul(rate, g)
    w_new = Sub(w, change)
    more = SequenceInsert(some, w_new)
    on = Identity(go)
  }>
}""",
    ),
    # m = alpha m + (1 - alpha) g,  v = beta v + (1 - beta) g^2,
    # w = (w - rate sqrt(1 - beta^step) / (1 - alpha^step) m / (sqrt(v) + epsilon)) (1 - rate weight_decay)
    "AdamWOptimizer": (
        ("", "updated_weights", "updated_momentums_1", "updated_momentums_2"),
        """
AdamWOptimizer <alpha, beta, epsilon, weight_decay> (rate, step, weights, gradients, ms, vs)
    => (updated, updated_weights, updated_ms, updated_vs) {
  updated = Constant<value = bool[1] {1}>()
  one = Constant<value_float: float = 1.0>()
  alpha = Constant<value_float: float = @alpha>()
  beta = Constant<value_float: float = @beta>()
  epsilon = Constant<value_float: float = @epsilon>()
  decay = Constant<value_float: float = @weight_decay>()
  alpha_rest = Sub(one, alpha)
  beta_rest = Sub(one, beta)
  steps = Cast<to = 1>(step)
  alpha_power = Pow(alpha, steps)
  beta_power = Pow(beta, steps)
  alpha_bias = Sub(one, alpha_power)
  beta_bias = Sub(one, beta_power)
  beta_root = Sqrt(beta_bias)
  correction = Div(beta_root, alpha_bias)
  corrected_rate = Mul(rate, correction)
  lost = Mul(rate, decay)
  kept = Sub(one, lost)
  count = SequenceLength(weights)
  none = SequenceEmpty()
  updated_weights, updated_ms, updated_vs = Loop(count, , none, none, none)<
    body = adamw(int64 i, bool go, seq(float) some_w, seq(float) some_m, seq(float) some_v)
        => (bool on, seq(float) more_w, seq(float) more_m, seq(float) more_v) {
    w = SequenceAt(weights, i)
    g = SequenceAt(gradients, i)
    m = SequenceAt(ms, i)
    v = SequenceAt(vs, i)
    old_m = Mul(alpha, m)
    part_m = Mul(alpha_rest, g)
    m_new = Add(old_m, part_m)
    old_v = Mul(beta, v)
    square = Mul(g, g)
    part_v = Mul(beta_rest, square)
    v_new = Add(old_v, part_v)
    root = Sqrt(v_new)
    denominator = Add(root, epsilon)
    direction = Div(m_new, denominator)
    change = Mul(corrected_rate, direction)
    w_moved = Sub(w, change)
    w_new = Mul(w_moved, kept)
    more_w = SequenceInsert(some_w, w_new)
    more_m = SequenceInsert(some_m, m_new)
    more_v = SequenceInsert(some_v, v_new)
    on = Identity(go)
  }>
}""",
    ),
}


def append_training_node(op_type: str, inputs: Sequence[str], flag: str = "", **attributes: Any) -> list[str]:
    """Append a node, and its body, to the current model, and return the names of its outputs.

    flag: the name of the output that says that the update is complete.
    """
    model, (names, body) = current(), BODIES[op_type]
    outputs = [new_name(name or flag) for name in names]
    attach(model, body)
    node = onnx.helper.make_node(op_type, inputs, outputs, name=new_name(op_type), domain=DOMAIN, **attributes)
    model.graph.node.append(node)
    model.graph.value_info.extend(described(output, bool(name)) for name, output in zip(names, outputs, strict=True))
    return outputs


def described(name: str, is_sequence: bool) -> onnx.ValueInfoProto:
    """Return the description of an output: a sequence of float32 tensors, or a flag."""
    if is_sequence:
        return onnx.helper.make_tensor_sequence_value_info(name, onnx.TensorProto.FLOAT, None)
    return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.BOOL, [1])


def attach(model: onnx.ModelProto, body: str) -> None:
    """Add a function to the model, unless it has one of that name."""
    opset = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
    function = onnx.parser.parse_function(f'<opset_import: ["": {opset}], domain: "{DOMAIN}">\n{body}')
    if function.name not in [f.name for f in model.functions if f.domain == DOMAIN]:
        model.functions.append(function)
    if DOMAIN not in [o.domain for o in model.opset_import]:
        model.opset_import.append(onnx.helper.make_opsetid(DOMAIN, 1))
    model.ir_version = max(model.ir_version, FUNCTIONS_IR_VERSION)
