"""One interface to train on a board, on an emulated board, or on the twin of both in this process."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from .requests import Progress
from .types import ClassInfo, Memory, Metrics, Saves, StoreInfo, TargetInfo, Tensor, Update

Array = np.ndarray[Any, Any]


class Target(Protocol):
    """Something that trains. Programs are "infer", "eval", "train", "optimizer" and "step"; roles "input" and "label".

    Inputs and labels serve every run until others replace them. Equal images, samples and calls give equal bits on
    every target of the same numerics profile.
    """

    name: str

    def load_image(self, image: bytes, progress: Progress | None = None) -> None:
        """Opens a .mote image, with its initial parameters."""

    def update_image(self, image: bytes, carry_over: bool = True, progress: Progress | None = None) -> Update:
        """Another .mote image in place of the one that is loaded, whose state it takes over: pieces of equal name,
        dtype and shape; all of it where it is of the same model. Without carry_over it begins with its initial values
        or, on a board, with the checkpoint that flash has of it. An error leaves the old model as it is."""

    def info(self) -> TargetInfo: ...

    def image(self) -> bytes:
        """The .mote image that is loaded."""

    def mem(self) -> Memory | None:
        """Where the memory goes; None on the twin."""

    def describe(self, program: str, role: str, index: int) -> Tensor | None:
        """One tensor of one program; None past the last one."""

    def write(self, role: str, index: int, data: Array) -> None:
        """Sets a whole input or label; float32 or integers, as its dtype is."""

    def write_u8(self, role: str, index: int, data: Array, scale: float = 1.0, zero: float = 0.0) -> None:
        """Sets a whole float32 input to (data - zero) * scale, from uint8."""

    def run(self, program: str) -> Metrics: ...

    def metrics(self) -> Metrics:
        """Those of the last run again, also after one that was refused; its counters are today's."""

    def output(self, index: int, program: str = "infer") -> Array:
        """One output of the program that ran last, in the ONNX model's shape."""

    def store(self) -> StoreInfo:
        """RuntimeFault (NO_STORE) where the image has no sample store."""

    def store_class(self, label: int) -> ClassInfo: ...

    def learn(self, label: int, sample: Array | None = None) -> None:
        """Takes a sample of that class into the store. sample: float32; it becomes the input's first. Else that is
        taken. DeviceError where nothing was written since a run wrote over it."""

    def forget(self, label: int) -> None:
        """Drops the store's samples of a class."""

    def replay(self) -> Metrics:
        """One update on samples of the store. Of the input only the first sample lasts, and no label."""

    def score(self, label: int) -> tuple[int, int]:
        """(the store's samples of a class, how many of them the model recognises)."""

    def parameters(self) -> bytes:
        """All trained parameters, float32."""

    def gradient(self, index: int) -> bytes:
        """The accumulated gradient of one parameter, float32. RuntimeFault (NOT_FOUND) where the image keeps none."""

    def state(self) -> bytes:
        """Parameters, moments, counters and properties."""

    def save(self, half: bool = False) -> bytes:
        """A .gmck checkpoint. half: with float32 numbers in 16 bits, about half the bytes on the line."""

    def load(self, checkpoint: bytes) -> None:
        """Goes on from a .gmck checkpoint, plain or half."""

    def save_every(self, updates: int) -> None:
        """After each update whose number is a multiple, a board keeps a checkpoint in its flash, and the twin gives one
        to `on_save`; 0: never. A property of the state: reset() and load_image() end it, a checkpoint may bring it."""

    def saves(self) -> Saves:
        """What save_every() has done since the model was loaded."""

    def set_learning_rate(self, rate: float) -> None: ...

    def set_linear_schedule(self, rate: float, warmup_steps: int, total_steps: int) -> None: ...

    def set_seed(self, seed: int) -> None: ...

    def lazy_reset_grad(self) -> None: ...

    def reset(self) -> None:
        """Back to the image's initial values."""

    def close(self) -> None: ...

    def __enter__(self) -> Target: ...

    def __exit__(self, *error: object) -> None: ...
