"""The check of an image against its model: outputs, loss, gradients and update."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx

from ..errors import DataError, ModelError
from ..formats.image import read_image
from .checked import Checked, Row, relative
from .drawn import draw
from .engine import Arrays, engine_name, run, run_in_batches
from .gradients import Trained, compare_gradients

if TYPE_CHECKING:
    from gradmote_runtime import Session

    from ..artifacts.artifacts import Artifacts

#: The largest relative error of outputs and loss. In quantized models, errors are steps of the integers.
VALUES, QUANTIZED = 1e-4, 0.05
_RANDOM = ("Dropout", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli")


def check(
    image: bytes,
    kept: bytes,
    made: Artifacts,
    model: onnx.ModelProto | None = None,
    samples: Mapping[str, Any] | None = None,
) -> Checked:
    """Compare an image with its model on samples: a batch of each input and label by name, or random ones.

    The check compares outputs and loss with an engine's, each parameter's gradient with that of the training model in
    the engine and with differences of the loss in float64, and the image's step with the update of an image that
    keeps gradients. kept: that image, with names and from the same artifacts `made`; it may be the image itself.
    model: the user's own; the inference model by default. Raises ModelError if the engine cannot run the model,
    DataError if the given samples do not match the image, RuntimeFault if random ones do not suit it.
    """
    found = Checked(engine_name(), "drawn samples" if samples is None else "given samples")
    limit = QUANTIZED if any(a.dtype != np.float32 for a in made.parameters.values()) or is_qdq(made) else VALUES
    with opened(image) as session, opened(kept) as named:
        feeds = samples_for(named, made) if samples is None else as_given(named, samples)
        inputs = {t["name"]: feeds[t["name"]] for t in named.inputs()}
        compare_outputs(found, session, inputs, made, own_model(model, made), limit)
    if made.evaluation is not None and not found.notes:
        check_training(found, image, kept, made, feeds, limit)
    return found


def own_model(model: onnx.ModelProto | None, made: Artifacts) -> onnx.ModelProto:
    """Return the model whose outputs count: the inference model if the user's own was exported for training."""
    trains = model is not None and any(
        (node.op_type == "BatchNormalization" and any(a.name == "training_mode" and a.i for a in node.attribute))
        or (node.op_type == "Dropout" and len(node.input) > 2)
        for node in model.graph.node
    )
    return made.inference if model is None or trains else model


def check_training(found: Checked, image: bytes, kept: bytes, made: Artifacts, feeds: Arrays, limit: float) -> None:
    """Add the comparisons of loss, gradients and update."""
    assert made.evaluation is not None
    data = list(feeds.values())
    loss = float(next(iter(run(made.evaluation, feeds).values())))
    if not math.isfinite(loss):
        found.notes.append(f"nothing more is compared, as {found.samples} make the loss not finite")
        return
    with opened(kept) as session:
        found.rows.append(Row("loss", "", relative(session.eval_step(*data), loss), limit))
        if made.training is None:
            return
        session.train_step(*data)
        if any(node.op_type in _RANDOM for node in made.training.graph.node):
            found.notes.append("no gradients, as numbers are drawn in training")
        else:
            gradients = {name: np.array(session.gradient(name)) for name in made.parameters}
            compare_gradients(found, Trained(made, feeds, loss, gradients), limit == QUANTIZED, keeps_bf16(kept))
        if made.optimizer is None or kept == image or not is_fused(image):
            return
        if keeps_bf16(image) or keeps_bf16(kept):
            found.notes.append("no updates, as other values wait as bfloat16 in an image that keeps gradients")
            return
        session.optimizer_step()
        found.rows.extend(compare_updates(image, data, session))


def keeps_bf16(image: bytes) -> bool:
    """Return whether forward values wait as bfloat16 in an image."""
    return any(
        i["opcode"] == "FLOAT_TO_BF16" for program in read_image(image).programs for i in program["instructions"]
    )


def is_fused(image: bytes) -> bool:
    """Return whether an image updates in the step itself."""
    return any(program["kind"] == "step" for program in read_image(image).programs)


def opened(image: bytes) -> Session:
    """Open an image on the twin."""
    from gradmote_runtime import Session

    return Session(image, _profile())


def samples_for(session: Session, made: Artifacts) -> Arrays:
    """Return random samples for a session: its inputs, then its labels."""
    shape = session.outputs()[0]["shape"] if session.outputs() else [2]
    classes = shape[1] if len(shape) > 1 and shape[1] > 1 else 2
    return draw(session.inputs(), session.labels(), made.inference, classes)


def as_given(session: Session, samples: Mapping[str, Any]) -> Arrays:
    """Return given samples in the types and shapes of a session. Raises DataError if they do not match it."""
    tensors = [*session.inputs(), *session.labels()]
    names = [t["name"] for t in tensors]
    if sorted(names) != sorted(samples):
        raise DataError(f"the samples are {', '.join(samples)}, and the image takes {', '.join(names)}", "give a batch")
    for t in tensors:
        if np.size(samples[t["name"]]) != math.prod(t["shape"]):
            shapes = f"{list(np.shape(samples[t['name']]))}, and the image takes {list(t['shape'])}"
            raise DataError(f"the samples of '{t['name']}' are {shapes}", "give one batch")
    return {t["name"]: np.asarray(samples[t["name"]]).astype(t["dtype"]).reshape(t["shape"]) for t in tensors}


def is_qdq(made: Artifacts) -> bool:
    """Return whether the model computes with integers."""
    return any(
        node.op_type in ("Quantize", "QuantizeLinear", "DequantizeLinear") for node in made.models.inference.graph
    )


def compare_outputs(
    found: Checked, session: Session, inputs: Arrays, made: Artifacts, model: onnx.ModelProto, limit: float
) -> None:
    """Add a comparison of each output with the engine's; none if the model draws random numbers."""
    if any(node.op_type in _RANDOM[1:] for node in model.graph.node):
        found.notes.append("nothing is compared, as the model draws numbers")
        return
    expected = run_in_batches(model, inputs)
    for value, output in zip(made.inference.graph.output, session.infer(*inputs.values()), strict=True):
        if not np.isfinite(expected.get(value.name, np.zeros(1))).all():
            found.notes.append(f"nothing more is compared, as {found.samples} make '{value.name}' not finite")
            return
        if value.name in expected:
            found.rows.append(Row("outputs", value.name, relative(np.array(output), expected[value.name]), limit))


def compare_updates(image: bytes, data: list[Any], kept: Session) -> Iterator[Row]:
    """Yield a comparison of each parameter after the image's step with the same after the other image's update."""
    with opened(image) as session:
        session.step(*data)
        for own, name in zip(session.parameter_names(), kept.parameter_names(), strict=True):
            same = np.array_equal(np.array(session.parameter(own)), np.array(kept.parameter(name)))
            yield Row("updates", name, 0.0 if same else 1.0, 0.0)


def _profile() -> str:
    from gradmote_runtime.library import cpu_has_fma

    return "fused" if cpu_has_fma() else "strict"


def require(found: Checked) -> Checked:
    """Return the result of check(). Raises ModelError if the image does not compute the same as its model."""
    if not found.agrees:
        wrong = [f"{row.what} {row.name} by {row.worst:.1e}".replace("  ", " ") for row in found.rows if not row.agrees]
        raise ModelError(
            f"the image differs from its model as {found.engine} runs it: {', '.join(wrong[:5])}",
            "that is a fault of the compiler: please report it with the model; check=False compiles without the check",
        )
    return found
