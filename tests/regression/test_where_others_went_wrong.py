"""A table of what training on devices got wrong before, each with the test that it stays right here.

onnxruntime's On-Device Training, by running it:

    artifacts differ from run to run               here: test_artifacts_do_not_depend_on_what_was_made_before
                                                   tests/unit/image/test_image.py: test_same_bytes_in_processes_with_other_hash_seeds
    schedule swaps warm-up and total steps         tests/numeric/training/test_training.py: test_linear_schedule_takes_its_arguments_as_named
    a checkpoint without rate and moments          tests/numeric/training/test_training.py: test_resuming_gives_the_same_bits
    Conv with auto_pad: wrong gradients            tests/numeric/operators/test_conv.py: test_auto_pad
    Split with an unused output: wrong gradients   tests/numeric/operators/test_movement.py: test_unused_outputs_without_names
    LayerNormalization with one output: refused    tests/numeric/operators/test_normalization.py: test_layer_norm
    Dropout with one output: refused               tests/numeric/operators/test_dropout.py: test_share_of_dropped_elements
    SoftmaxCrossEntropyLoss with one: refused      here: test_cross_entropy_node_with_its_mandatory_output_alone
    ConvTranspose does not train                   tests/numeric/operators/test_conv_transpose.py: test_strides_pads_dilations
    Resize does not train                          tests/numeric/operators/test_movement.py: test_resize
    GRU and LSTM need initial states               tests/numeric/operators/test_recurrent.py: test_gradients
    BatchNormalization cannot be frozen            tests/numeric/operators/test_batch_norm.py: test_frozen_statistics
    labels out of range give some loss             tests/numeric/losses/test_stability.py: test_label_out_of_range_changes_nothing
                                                   tests/numeric/losses/test_dense_and_masked.py: test_dense_label_out_of_range_changes_nothing
    a NaN input destroys the parameters            here: test_input_that_is_not_finite_changes_nothing
                                                   tests/numeric/training/test_training.py: test_data_that_the_runtime_refuses
    a flipped bit of a checkpoint loads            tests/unit/bindings/test_session.py: test_any_flipped_byte_of_a_checkpoint_is_refused
                                                   tests/numeric/training/test_training.py: test_damaged_checkpoint
    another model's checkpoint loads               tests/numeric/training/test_training.py: test_checkpoint_of_another_model
    BCE of logit 200 is infinite                   tests/numeric/losses/test_stability.py: test_bce_at_large_logits
    AdamW is not PyTorch's                         here: test_each_interface_has_its_own_adamw
                                                   tests/numeric/optimizers/test_formulas.py: test_adamw_of_onnxruntime_training
                                                   tests/numeric/optimizers/test_against_torch.py: test_fused_step
    a pool of a parameter: segmentation fault      tests/numeric/operators/test_pools.py: test_max_pool
    evaluation without eval model: the same        tests/numeric/training/test_training.py: test_eval_without_eval_model

Others:

    micro-batches are summed, not averaged         tests/numeric/optimizers/test_against_torch.py: test_four_micro_batches_equal_one_batch
    sums into memory that nobody zeroed            tests/numeric/optimizers/test_same_bits.py: test_what_lies_in_the_scratch_does_not_matter
    two tensors of one lifetime at one place       tests/unit/plan/test_arena.py: test_overlap_is_of_half_open_spans
    RAM figures without the stack                  tests/device/test_board.py: test_memory_adds_up
"""  # noqa: E501

import re

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import OptimType, build_artifacts
from gradmote.artifacts.generate import OPTIM_TYPES
from gradmote.cli.options import OptimizerName, make_optimizer
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError, RuntimeFault
from gradmote_runtime import Session
from support.oracle import make_model, node, poisoned, read_gradients, values


def test_every_test_of_the_table_exists(root):
    rows = re.findall(r"(tests/\S+\.py|here): (test_\w+)$", __doc__, re.MULTILINE)
    assert len(rows) == len(re.findall(r"test_\w+$", __doc__, re.MULTILINE)) > 25
    for path, name in rows:
        source = (root / (path if path != "here" else "tests/regression/" + __file__.rsplit("/", 1)[1])).read_text()
        assert f"def {name}(" in source, f"{path} has no {name}"


