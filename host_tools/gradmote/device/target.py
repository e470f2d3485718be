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

    Roles are "input" and "label". Every run uses the inputs and labels written last. Equal images,
    samples and calls give equal bits on every target with the same numerics profile.
    """

    name: str

    def load_image(self, image: bytes, progress: Progress | None = None) -> None:
        """Open a .mote image, with its initial parameters."""

    def update_image(self, image: bytes, carry_over: bool = True, progress: Progress | None = None) -> Update:
        """Replace the loaded image with another one, which takes over its state.

        Entries of the state with equal name, dtype and shape are carried over; if the new image is of
        the same model, all of them. Without carry_over the new model begins with its initial values or,
        on a board, with its checkpoint in flash. After an error the old model is unchanged.
        """

    def info(self) -> TargetInfo:
        """Return what the target is, and the sizes of its model."""

    def image(self) -> bytes:
        """Return the loaded .mote image."""

    def mem(self) -> Memory | None:
        """Return how the board's memory is divided; None on the twin."""

    def describe(self, program: str, role: str, index: int) -> Tensor | None:
        """Return one tensor of one program; None past the last one."""

    def write(self, role: str, index: int, data: Array) -> None:
        """Write a whole input or label from float32 or integers, matching its dtype.

        Raises DataError for float32 if it takes integers, and for integers outside its range.
        """

    def write_u8(self, role: str, index: int, data: Array, scale: float = 1.0, zero: float = 0.0) -> None:
        """Write a whole input from uint8: float32 as (data - zero) * scale, int8 or uint8 with the same bytes."""

    def run(self, program: str) -> Metrics:
        """Run one program to its end on the samples written last."""

    def metrics(self) -> Metrics:
        """Return the metrics of the last run again, even after a refused run.

        The counters are the current ones.
        """

    def output(self, index: int, program: str = "infer") -> Array:
        """Return one output of the program that ran last, in the ONNX model's shape."""

    def store(self) -> StoreInfo:
        """Return the size and fill of the sample store.

        Raises RuntimeFault (NO_STORE) if the image has no store.
        """

    def store_class(self, label: int) -> ClassInfo:
        """Return how many samples of one class are in the store."""

    def learn(self, label: int, sample: Array | None = None) -> None:
        """Add a sample of this class to the store.

        sample: in the input's dtype; it replaces the first sample in the input. Without it, the store
        takes the first sample in the input. Raises DeviceError if a run has overwritten the input since
        it was written.
        """

    def forget(self, label: int) -> None:
        """Remove all samples of one class from the store."""

    def replay(self) -> Metrics:
        """Make one update on samples from the store.

        It overwrites the label and all samples in the input except the first.
        """

    def score(self, label: int) -> tuple[int, int]:
        """Return (the store's samples of one class, how many of them the model recognizes)."""

    def parameters(self) -> bytes:
        """Return the bytes of all trained parameters, each in its own type."""

    def gradient(self, index: int) -> bytes:
        """Return the accumulated gradient of one parameter as little-endian float32.

        Raises RuntimeFault (NOT_FOUND) if the image keeps no gradients.
        """

    def state(self) -> bytes:
        """Return the training state: parameters, moments, counters and properties."""

    def save(self, half: bool = False) -> bytes:
        """Return a .gmck checkpoint.

        half: with float32 numbers in 16 bits, which halves the bytes on the line.
        """

    def load(self, checkpoint: bytes) -> None:
        """Continue from a .gmck checkpoint, plain or half."""

    def save_every(self, updates: int) -> None:
        """Keep a checkpoint after each update whose number is a multiple of `updates`; 0 turns this off.

        A board keeps it in its flash; the twin passes it to `on_save`. The setting is part of the state:
        reset() and load_image() turn it off, and a checkpoint may restore it.
        """

    def saves(self) -> Saves:
        """Return what save_every() has done since the model was loaded."""

    def round(self) -> int:
        """Return the number of the federated round; 0 means that the image's parameters are the base."""

    def begin_round(self, number: int) -> None:
        """Make the current parameters the base of round `number`; 0 makes the image's parameters the base."""

    def round_delta(self, bits: int = 4, seed: int = 0, shared: str | Sequence[str] | None = None) -> bytes:
        """Return the difference of the parameters from the base, quantized to 2, 4 or 8 bits per number.

        seed: seeds the rounding; use a different one on each device. shared: names of the parameters
        to send, or patterns for them ("conv*"); all by default.
        """

    def end_round(self, delta: bytes, bits: int = 0, seed: int = 0) -> int:
        """Apply a delta to the base, start the round that follows, and return its number.

        bits, seed: the arguments of round_delta(), to keep what the quantization lost; 0 bits keep
        nothing. After an error the round and the parameters are unchanged.
        """

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate for the next updates."""

    def set_linear_schedule(self, rate: float, warmup_steps: int, total_steps: int) -> None:
        """Make the rate rise linearly from 0 in the warm-up, then fall to 0 at total_steps."""

    def set_seed(self, seed: int) -> None:
        """Set the dropout seed, 0 .. 2^32-1, and restart its sequence."""

    def lazy_reset_grad(self) -> None:
        """Let the next run of "train" start from zero gradients."""

    def reset(self) -> None:
        """Restore the image's initial values."""

    def close(self) -> None:
        """Release the target. It cannot be used afterwards."""

    def __enter__(self) -> Target:
        """Return this target; leaving the `with` block closes it."""

    def __exit__(self, *error: object) -> None:
        """Close the target."""
