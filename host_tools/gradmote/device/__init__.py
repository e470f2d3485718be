"""Boards, emulated boards and their twin: one interface to train on any of them.

with open_target("twin") as target:             # or "qemu:mps2-an386", "/dev/ttyACM0"
    target.load_image(compiled.image)
    fit_with_progress(target, data, epochs=5)
    print(evaluate(target, data).accuracy)

The names in __all__ are imported when they are first used, so that asking for a board's memory does
not import its link.
link to it.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from .board_target import BoardTarget
    from .emulated_target import emulated_board
    from .evaluation import Evaluation, evaluate, predict
    from .fitting import Fit, fit
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

_MODULE_OF = {
    "Dataset": "gradmote.data.dataset",
    "BoardTarget": "gradmote.device.board_target",
    "Evaluation": "gradmote.device.evaluation",
    "Fit": "gradmote.device.fitting",
    "Target": "gradmote.device.target",
    "TwinTarget": "gradmote.device.twin_target",
    "emulated_board": "gradmote.device.emulated_target",
    "evaluate": "gradmote.device.evaluation",
    "evaluate_with_progress": "gradmote.device.progress",
    "fit": "gradmote.device.fitting",
    "fit_with_progress": "gradmote.device.progress",
    "load_with_progress": "gradmote.device.progress",
    "open_target": "gradmote.device.target_factory",
    "predict": "gradmote.device.evaluation",
    "predict_with_progress": "gradmote.device.progress",
}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return resolve_name(f"{_MODULE_OF[name]}:{name}")