def classifier():
    nodes = [node("Gemm", "x w b", "h"), node("Relu", "h", "r"), node("MatMul", "r v", "y")]
    return make_model(nodes, {"w": values(1, 3, 5), "b": values(2, 5), "v": values(3, 5, 4)}, {"x": ("N", 3)})


def everything_made():
    """Three models and an image, as bytes."""
    loss = losses.cross_entropy(label_smoothing=0.1, mask=True)
    made = build_artifacts(classifier(), None, loss, optimizers.adamw(0.01))
    protos = (made.training, made.evaluation, made.optimizer)
    return [p.SerializeToString(deterministic=True) for p in protos], compile_image(made, Options(batch=2)).image


def test_artifacts_do_not_depend_on_what_was_made_before():
    """Neither names nor results come from a counter or a block that remains from an earlier, perhaps failed, call."""
    first = everything_made()
    build_artifacts(classifier(), ["w"], losses.mse(), optimizers.sgd())
    with pytest.raises(GradmoteError):
        build_artifacts(classifier(), None, losses.mse(reduction="none"))
    assert everything_made() == first


def test_cross_entropy_node_with_its_mandatory_output_alone(profile):
    """The loss is part of the model, and its log-probabilities have no name there."""
    import torch
    from onnx import TensorProto, helper

    nodes = [node("MatMul", "x w", "s"), node("SoftmaxCrossEntropyLoss", "s t", "y")]
    model = make_model(nodes, {"w": values(1, 3, 4)}, {"x": ("N", 3)})
    model.graph.input.append(helper.make_tensor_value_info("t", TensorProto.INT64, ["N"]))
    made = build_artifacts(model, None, lambda builder, y: builder.op("Identity", y, name="loss"), optimizers.sgd())
    x, labels = values(2, 5, 3), np.array([0, 3, 1, 1, 2])
    w = torch.tensor(values(1, 3, 4), dtype=torch.float64, requires_grad=True)
    expected = torch.nn.functional.cross_entropy(torch.tensor(x).double() @ w, torch.tensor(labels))
    expected.backward()
    with Session(compile_image(made, Options(batch=5, accumulate=True)).image, profile) as session:
        assert poisoned(session, session.train_step, x, labels) == pytest.approx(expected.item(), rel=1e-6)
        np.testing.assert_allclose(read_gradients(session)["w"], w.grad.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_input_that_is_not_finite_changes_nothing(number, profile):
    """The fused step updates weights while gradients of others are still to come."""
    made = build_artifacts(classifier(), None, losses.cross_entropy(), optimizers.adamw(0.01))
    x, labels = values(2, 2, 3), np.array([0, 3])
    bad = x.copy()
    bad[1, 2] = number
    with Session(compile_image(made, Options(batch=2)).image, profile) as session:
        session.step(x, labels)
        before, moments = bytes(session.parameters()), session.control()["optimizer_steps"]
        with pytest.raises(RuntimeFault) as caught:
            poisoned(session, session.step, bad, labels)
        assert caught.value.name == "NOT_FINITE"
        assert bytes(session.parameters()) == before and session.control()["optimizer_steps"] == moments
        assert session.control()["skipped_steps"] == 1
        assert np.isfinite(session.step(x, labels))


def test_each_interface_has_its_own_adamw():
    """A migrated script gets onnxruntime's curve, the command line and the library PyTorch's."""
    ort, torch = optimizers.adamw_ort(), make_optimizer(OptimizerName.adamw, 1e-3, None)
    assert OPTIM_TYPES[OptimType.AdamW]() == ort and torch == optimizers.adamw(1e-3)
    assert ort.rule == "adamw_ort" and torch.rule == "adamw"
    assert ort.attributes()["eps"] == 1e-6 and torch.attributes()["eps"] == 1e-8
