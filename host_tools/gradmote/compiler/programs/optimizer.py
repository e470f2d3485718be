"""The optimizer model as a program, or as the last part of one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ...errors import ModelError
from ...formats import narrow_floats
from ...generated.optimizers import RULES
from ...ir.flat_binary import flat_binary
from ...ir.generated.instructions import CheckFinite, Mul
from ...ir.graph import prune
from ...ir.instruction import ELEMENT_BYTES, Buffer, Ref
from ...ir.lowering import Lowering, Shared
from ...ir.metadata import OPTIMIZER
from ...ir.program import Parameter, Program, Slot, control_ref


@dataclass
class OptimizerGraph:
    """The optimizer model with its inputs sorted by position.

    Names do not identify them: they only avoid the names of the weights. `slots` has `moments_each` moments of
    each parameter, then the bias corrections.
    """

    graph: ir.Graph
    rates: list[ir.Value]  # learning_rate, gradient_scale
    parameters: list[ir.Value]
    gradients: list[ir.Value]
    slots: list[ir.Value]
    moments_each: int

    @property
    def moments(self) -> list[ir.Value]:
        """The moments of all parameters, without the bias corrections."""
        return self.slots[: self.moments_each * len(self.parameters)]


def optimizer_graph(model: ir.Model) -> OptimizerGraph:
    """Return the optimizer model with its inputs grouped.

    The inputs are two rates; then parameter, gradient and moments of each parameter; then the bias
    corrections if the rule has them.
    """
    name = OPTIMIZER.read(model, "")
    if name not in RULES:
        raise ModelError(f"the optimizer model has the rule '{name}'", f"the rules are {', '.join(RULES)}")
    rule = RULES[name]
    inputs = list(model.graph.inputs)
    end, step = len(inputs) - rule["aux"], 2 + rule["slots"]
    groups = [inputs[i : i + step] for i in range(2, end, step)]
    slots = [*(m for group in groups for m in group[2:]), *inputs[end:]]
    return OptimizerGraph(model.graph, inputs[:2], [g[0] for g in groups], [g[1] for g in groups], slots, rule["slots"])


def optimizer_slots(model: ir.Model, start: Mapping[str, np.ndarray], moments: str | None = None) -> list[Slot]:
    """Return a state slot for each moment and each bias correction.

    start: the data of those that do not start at zero. moments: as in Options. Raises ModelError if they should be
    bfloat16 but none can be.
    """
    inputs = optimizer_graph(model)
    short = inputs.moments if moments == "bf16" else []
    if moments == "bf16" and not short:
        raise ModelError("moments of bf16, but the optimizer has no moments", "leave --moments (moments=) out")
    return [slot(value, start.get(str(value.name)), "bf16" if value in short else "f32") for value in inputs.slots]


def slot(value: ir.Value, start: np.ndarray | None, dtype: str) -> Slot:
    """Return the slot of a moment or bias correction, with elements of type `dtype`."""
    name, shape = str(value.name), tuple(int(d) for d in value.shape)  # type: ignore[union-attr, arg-type]
    size = ELEMENT_BYTES[dtype] * math.prod(shape)
    data = None if start is None else np.ascontiguousarray(start, np.float32)
    if data is not None and dtype == "bf16":
        data = narrow_floats.to_bfloat16(data)
    return Slot(name, shape, Buffer(name, size, "slot", None if data is None else data.tobytes()), dtype=dtype)


def kept_gradients_optimizer(
    model: ir.Model, parameters: Sequence[Parameter], slots: Sequence[Slot], shared: Shared, loss_scale: float = 1.0
) -> Program:
    """Return the program optimizer, which applies the mean of the accumulated gradients.

    `loss_scale` is the factor by which those gradients are too large.
    """
    program = Program("optimizer")
    gradients = {p.name: Ref(p.gradient) for p in parameters if p.gradient is not None}
    scale = control_ref(shared.control, "gradient_scale")
    if loss_scale != 1.0:
        scale = unscaled(program, scale, shared.constant(np.float32(1 / loss_scale).tobytes()))
    lower_optimizer(model, program, gradients, scale, slots, shared)
    return program


def unscaled(program: Program, scale: Ref, inverse: Ref) -> Ref:
    """Append scale * inverse as the program's first instruction and return the product."""
    product = Ref(Buffer("gradient_scale", 4, "scratch"))
    made = flat_binary(Mul, scale, inverse, product, 1)
    made.origin, made.phase = "loss_scale", "update"
    program.instructions.append(made)
    return product


def check_gradients(program: Program, parameters: Sequence[Parameter]) -> None:
    """Append a finiteness check of every gradient, so that a step is applied as a whole or not at all.

    With a loss scale the gradients may overflow; all are checked before any is applied.
    """
    for parameter in parameters:
        ref, n = program.gradients[parameter.name], math.prod(parameter.shape)
        check = CheckFinite(x=ref, n=n, origin=f"{parameter.name}_grad", phase="update")
        program.instructions.append(check)


def lower_optimizer(
    model: ir.Model, program: Program, gradients: Mapping[str, Ref], scale: Ref, slots: Sequence[Slot], shared: Shared
) -> None:
    """Append the optimizer model to the program.

    `gradients` maps each parameter to its gradient, in the order of the state.
    """
    inputs = optimizer_graph(model.clone())
    refs = [control_ref(shared.control, "learning_rate"), scale]
    refs += [shared.state[name] for name in gradients]
    refs += gradients.values()
    refs += [Ref(slot.buffer) for slot in slots]
    shared.state_types.update({slot.name: slot.dtype for slot in slots})
    values = [*inputs.rates, *inputs.parameters, *inputs.gradients, *inputs.slots]
    prune(inputs.graph)
    lowering = Lowering(program, shared, "update")
    for value, ref in zip(values, refs, strict=True):
        lowering.place(value, ref)
    lowering.run(inputs.graph)
