"""The optimizer as an ONNX model: one step of all parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from ..frontend.registry import attach_functions
from ..ir.graph import DOMAIN, Builder
from ..ir.metadata import LEARNING_RATE, OPTIMIZER
from ..optimizers.optimizer import Optimizer
from ..optimizers.quantized_steps import quantized_op
from ..optimizers.steps import step_op
from ..optimizers.storing import storing_of


def optimizer_model(optimizer: Optimizer, parameters: dict[str, np.ndarray], like: ir.Model) -> ir.Model:
    """Return a model of one step for every parameter, with shared clipping and bias correction.

    It has the opset, the IR version and the producer of the model `like`, so that any runtime for one can run the
    other. Raises ModelError for groups that the parameters do not have.
    """
    optimizer.require_groups(parameters)
    graph = ir.Graph([], [], nodes=[], opset_imports={"": like.graph.opset_imports[""]}, name="optimizer")
    builder = Builder(graph)
    rates = Rates(builder, builder.input("learning_rate", ir.DataType.FLOAT, []))
    scale = builder.input("gradient_scale", ir.DataType.FLOAT, [])
    triples = [inputs_of(builder, name, array, optimizer.slots) for name, array in parameters.items()]
    if optimizer.clip_norm is not None:
        scale = clipped_scale(builder, [g for _, g, _ in triples], scale, optimizer.clip_norm)
    correction = bias_correction(builder, optimizer) if optimizer.bias_correction else None
    if optimizer.clip_value is not None:
        triples = [(p, clipped(builder, g, scale, optimizer.clip_value), slots) for p, g, slots in triples]
        scale = builder.constant(1.0, "one")
    stored = [storing_of(like.graph, name, array, optimizer.longest_step) for name, array in parameters.items()]
    for (p, g, slots), storing in zip(triples, stored, strict=True):
        extra = [*slots, *([correction] if correction is not None else [])]
        names = [f"{v.name}_new" for v in (p, *slots)]
        op_type, attributes, form = step_op(optimizer.rule), optimizer.attributes(str(p.name)), []
        if storing is not None:
            op_type, form = quantized_op(optimizer.rule), storing.inputs(builder, str(p.name))
            attributes |= storing.attributes()
        rate = rates.times(optimizer.rate_factor(str(p.name)))
        made = builder.ops(op_type, p, g, rate, scale, *form, *extra, names=names, domain=DOMAIN, **attributes)
        graph.outputs.extend(alike(new, old) for new, old in zip(made, (p, *slots), strict=True))
    model = attach_functions(ir.Model(graph, ir_version=like.ir_version, producer_name=like.producer_name))
    OPTIMIZER.write(model, optimizer.rule)
    LEARNING_RATE.write(model, optimizer.learning_rate)
    return model


class Rates:
    """The rates of groups: multiples of the learning rate, each computed once."""

    def __init__(self, builder: Builder, rate: ir.Value) -> None:
        """Begin with the learning rate alone."""
        self.builder = builder
        self.made = {1.0: rate}

    def times(self, factor: float) -> ir.Value:
        """Return factor * learning_rate."""
        if factor not in self.made:
            name = f"learning_rate_{len(self.made)}"
            times = self.builder.constant(factor, f"{name}_factor")
            made = self.builder.op("Mul", self.made[1.0], times, name=name)
            self.made[factor] = alike(made, self.made[1.0])
        return self.made[factor]


def alike(value: ir.Value, other: ir.Value) -> ir.Value:
    """Give a value the type and shape of another one, which onnx would take long to infer, and return it."""
    value.type, value.shape = other.type, other.shape
    return value


def inputs_of(builder: Builder, name: str, array: np.ndarray, slots: int) -> tuple[ir.Value, ir.Value, list[ir.Value]]:
    """Return a parameter in its own type, and its gradient and its moments, which are float32."""
    p = builder.input(name, ir.DataType.from_numpy(array.dtype), array.shape)
    kinds = (f"{name}_grad", *(f"{name}_moment{i + 1}" for i in range(slots)))
    g, *moments = (builder.input(k, ir.DataType.FLOAT, array.shape) for k in kinds)
    return p, g, moments


def clipped(builder: Builder, gradient: ir.Value, scale: ir.Value, max_value: float) -> ir.Value:
    """Return the gradient times scale, each element clipped to [-max_value, max_value]."""
    name = f"{gradient.name}.clipped"
    value = builder.op("ClipValue", gradient, scale, name=name, domain=DOMAIN, max_value=float(max_value))
    return alike(value, gradient)


def clipped_scale(builder: Builder, grads: Sequence[ir.Value], scale: ir.Value, max_norm: float) -> ir.Value:
    """Return the gradient scale times min(1, max_norm / (norm + 1e-6)).

    norm: the norm of all scaled gradients together, scale sqrt(sum of g^2).
    """
    total = builder.op("SumSquares", grads[0], name=f"{grads[0].name}.sum_squares", domain=DOMAIN)
    for g in grads[1:]:
        total = builder.op("AddSumSquares", g, alike(total, scale), name=f"{g.name}.sum_squares", domain=DOMAIN)
    alike(total, scale)
    factor = builder.op("ClipScale", total, scale, name="clipped_scale", domain=DOMAIN, max_norm=float(max_norm))
    return alike(factor, scale)


def bias_correction(builder: Builder, optimizer: Optimizer) -> ir.Value:
    """Return [1 - beta1^n, 1 - beta2^n] after step n, which is also an output of the model.

    Its input holds the values of step n - 1: c_new = c beta + (1 - beta).
    """
    given = builder.input("bias_correction", ir.DataType.FLOAT, [2])
    betas = {k: v for k, v in optimizer.attributes().items() if "beta" in k}
    value = builder.op("BiasCorrection", given, name="bias_correction_new", domain=DOMAIN, **betas)
    builder.graph.outputs.append(alike(value, given))
    return value
