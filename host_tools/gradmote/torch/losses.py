"""Losses of torch.nn as those of gradmote.losses, which need less memory, and any other function as ONNX nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import onnx
import torch
from torch import nn

from .. import losses
from ..artifacts.onnxruntime.separate import Roles, constants_of, forward_part, key, needed_by
from ..errors import ModelError
from ..losses.from_nodes import LossNodes, loss_from_nodes
from ..losses.loss import Loss
from .exporting import Exported

#: Losses whose label has the output's shape and type, and those of class indices.
_LIKE_OUTPUT = (nn.MSELoss, nn.L1Loss, nn.SmoothL1Loss, nn.HuberLoss, nn.BCELoss, nn.BCEWithLogitsLoss, nn.KLDivLoss)
_CLASSES = (nn.CrossEntropyLoss, nn.NLLLoss)
#: Losses of several outputs without a label.
_UNLABELED = (nn.TripletMarginLoss, nn.TripletMarginWithDistanceLoss)


def known(loss: Any, labels: Sequence[torch.Tensor]) -> Loss | None:
    """Return the loss of gradmote.losses with the same formula, or None.

    labels: examples, which decide between class indices and probabilities.
    """
    if getattr(loss, "reduction", None) not in ("mean", "sum"):
        return None
    indices = not any(label.is_floating_point() for label in labels)
    if type(loss) is nn.CrossEntropyLoss and indices:
        weight = None if loss.weight is None else loss.weight.detach().cpu().tolist()
        smoothing = loss.label_smoothing
        return losses.cross_entropy(weight, loss.ignore_index, loss.reduction, label_smoothing=smoothing)
    if type(loss) is nn.MSELoss:
        return losses.mse(loss.reduction, "labels")
    if type(loss) is nn.L1Loss:
        return losses.l1(loss.reduction, "labels")
    if type(loss) is nn.BCEWithLogitsLoss and loss.weight is None:
        weights = torch.tensor(1.0) if loss.pos_weight is None else loss.pos_weight.detach().cpu()
        return losses.bce_with_logits(weights.tolist(), loss.reduction, "labels") if weights.ndim < 2 else None
    return None


def exportable(loss: Any, labels: Sequence[torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Return the loss in operators that the exporter writes and Gradmote has: the loss itself, except for two.

    The exporter writes cross-entropy on probabilities as if on classes, and KL divergence with tests for NaN.
    """
    if type(loss) is nn.CrossEntropyLoss and any(label.is_floating_point() for label in labels):
        return OnProbabilities(loss)
    return Divergence(loss) if type(loss) is nn.KLDivLoss else loss


class OnProbabilities(nn.Module):
    """Cross-entropy on the probabilities of classes."""

    def __init__(self, loss: nn.CrossEntropyLoss) -> None:
        """Take the loss' settings."""
        super().__init__()
        self.loss = loss

    def forward(self, scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Return -sum(w t log softmax(scores)), of one sample if the reduction is the mean."""
        smoothing, classes = self.loss.label_smoothing, scores.shape[1]
        targets = labels * (1 - smoothing) + smoothing / classes if smoothing else labels
        if self.loss.weight is not None:
            targets = targets * self.loss.weight.reshape(1, -1, *[1] * (scores.ndim - 2))
        each = -(targets * torch.log_softmax(scores, 1)).sum(1)
        return each.mean() if self.loss.reduction == "mean" else each.sum()


class Divergence(nn.Module):
    """KL divergence of log-probabilities from probabilities, or from logarithms of these."""

    def __init__(self, loss: nn.KLDivLoss) -> None:
        """Take the loss' settings."""
        super().__init__()
        self.loss = loss

    def forward(self, scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Return sum(t (log t - scores)); 0 log 0 is 0."""
        log = labels if self.loss.log_target else torch.log(labels + (labels <= 0))
        each = (labels.exp() if self.loss.log_target else labels) * (log - scores)
        if self.loss.reduction == "mean":
            return each.mean()
        return each.sum() / (scores.shape[0] if self.loss.reduction == "batchmean" else 1)


def example_labels(loss: Any, outputs: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Return labels for a loss of torch.nn, from the outputs' shapes.

    Raises ModelError for another function: its labels are not known.
    """
    first = outputs[0]
    if isinstance(loss, _LIKE_OUTPUT):
        return (torch.rand_like(first),)
    if isinstance(loss, _CLASSES):
        if first.ndim < 2:
            raise ModelError(f"the module's output has shape {list(first.shape)}", "return (N, classes, ...)")
        shape = (first.shape[0], *first.shape[2:])
        return (torch.arange(first.shape[0]).reshape(-1, *[1] * (len(shape) - 1)).expand(shape) % first.shape[1],)
    if isinstance(loss, nn.CosineEmbeddingLoss):
        return (torch.arange(first.shape[0]).remainder(2).mul(2.0).sub(1.0),)
    if isinstance(loss, _UNLABELED):
        return ()
    require_function(loss)
    raise ModelError(
        f"the labels of {getattr(loss, '__name__', type(loss).__name__)} are unknown",
        "pass an example of each: example_labels=",
    )


def require_function(loss: Any) -> None:
    """Raise ModelError for a loss that cannot be called on outputs and labels: a class, or a name."""
    if isinstance(loss, type):
        raise ModelError(f"the loss is the class {loss.__name__}", f"pass an instance of it: {loss.__name__}()")
    if not callable(loss):
        raise ModelError(
            f"the loss is {loss!r}, of type {type(loss).__name__}",
            "pass a loss of torch.nn, such as nn.CrossEntropyLoss(), or a function of the outputs and labels",
        )


def from_export(made: Exported) -> tuple[onnx.ModelProto, Loss]:
    """Return the module's model without its loss, and the loss as the nodes that only it needs."""
    graph = made.model.graph
    count_inputs(graph, made.inputs[0])
    of_module = {key(node) for node in needed_by(graph.node, made.outputs)}
    inner = [node for node in graph.node if key(node) not in of_module]
    labels = [value for value in graph.input if value.name not in made.inputs]
    forward = forward_part(made.model, Roles(labels, inner), made.outputs)
    in_model = {tensor.name for tensor in forward.graph.initializer}
    constants = constants_of(graph, inner, in_model | set(made.parameters))
    return forward, loss_from_nodes(LossNodes(inner, graph.output[0].name, made.outputs, labels, constants))


def count_inputs(graph: onnx.GraphProto, first: str) -> None:
    """Take the number of samples from the module's first input alone: the exporter may take it from a label."""
    inputs = {value.name for value in graph.input}
    for node in graph.node:
        limits = {a.name: a.i for a in node.attribute}
        if node.op_type == "Shape" and node.input[0] in inputs and limits == {"start": 0, "end": 1}:
            node.input[0] = first
