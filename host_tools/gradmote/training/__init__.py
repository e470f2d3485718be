"""Training on this computer with the classes of onnxruntime.training.api.

A script moves over by changing its imports.

    from gradmote import artifacts
    from gradmote.training import CheckpointState, LinearLRScheduler, Module, Optimizer

    state = CheckpointState.load_checkpoint("checkpoint")
    module = Module("training_model.onnx", state, "eval_model.onnx")
    optimizer = Optimizer("optimizer_model.onnx", module)
    for x, labels in batches:
        loss = module(x, labels)
        optimizer.step()
        module.lazy_reset_grad()
    CheckpointState.save_checkpoint(state, "trained.gmck", include_optimizer_state=True)

The C runtime computes; every batch size gets its own image over the same state. These differences
from onnxruntime are deliberate:

- LinearLRScheduler takes warm-up and total steps in the order of its parameter names (onnxruntime
  1.19 swaps them; so does OnnxruntimeLinearLRScheduler).
- Labels out of range and inputs that are not finite raise RuntimeFault, and the parameters stay
  unchanged.
- A checkpoint of another model is refused, and the learning rate is part of a checkpoint with
  optimizer state.
- Changing the data of a frozen parameter compiles a new image, because it is a constant there.

As in onnxruntime, an update applies the sum of the gradients of all calls since lazy_reset_grad().
(Session and devices apply their mean.)
"""

from .module import Module
from .module_optimizer import Optimizer
from .schedule import LinearLRScheduler, OnnxruntimeLinearLRScheduler
from .state import CheckpointState, Parameter

__all__ = ["CheckpointState", "LinearLRScheduler", "Module", "OnnxruntimeLinearLRScheduler", "Optimizer", "Parameter"]
