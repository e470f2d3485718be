"""A board as something that trains."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradmote.errors import DataError, DeviceError, RuntimeFault
from gradmote.formats.carry_over import compare, read_states

from .client import Board
from .encoding import sample_bytes, tensor_bytes
from .requests import Progress
from .types import ClassInfo, Memory, Metrics, Saves, StoreInfo, TargetInfo, Tensor, Update

NOT_FOUND = -13
_HEADER_START = 128  # bytes of an image's header, with its checksum, which covers all of the image

Array = np.ndarray[Any, Any]


class BoardTarget:
    """A board behind a client."""

    def __init__(self, board: Board, on_close: Callable[[], None] | None = None) -> None:
        self.board = board
        self.name = board.info().name
        self._on_close = on_close or (lambda: None)
        self._dtypes: dict[tuple[str, int], str] = {}

    def load_image(self, image: bytes, progress: Progress | None = None) -> None:
        """An image that the board already holds is not sent again."""
        if self.info().status != 0 or self.board.read_start("IMAGE", _HEADER_START) != image[:_HEADER_START]:
            self._send_image(image, progress)
        self._dtypes.clear()
        self.board.reset()

    def _send_image(self, image: bytes, progress: Progress | None) -> None:
        self.board.load_image(image, progress)

    def update_image(self, image: bytes, carry_over: bool = True, progress: Progress | None = None) -> Update:
        old, old_id = self._states(), self.info().model_id
        kept, carried = self.board.update_image(image, carry_over, progress)
        self._dtypes.clear()
        same = self.info().model_id == old_id
        pieces = () if same or not carry_over else tuple(compare(old, self._states()))
        if sum(piece.carried for piece in pieces) != carried:
            raise DeviceError(
                f"{self.name} carried over {carried} pieces of the state, {sum(p.carried for p in pieces)} fit",
                "flash the firmware of this gradmote version: gradmote flash --board NAME",
            )
        return Update(pieces, kept)

    def _states(self) -> list[dict[str, Any]]:
        """The state table of the image on the board."""
        return read_states(partial(self.board.read_range, "IMAGE"))

    def info(self) -> TargetInfo:
        return self.board.info()

    def image(self) -> bytes:
        return self.board.read("IMAGE")

    def mem(self) -> Memory | None:
        return self.board.mem()

    def describe(self, program: str, role: str, index: int) -> Tensor | None:
        try:
            return self.board.describe(program, role, index)
        except RuntimeFault as error:
            if error.code == NOT_FOUND:
                return None
            raise

    def write(self, role: str, index: int, data: Array) -> None:
        self.board.write(role, index, tensor_bytes(data, self._dtype(role, index)))

    def _dtype(self, role: str, index: int) -> str:
        """The dtype of an input or label of the model's fullest program."""
        if (role, index) not in self._dtypes:
            programs = [p for p in ("step", "train", "eval", "infer") if p in self.info().programs]
            found = next((t for p in programs if (t := self.describe(p, role, index))), None)
            if found is None:
                raise DataError(f"the model has no {role} {index}", "list its tensors: gradmote inspect model.mote")
            self._dtypes[role, index] = found.dtype
        return self._dtypes[role, index]

    def write_u8(self, role: str, index: int, data: Array, scale: float = 1.0, zero: float = 0.0) -> None:
        self.board.write_u8(role, index, np.ascontiguousarray(data, np.uint8).tobytes(), scale, zero)

    def run(self, program: str) -> Metrics:
        return self.board.run(program)

    def metrics(self) -> Metrics:
        return self.board.metrics()

    def output(self, index: int, program: str = "infer") -> Array:
        tensor = self.board.describe(program, "output", index)
        data = self.board.output(program, index)
        return np.frombuffer(data, np.dtype(tensor.dtype).newbyteorder("<")).reshape(tensor.shape)

    def store(self) -> StoreInfo:
        return self.board.store()

    def store_class(self, label: int) -> ClassInfo:
        return self.board.store_class(label)

    def learn(self, label: int, sample: Array | None = None) -> None:
        if sample is not None:
            self.board.write("input", 0, sample_bytes(sample, self.store()))
        self.board.learn(label)

    def forget(self, label: int) -> None:
        self.board.forget(label)

    def replay(self) -> Metrics:
        if "step" in self.info().programs:
            return self.board.replay("step")
        self.board.lazy_reset_grad()
        self.board.replay("train")
        return self.board.run("optimizer")

    def score(self, label: int) -> tuple[int, int]:
        return self.board.score(label)

    def parameters(self) -> bytes:
        return self.board.read("PARAMETERS")

    def gradient(self, index: int) -> bytes:
        return self.board.read("GRADIENT", index=index)

    def state(self) -> bytes:
        return self.board.read("STATE")

    def save(self, half: bool = False) -> bytes:
        return self.board.save_checkpoint(half=half)

    def load(self, checkpoint: bytes) -> None:
        self.board.load_checkpoint(checkpoint)

    def save_every(self, updates: int) -> None:
        self.board.save_every(updates)

    def saves(self) -> Saves:
        return self.board.saves()

    def set_learning_rate(self, rate: float) -> None:
        self.board.set_learning_rate(rate)

    def set_linear_schedule(self, rate: float, warmup_steps: int, total_steps: int) -> None:
        self.board.set_linear_schedule(rate, warmup_steps, total_steps)

    def set_seed(self, seed: int) -> None:
        self.board.set_seed(seed)

    def lazy_reset_grad(self) -> None:
        self.board.lazy_reset_grad()

    def reset(self) -> None:
        self.board.reset()

    def close(self) -> None:
        self.board.close()
        self._on_close()

    def __enter__(self) -> BoardTarget:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
