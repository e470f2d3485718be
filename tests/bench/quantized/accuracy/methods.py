"""The ways to train: in float32, and in int8 with each form of weights, gradients and rounding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx
from bench.quantized.accuracy.tasks import Lesson
from bench.quantized.accuracy.training import Step, whole_step
from onnx import numpy_helper

from gradmote import compile_model, losses, optimizers, quantize_model
from gradmote.compiler import Options
from gradmote.compiler.options import GRADIENTS
from gradmote_runtime import Session


@dataclass(frozen=True)
class Method:
    """gradients, weights: the compiler's options; a method without gradients is in float32. allowance: how many points
    its mean accuracy may be below that of float32; None if nothing is promised. rounds: to nearest."""

    title: str
    gradients: str | None = None
    weights: str | None = None
    allowance: float | None = None
    rounds: bool = False

    def model(self, lesson: Lesson) -> onnx.ModelProto:
        return quantize_model(lesson.model, lesson.calibration) if self.gradients else lesson.model

    def image(self, lesson: Lesson, batch: int) -> bytes:
        """Return the image that trains with SGD, whose rate is set when it runs. The last layer is in float32.

        All forms have the same limit of a step, one scale: `default_limit` compares limits.
        """
        options = Options(batch=batch, accumulate=self.rounds, gradients=self.gradients, weights=self.weights)
        loss, sgd = losses.cross_entropy(), optimizers.sgd(1e-3, clip_steps=1)
        return compile_model(self.model(lesson), loss, sgd, options, float_head=bool(self.gradients)).image

    def step(self, lesson: Lesson, rate: float) -> Step:
        return NearestStep(self.model(lesson), rate) if self.rounds else whole_step


METHODS = {
    "fp32": Method("float32"),
    "int8": Method("int8, float32 gradients", "float", allowance=1.0),
    "int16_master": Method("int16 master weights, float32 gradients", "float", "int16", allowance=0.5),
}
if "int16" in GRADIENTS:
    METHODS["int16_gradients"] = Method("int8, int16 gradients", "int16", allowance=1.5)
#: Rounding to the nearest integer, which no image does: the update is computed here from the gradients of the runtime.
NEAREST = Method("int8, rounded to nearest", "float", rounds=True)


class NearestStep:
    """A step whose updated weights are rounded to the nearest integers."""

    def __init__(self, model: onnx.ModelProto, rate: float) -> None:
        self.rate = np.float32(rate)
        constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        nodes = [node for node in model.graph.node if node.op_type == "DequantizeLinear"]
        self.scales = {n.input[0]: constants[n.input[1]] for n in nodes if n.input[0] in constants}

    def __call__(self, session: Session, x: np.ndarray, y: np.ndarray) -> object:
        session.lazy_reset_grad()
        loss = session.train_step(x, y)
        for name in session.parameter_names():
            weight, gradient = np.asarray(session.parameter(name)), np.asarray(session.gradient(name))
            if weight.dtype == np.float32:
                weight -= self.rate * gradient
            else:
                weight[...] = self.rounded(weight, gradient, self.scales[name])
        return loss

    def rounded(self, weight: np.ndarray, gradient: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Return the updated integers; rows have a scale each, or all have one."""
        unit = scale.reshape(-1, *[1] * (weight.ndim - 1)) if scale.ndim else scale
        highest = np.iinfo(weight.dtype).max
        return np.clip(weight.astype(np.int64) - np.rint(self.rate * gradient / unit), -highest, highest)
