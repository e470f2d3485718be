"""One interface to train on a board, on an emulated board, or on the twin of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from .requests import Progress
from .types import ClassInfo, Memory, Metrics, Saves, StoreInfo, TargetInfo, Tensor, Update

Array = np.ndarray[Any, Any]


class Target(Protocol):
    """A place to train. Programs are "infer", "eval", "train", "optimizer" and "step".

    Roles are "input" and "label". Inputs and labels serve every run until others replace them.
    Equal images, samples and calls give equal bits on every target of the same numerics profile.
    """

    name: str

    def load_image(self, image: bytes, progress: Progress | None = None) -> None:
        """Open a .mote image, with its initial parameters."""

    def update_image(self, image: bytes, carry_over: bool = True, progress: Progress | None = None) -> Update:
        """Replace the loaded image by another one, which takes over its state.

        The entries of the state with equal name, dtype and shape are carried over; all of them
        where the new image is of the same model. Without carry_over the new model begins with its
        initial values or, on a board, with the checkpoint that flash has of it. An error leaves the
        old model as it is.
        """

    def info(self) -> TargetInfo:
        """Return what the target is, and its model's sizes."""

    def image(self) -> bytes:
        """Return the .mote image that is loaded."""

    def mem(self) -> Memory | None:
        """Return how the board's memory is divided; None on the twin."""

    def describe(self, program: str, role: str, index: int) -> Tensor | None:
        """Return one tensor of one program; None past the last one."""

    def write(self, role: str, index: int, data: Array) -> None:
        """Write a whole input or label; float32 or integers, as its dtype is.

        Raises DataError for float32 where it takes integers, and for integers outside its range.
        """

    def write_u8(self, role: str, index: int, data: Array, scale: float = 1.0, zero: float = 0.0) -> None:
        """Write a whole float32 input as (data - zero) * scale, from uint8; an int8 or uint8 one as the bytes are."""

    def run(self, program: str) -> Metrics:
        """Run one program to its end on the samples written last."""

    def metrics(self) -> Metrics:
        """Return the metrics of the last run again, also after a run that was refused.

        The counters are those of now.
        """

    def output(self, index: int, program: str = "infer") -> Array:
        """Return one output of the program that ran last, in the ONNX model's shape."""

    def store(self) -> StoreInfo:
        """Return the size and fill of the sample store.

        Raises RuntimeFault (NO_STORE) where the image has none.
        """

    def store_class(self, label: int) -> ClassInfo:
        """Return how many samples of one class the store has."""

    def learn(self, label: int, sample: Array | None = None) -> None:
        """Put a sample of this class into the store.

        sample: of the input's dtype; it becomes the input's first one. Without it the input's first one is
        taken; DeviceError where no input was written since a run overwrote it.
        """

    def forget(self, label: int) -> None:
        """Remove all samples of one class from the store."""

    def replay(self) -> Metrics:
        """Make one update on samples of the store.

        Of the input only the first sample lasts, and no label.
        """

    def score(self, label: int) -> tuple[int, int]:
        """Return (the store's samples of one class, how many of them the model recognises)."""

    def parameters(self) -> bytes:
        """Return the bytes of all trained parameters, each of its own type."""

    def gradient(self, index: int) -> bytes:
        """Return the accumulated gradient of one parameter as little-endian float32.

        Raises RuntimeFault (NOT_FOUND) where the image keeps none.
        """

    def state(self) -> bytes:
        """Return the training state: parameters, moments, counters and properties."""

    def save(self, half: bool = False) -> bytes:
        """Return a .gmck checkpoint.

        half: with float32 numbers in 16 bits, about half the bytes on the line.
        """

    def load(self, checkpoint: bytes) -> None:
        """Continue from a .gmck checkpoint, plain or half."""

    def save_every(self, updates: int) -> None:
        """Keep a checkpoint after each update whose number is a multiple of `updates`; 0 ends it.

        A board keeps it in its flash, the twin gives it to `on_save`. The setting is part of the
        state: reset() and load_image() end it, and a checkpoint may bring it back.
        """

    def saves(self) -> Saves:
        """Return what save_every() has done since the model was loaded."""

    def round(self) -> int:
        """Return the number of the round of federated learning; 0 begins with the image's parameters."""

    def begin_round(self, number: int) -> None:
        """Make the parameters as they are the base of that round; 0: the image's are the base."""

    def round_delta(self, bits: int = 4, seed: int = 0, shared: str | Sequence[str] | None = None) -> bytes:
        """Return the parameters' difference from the base, quantized to 2, 4 or 8 bits a number.

        seed: of the rounding, another one on each device. shared: names of the parameters to send,
        or patterns of them ("conv*"); all by default.
        """

    def end_round(self, delta: bytes, bits: int = 0, seed: int = 0) -> int:
        """Go on to the base that a delta leads to, and return the number of its round.

        bits, seed: those of round_delta(), to keep what it lost; with 0 bits nothing is kept. An
        error leaves the round and the parameters as they are.
        """

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate of the next updates."""

    def set_linear_schedule(self, rate: float, warmup_steps: int, total_steps: int) -> None:
        """Set a rate that rises linearly from 0 in the warm-up, then falls to 0 at total_steps."""

    def set_seed(self, seed: int) -> None:
        """Set the seed of dropout, 0 .. 2^32-1, which restarts its sequence."""

    def lazy_reset_grad(self) -> None:
        """Let the next run of "train" start from zero gradients."""

    def reset(self) -> None:
        """Restore the image's initial values."""

    def close(self) -> None:
        """Release the target. It cannot be used afterwards."""

    def __enter__(self) -> Target:
        """Return this target, which the end of the `with` closes."""

    def __exit__(self, *error: object) -> None:
        """Close the target."""
