"""The training target for a board on a serial line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradmote.errors import DataError, DeviceError, RuntimeFault
from gradmote.formats import records
from gradmote.formats.carry_over import compare, read_states
from gradmote.formats.export_table import export_table_of
from gradmote.formats.rounds import check_bits, shared_mask

from .client import Client
from .encoding import sample_bytes, tensor_bytes
from .requests import Progress
from .types import ClassInfo, Memory, Metrics, Saves, StoreInfo, TargetInfo, Tensor, Update

NOT_FOUND = -13
#: The bytes of an image's header up to and including its checksum, which covers the whole image.
_HEADER_START = 128

Array = np.ndarray[Any, Any]


class BoardTarget:
    """A board with a connected client, as a Target.

    Args:
        board: The client. This target owns and closes it.
        on_close: Called after the client is closed, for example to stop the board's emulator.
    """

    def __init__(self, board: Client, on_close: Callable[[], None] | None = None) -> None:
        """Take over a connected client."""
        self.board = board
        self.name = board.info().name
        self._on_close = on_close or (lambda: None)
        self._dtypes: dict[tuple[str, int], str] = {}
        self._image: bytes | None = None  #: the board's image, when it was read last

    def load_image(self, image: bytes, progress: Progress | None = None) -> None:
        """Open a .mote image with its initial parameters.

        The board keeps an image that it already holds; it is not sent again.
        """
        if not self.has_image(image):
            self._send_image(image, progress)
        self._dtypes.clear()
        self.board.reset()

    def has_image(self, image: bytes) -> bool:
        """Return whether the board has this image open, and its export table if one follows, judged by checksums."""
        if self.info().status != 0 or self.board.read_start("IMAGE", _HEADER_START) != image[:_HEADER_START]:
            return False
        start = export_table_of(image)[: records.size_of("export_header")]
        return not start or self.board.export_table(len(start)) == start

    def _send_image(self, image: bytes, progress: Progress | None) -> None:
        self.board.load_image(image, progress)

    def update_image(self, image: bytes, carry_over: bool = True, progress: Progress | None = None) -> Update:
        """Replace the loaded image with another one, and return what happened to the old model's state.

        Raises DeviceError if the board carried over a different number of state entries than gradmote
        expects.
        """
        old, old_id = self._states(), self.info().model_id
        kept, carried = self.board.update_image(image, carry_over, progress)
        self._dtypes.clear()
        same = self.info().model_id == old_id
        entries = () if same or not carry_over else tuple(compare(old, self._states()))
        if sum(entry.carried for entry in entries) != carried:
            raise DeviceError(
                f"{self.name} carried over {carried} entries of the state, {sum(e.carried for e in entries)} fit",
                "flash the firmware of this gradmote version: gradmote flash --board NAME",
            )
        return Update(entries, kept)

    def _states(self) -> list[dict[str, Any]]:
        """Return the state table of the image on the board."""
        return read_states(partial(self.board.read_range, "IMAGE"))

    def info(self) -> TargetInfo:
        """Return the board's last description of itself and its model."""
        return self.board.info()

    def image(self) -> bytes:
        """Return the .mote image that the board holds."""
        start = self.board.read_start("IMAGE", _HEADER_START)  # has its checksums
        if self._image is None or self._image[:_HEADER_START] != start:
            self._image = self.board.read("IMAGE")
        return self._image

    def mem(self) -> Memory | None:
        """Return how the board's memory is divided, in bytes."""
        return self.board.mem()

    def describe(self, program: str, role: str, index: int) -> Tensor | None:
        """Return one tensor of one program, or None past the last one."""
        try:
            return self.board.describe(program, role, index)
        except RuntimeFault as error:
            if error.code == NOT_FOUND:
                return None
            raise

    def write(self, role: str, index: int, data: Array) -> None:
        """Write a whole input or label; its values must fit the tensor's dtype."""
        self.board.write(role, index, tensor_bytes(data, self._dtype(role, index)))

    def _dtype(self, role: str, index: int) -> str:
        """Return the dtype of an input or label, from the first program that has it."""
        if (role, index) not in self._dtypes:
            programs = [p for p in ("step", "train", "eval", "infer") if p in self.info().programs]
            found = next((t for p in programs if (t := self.describe(p, role, index))), None)
            if found is None:
                raise DataError(f"the model has no {role} {index}", "list its tensors: gradmote inspect model.mote")
            self._dtypes[role, index] = found.dtype
        return self._dtypes[role, index]

    def write_u8(self, role: str, index: int, data: Array, scale: float = 1.0, zero: float = 0.0) -> None:
        """Write a whole input from one byte per element: float32 as (data - zero) * scale, others as data."""
        self.board.write_u8(role, index, np.ascontiguousarray(data, np.uint8).tobytes(), scale, zero)

    def run(self, program: str) -> Metrics:
        """Run one program on the samples written last."""
        return self.board.run(program)

    def metrics(self) -> Metrics:
        """Return the metrics of the last run again."""
        return self.board.metrics()

    def output(self, index: int, program: str = "infer") -> Array:
        """Return one output of the program that ran last, in the ONNX model's shape."""
        tensor = self.board.describe(program, "output", index)
        data = self.board.output(program, index)
        return np.frombuffer(data, np.dtype(tensor.dtype).newbyteorder("<")).reshape(tensor.shape)

    def store(self) -> StoreInfo:
        """Return the size and fill of the sample store.

        Raises RuntimeFault (NO_STORE) if the image has no store.
        """
        return self.board.store()

    def store_class(self, label: int) -> ClassInfo:
        """Return how many samples of one class are in the store."""
        return self.board.store_class(label)

    def learn(self, label: int, sample: Array | None = None) -> None:
        """Add a sample of this class to the store: the given one, or the first sample in the input."""
        if sample is not None:
            self.board.write("input", 0, sample_bytes(sample, self.store(), self._dtype("input", 0)))
        self.board.learn(label)

    def forget(self, label: int) -> None:
        """Remove all samples of one class from the store."""
        self.board.forget(label)

    def replay(self) -> Metrics:
        """Make one update on samples from the store."""
        if "step" in self.info().programs:
            return self.board.replay("step")
        self.board.lazy_reset_grad()
        self.board.replay("train")
        return self.board.run("optimizer")

    def score(self, label: int) -> tuple[int, int]:
        """Return (the store's samples of one class, how many of them the model recognizes)."""
        return self.board.score(label)

    def parameters(self) -> bytes:
        """Return the bytes of all trained parameters, each in its own type."""
        return self.board.read("PARAMETERS")

    def gradient(self, index: int) -> bytes:
        """Return the accumulated gradient of one parameter as little-endian float32."""
        return self.board.read("GRADIENT", index=index)

    def state(self) -> bytes:
        """Return the training state: parameters, moments, counters and properties."""
        return self.board.read("STATE")

    def save(self, half: bool = False) -> bytes:
        """Keep a checkpoint on the board, and return it as .gmck bytes.

        With half, the board sends float32 numbers in 16 bits, and itself keeps all bits.
        """
        return self.board.save_checkpoint(half=half)

    def load(self, checkpoint: bytes) -> None:
        """Continue from a .gmck checkpoint, plain or half."""
        self.board.load_checkpoint(checkpoint)

    def round(self) -> int:
        """Return the number of the federated round; 0 means that the image's parameters are the base."""
        return self.board.round()

    def begin_round(self, number: int) -> None:
        """Make the current parameters the base of round `number`; 0 makes the image's parameters the base."""
        self.board.begin_round(number)

    def round_delta(self, bits: int = 4, seed: int = 0, shared: str | Sequence[str] | None = None) -> bytes:
        """Return the difference of the parameters from the base, quantized to 2, 4 or 8 bits per number.

        seed: seeds the rounding; use a different one on each device. shared: names of the parameters
        to send, or patterns for them ("conv*"); all by default.
        """
        if shared is None:
            return self.board.round_delta(check_bits(bits), seed)
        names = [entry["name"] for entry in self._states() if entry["role"] == "parameter"]
        return self.board.round_delta(check_bits(bits), seed, shared_mask(names, shared))

    def end_round(self, delta: bytes, bits: int = 0, seed: int = 0) -> int:
        """Apply a delta to the base, start the round that follows, and return its number.

        bits, seed: the arguments of round_delta(), to keep what the quantization lost; 0 bits keep
        nothing. After an error the round and the parameters are unchanged.
        """
        return self.board.end_round(delta, check_bits(bits) if bits else 0, seed)

    def save_every(self, updates: int) -> None:
        """Make the board keep a checkpoint after every `updates` updates; 0 turns this off."""
        self.board.save_every(updates)

    def saves(self) -> Saves:
        """Return what save_every() has done since the model was loaded."""
        return self.board.saves()

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate for the next updates."""
        self.board.set_learning_rate(rate)

    def set_linear_schedule(self, rate: float, warmup_steps: int, total_steps: int) -> None:
        """Make the rate rise linearly from 0 in the warm-up, then fall to 0 at total_steps."""
        self.board.set_linear_schedule(rate, warmup_steps, total_steps)

    def set_seed(self, seed: int) -> None:
        """Set the dropout seed, 0 .. 2^32-1, and restart its sequence."""
        self.board.set_seed(seed)

    def lazy_reset_grad(self) -> None:
        """Let the next run of "train" start from zero gradients."""
        self.board.lazy_reset_grad()

    def reset(self) -> None:
        """Restore the image's initial values."""
        self.board.reset()

    def close(self) -> None:
        """Close the connection, then call on_close."""
        self.board.close()
        self._on_close()

    def __enter__(self) -> BoardTarget:
        """Return this target; leaving the `with` block closes it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the connection."""
        self.close()
