"""A bit for each element instead of a quantized activation: drawn networks train to the same bits, in less memory."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.compile import Result
from gradmote.compiler.passes import mask_activations, pipeline
from gradmote_runtime import Session
from support.oracle import examples
from support.quantized import by_onnxruntime, drawn, reference

BATCH, STEPS = 2, 3
#: Instructions that can read bits instead of the integers.
READERS = {"QUANTIZE_GRAD", "QUANTIZE_GRAD_S16", "ADD_S16", "CONV_GRAD_X_S16"}


def with_and_without(
    model: onnx.ModelProto, trained: list[str] | None, gradients: str, everywhere: bool = False
) -> list[Result]:
    """Return the results of compiling with masks and without; `everywhere` has them wherever they are possible."""
    made = build_artifacts(model, trained, losses.cross_entropy(), optimizers.sgd(0.1, momentum=0.9))
    options = Options(batch=BATCH, gradients=gradients)
    with pytest.MonkeyPatch.context() as patch:
        if everywhere:
            patch.setattr(mask_activations, "masked", masked_everywhere)
            patch.setattr(mask_activations, "needed", lambda program, instructions, by_rows: -masks_in(instructions))
        some = compile_image(made, options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "PROGRAMS", [p for p in pipeline.PROGRAMS if p is not mask_activations.run])
        return [some, compile_image(made, options)]


def masked_everywhere(program, by_rows):  # type: ignore[no-untyped-def]
    """Return the instructions with each mask that is possible at any instruction."""
    for top in range(len(program.instructions)):
        while (found := mask_activations.candidate(program, program.uses(), top)) is not None:
            program.instructions = mask_activations.with_masks(program, [found])
    return program.instructions


def masks_in(instructions) -> int:  # type: ignore[no-untyped-def]
    return sum(i.opcode == "MASK_S8" for i in instructions)


def masks(result: Result) -> int:
    return sum(masks_in(program.instructions) for program in result.compiled.programs)


def state_after(result: Result, model: onnx.ModelProto, profile: str) -> tuple[list[float], bytes]:
    """Return the losses of some steps, and the state after them."""
    x = reference.noise(model, BATCH)
    with Session(result.image, profile) as session:
        classes = int(np.prod(session.outputs()[0]["shape"][1:]))
        labels = np.arange(BATCH, dtype=np.int32) % classes
        return [float(session.step(*x.values(), labels)) for _ in range(STEPS)], bytes(session.state())


@pytest.mark.parametrize("gradients", ["int16", "float"])
@pytest.mark.parametrize("trained", [None, ["*.b*"]], ids=["all", "biases"])
@examples(6)
@given(model=drawn.networks(), everywhere=st.booleans())
def test_drawn_networks_train_to_the_same_bits(
    gradients: str, trained: list[str] | None, model: onnx.ModelProto, everywhere: bool
) -> None:
    if trained is not None and not any(".b" in tensor.name for tensor in model.graph.initializer):
        trained = None
    some, none = with_and_without(model, trained, gradients, everywhere)
    assert masks(none) == 0
    for profile in ("strict", "fused"):
        assert state_after(some, model, profile) == state_after(none, model, profile)


@pytest.mark.parametrize("gradients", ["int16", "float"])
def test_frozen_weights_need_bits_alone(gradients: str) -> None:
    """If biases alone train, no activation of DS-CNN's convolutions is kept for the backward pass."""
    model = by_onnxruntime.network("ds_cnn")
    biases = [t.name for t in model.graph.initializer if t.name.endswith("bias_quantized")]
    some, none = with_and_without(model, biases, gradients)
    (step,) = (program for program in some.compiled.programs if program.kind == "step")
    readers = [i for i in step.instructions if i.opcode in READERS]
    assert sum(i.operands["mask"] is not None for i in readers) == masks(some) > 4
    assert state_after(some, model, "strict") == state_after(none, model, "strict")
    less, more = (result.layout.placements["step"].peak for result in (some, none))
    assert more - less > 0.4 * 9 * BATCH * 8000 * 7 / 8


def test_what_sums_read_is_kept_as_bits() -> None:
    """All weights of ResNet-8 train; of the sums' operands, training needs only a bit each: whether it was clamped."""
    some, none = with_and_without(by_onnxruntime.network("resnet_8"), None, "int16")
    assert masks(some) > 0
    assert some.layout.arena_size < none.layout.arena_size
