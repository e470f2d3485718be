"""The optimizer that an optimizer model of onnxruntime-training applies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import onnx

from ...errors import ModelError
from ...optimizers import Optimizer, adamw, adamw_ort, sgd

_CLIP = "InplaceClipGradNorm"


def read_optimizer(model: onnx.ModelProto) -> tuple[Optimizer, bool]:
    """Return the optimizer, and whether it corrects the bias of its moments.

    The learning rate is onnxruntime's default, 1e-3. Raises ModelError for nodes that are not an
    optimizer of onnxblock, and for settings that Gradmote's optimizers do not have.
    """
    nodes = {node.op_type: settings_of(node) for node in model.graph.node}
    known = [op for op in ("AdamWOptimizer", "SGDOptimizerV2") if op in nodes]
    others = [op for op in nodes if op not in (*known, _CLIP)]
    if len(known) != 1 or others:
        raise ModelError(
            f"the optimizer model has {', '.join(nodes) or 'no nodes'}; only AdamW and SGD are supported",
            "generate it with OptimType or onnxblock.optim, or compile the model with an optimizer of Gradmote",
        )
    corrects = bool(nodes[known[0]].get("correct_bias", 1))
    made = sgd() if known == ["SGDOptimizerV2"] else adamw_of(nodes["AdamWOptimizer"])
    return (replace(made, clip_norm=decimal(nodes[_CLIP]["max_norm"])) if _CLIP in nodes else made), corrects


def adamw_of(settings: dict[str, Any]) -> Optimizer:
    """Return AdamW with the settings of the node; adam_mode 0 is PyTorch's, 1 onnxruntime's own."""
    names = {"alpha": "beta1", "beta": "beta2", "epsilon": "eps", "weight_decay": "weight_decay"}
    values = {name: decimal(settings[key]) for key, name in names.items() if key in settings}
    return (adamw_ort if settings.get("adam_mode", 0) else adamw)(**values)


def settings_of(node: onnx.NodeProto) -> dict[str, Any]:
    """Return the attributes of a node by name."""
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def decimal(value: float) -> float:
    """Return the shortest decimal of a float32, so that 1 - 0.9 is rounded once."""
    return float(str(np.float32(value)))
