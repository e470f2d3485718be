"""The artifacts in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
import onnx_ir as ir

from ..formats.checkpoint import Checkpoint
from ..ir.metadata import BATCH_NORM, CLASSES, LOSS_SCALE, SAMPLE_AXES, SCHEME, SHARED_WEIGHTS
from ..ir.write import to_proto


@dataclass(frozen=True)
class Models:
    """The typed models; None if not requested."""

    inference: ir.Model
    evaluation: ir.Model | None = None
    training: ir.Model | None = None
    optimizer: ir.Model | None = None


@dataclass
class Artifacts:
    """The models in memory, with the tensors that belong to the checkpoint."""

    models: Models
    parameters: dict[str, np.ndarray]  # trained ones, in state order
    learning_rate: float = 1e-3
    statistics: dict[str, np.ndarray] = field(default_factory=dict)  # running means and variances that training updates
    left_out: list[str] = field(default_factory=list)  # numbers that are trained only if they are named
    frozen: dict[str, np.ndarray] = field(default_factory=dict)  # frozen weights that still belong to the checkpoint
    start: Checkpoint | None = None  # the state that training resumes from; None starts over

    @property
    def inference(self) -> onnx.ModelProto:
        """Return the inference model as a ModelProto."""
        return to_proto(self.models.inference)

    @property
    def evaluation(self) -> onnx.ModelProto | None:
        """Return the eval model as a ModelProto."""
        return None if self.models.evaluation is None else to_proto(self.models.evaluation)

    @property
    def training(self) -> onnx.ModelProto | None:
        """Return the training model as a ModelProto."""
        return None if self.models.training is None else to_proto(self.models.training)

    @property
    def optimizer(self) -> onnx.ModelProto | None:
        """Return the optimizer model as a ModelProto."""
        return None if self.models.optimizer is None else to_proto(self.models.optimizer)

    def batch_norm(self) -> tuple[str, int] | None:
        """Return the mode and the number of the model's BatchNormalizations; None without any."""
        return BATCH_NORM.read(self.models.inference.graph)

    def shared_weights(self) -> dict[str, int]:
        """Return the trained weights that several nodes of the model use, with the number of these nodes."""
        shared = SHARED_WEIGHTS.read(self.models.inference.graph, {})
        return {name: len(users) for name, users in shared.items() if name in self.parameters}

    def sample_axes(self) -> dict[str, int]:
        """Return the axis of samples in the user's model of each input and output whose samples were moved first."""
        return SAMPLE_AXES.read(self.models.inference.graph, {})

    def classes(self) -> list[str]:
        """Return the names of the classes in the model's file; none if it has none."""
        return CLASSES.read(self.models.inference.graph, [])

    def scheme(self) -> str:
        """Return the text of the training model's scheme; "" if there is none."""
        return "" if self.models.training is None else SCHEME.read(self.models.training, "")

    def loss_scale(self) -> float:
        """Return the factor by which the training model's gradients are too large; 1 by default."""
        return 1.0 if self.models.training is None else LOSS_SCALE.read(self.models.training, 1.0)
