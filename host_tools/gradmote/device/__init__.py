"""Boards, emulated boards and their twin: one interface to train on any of them.

with open_target("twin") as target:             # or "qemu:mps2-an386", "/dev/ttyACM0"
    target.load_image(compiled.image)
    fit_with_progress(target, data, epochs=5)
    print(evaluate(target, data).accuracy)
"""

from ..data.dataset import Dataset
from .board_target import BoardTarget
from .emulated_target import emulated_board
from .evaluation import Evaluation, evaluate, predict
from .fit import Fit, fit
from .progress import evaluate_with_progress, fit_with_progress, load_with_progress, predict_with_progress
from .target import Target
from .target_factory import open_target
from .twin_target import TwinTarget

__all__ = [
    "BoardTarget",
    "Dataset",
    "Evaluation",
    "Fit",
    "Target",
    "TwinTarget",
    "emulated_board",
    "evaluate",
    "evaluate_with_progress",
    "fit",
    "fit_with_progress",
    "load_with_progress",
    "open_target",
    "predict",
    "predict_with_progress",
]
