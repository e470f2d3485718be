"""The blocks for writing losses in onnxruntime-training, under the same names.

A script for onnxruntime.training.onnxblock works after a change of its import. A block appends ONNX
nodes to a model; losses, layers and whole training models are stacks of blocks. Every block is also
a loss of Gradmote: compile_model(model, MyLoss()) accepts one just like losses.mse().

    from gradmote import artifacts, onnxblock

    class Huber(onnxblock.Block): ...

    artifacts.generate_artifacts(model, requires_grad=names, loss=Huber(), optimizer=onnxblock.optim.AdamW())
"""

from __future__ import annotations

from . import blocks, loss, optim
from .base_model import base, custom_op_library, empty_base
from .block import Block
from .state_files import load_checkpoint_to_model, save_checkpoint
from .whole_models import ForwardBlock, TrainingBlock

__all__ = [
    "Block",
    "ForwardBlock",
    "TrainingBlock",
    "base",
    "blocks",
    "custom_op_library",
    "empty_base",
    "load_checkpoint_to_model",
    "loss",
    "optim",
    "save_checkpoint",
]
