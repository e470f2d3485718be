"""The twin as something that trains."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gradmote.errors import DataError, DeviceError
from gradmote.formats.carry_over import compare
from gradmote.formats.image import read_image
from gradmote.version import __version__

from .encoding import no_samples, sample_bytes, tensor_bytes
from .requests import Progress
from .types import ClassInfo, Memory, Metrics, Saves, StoreInfo, TargetInfo, Tensor, Update

if TYPE_CHECKING:
    from gradmote_runtime import Session

NO_IMAGE = -103
_SAVE_EVERY = "save_every"  # the property
_MODEL_ID = slice(16, 32)  # of an image's header

Array = np.ndarray[Any, Any]


class TwinTarget:
    """The C runtime in this process: the same bits as a board of the same profile, with any number of threads."""

    def __init__(self, profile: str = "fused", threads: int = 1) -> None:
        if profile not in ("fused", "strict"):
            raise DeviceError(f"there is no profile '{profile}'", "write twin:fused or twin:strict")
        self.name = f"twin ({profile})"
        self._profile = profile
        self._threads = threads
        self._session: Session | None = None
        self._image = b""
        self._written: set[tuple[str, int]] = set()
        self._loss = float("nan")
        self._last = 0, float("nan")  # instructions and seconds of the last run
        self._saves = 0
        self.on_save: Callable[[bytes], None] = lambda checkpoint: None  #: gets what save_every() asks for

    @property
    def session(self) -> Session:
        if self._session is None:
            raise DeviceError("the twin has no model", "load an image first")
        return self._session

    def load_image(self, image: bytes, progress: Progress | None = None) -> None:
        from gradmote_runtime import Session

        session = Session(image, self._profile, self._threads)
        self.close()
        self._session, self._image = session, bytes(image)
        if progress:
            progress(len(image), len(image))

    def update_image(self, image: bytes, carry_over: bool = True, progress: Progress | None = None) -> Update:
        old, state = self._image, self.session.save()
        same = bytes(image[_MODEL_ID]) == old[_MODEL_ID]
        self.load_image(image, progress)
        if not carry_over:
            return Update((), False)
        if same:
            self.session.load(state)
            return Update((), False)
        self.session.carry_over(state)
        return Update(tuple(compare(read_image(old).state, read_image(self._image).state)), False)

    def info(self) -> TargetInfo:
        needs = self._session.requirements() if self._session else {}
        return TargetInfo(
            name=self.name,
            version=__version__,
            profile=self._profile,
            status=0 if self._session else NO_IMAGE,
            programs=tuple(needs.get("programs", ())),
            batch=needs.get("batch", 0),
            image_size=len(self._image),
            arena_required=needs.get("arena_size", 0),
            state_size=needs.get("state_size", 0),
            parameters_size=needs.get("parameters_size", 0),
            gradients_size=needs.get("gradients_size", 0),
            model_id=self._image[_MODEL_ID] or bytes(16),
        )

    def image(self) -> bytes:
        return self._image

    def mem(self) -> Memory | None:
        return None

    def describe(self, program: str, role: str, index: int) -> Tensor | None:
        every = {"input": self.session.inputs, "label": self.session.labels}
        rows = self.session.outputs(program) if role == "output" else every[role]()
        mine = [row for row in rows if program in row["programs"]]
        if index >= len(mine):
            return None
        row = mine[index]
        return Tensor(row["name"] or "", row["dtype"], tuple(row["shape"]), row["size"], row["lasts"])

    def write(self, role: str, index: int, data: Array) -> None:
        self._place(role, index, tensor_bytes(data, self._row(role, index)["dtype"]))

    def _row(self, role: str, index: int) -> dict[str, Any]:
        rows = self.session.inputs() if role == "input" else self.session.labels()
        if not 0 <= index < len(rows):
            raise DataError(f"the model has no {role} {index}", "list its tensors: gradmote inspect model.mote")
        return rows[index]

    def _place(self, role: str, index: int, data: bytes) -> None:
        size = self._row(role, index)["size"]
        if len(data) != size:
            raise DataError(f"{role} {index} takes {size} bytes, {len(data)} were given", "pass one whole batch")
        view = self.session.input_view if role == "input" else self.session.label_view
        view(index).cast("B")[:] = data
        self._written.add((role, index))

    def write_u8(self, role: str, index: int, data: Array, scale: float = 1.0, zero: float = 0.0) -> None:
        q = np.ascontiguousarray(data, np.uint8)
        if self._row(role, index)["dtype"] == "int32":
            self._place(role, index, q.astype("<i4").tobytes())
        else:
            self._place(role, index, ((q.astype("<f4") - np.float32(zero)) * np.float32(scale)).tobytes())

    def run(self, program: str) -> Metrics:
        self._require_samples(program)
        self._use_samples()
        return self._measured(program, lambda: self.session.begin(program))

    def _measured(self, program: str, begin: Callable[[], None]) -> Metrics:
        """Runs the program that `begin` begins."""
        first = self.session.instructions
        start = time.perf_counter()
        begin()
        while not self.session.run(2**32 - 1):
            pass
        seconds = time.perf_counter() - start
        self._save_where_due(program)
        self._loss = self.session.loss(program) if program in ("eval", "train", "step") else self._loss
        self._last = (self.session.instructions - first) % 2**32, seconds
        return self.metrics()

    def metrics(self) -> Metrics:
        control = self.session.control()
        counters = {name: control[name] for name in ("train_steps", "optimizer_steps", "skipped_steps")}
        instructions, seconds = self._last
        return Metrics(
            **counters,
            loss=self._loss,
            learning_rate=control["learning_rate"],
            instructions=instructions,
            seconds=seconds,
        )

    def _use_samples(self) -> None:
        """What a run may write over is no longer there, as on a board."""
        for role, rows in (("input", self.session.inputs()), ("label", self.session.labels())):
            self._written -= {(role, index) for index, row in enumerate(rows) if not row["lasts"]}

    def _require_samples(self, program: str) -> None:
        """Refuses, as a board does, to run on inputs and labels that were not written."""
        for role, rows in (("input", self.session.inputs()), ("label", self.session.labels())):
            for index, row in enumerate(rows):
                if program in row["programs"] and (role, index) not in self._written:
                    raise no_samples(role, index, row["lasts"])

    def output(self, index: int, program: str = "infer") -> Array:
        return np.array(self.session.output(index, program))

    def store(self) -> StoreInfo:
        return StoreInfo(**self.session.store(), idle=False)

    def store_class(self, label: int) -> ClassInfo:
        return ClassInfo(**self.session.store_class(label))

    def learn(self, label: int, sample: Array | None = None) -> None:
        store = self.store()
        if sample is not None:
            self.session.input_view(0).cast("B")[: 4 * store.elements] = sample_bytes(sample, store)
            self._written.add(("input", 0))
        if ("input", 0) not in self._written:
            raise no_samples("input", 0, self.session.inputs()[0]["lasts"])
        self.session.learn(label)

    def forget(self, label: int) -> None:
        self.session.forget(label)

    def replay(self) -> Metrics:
        if "step" in self.info().programs:
            return self._replay("step")
        self.lazy_reset_grad()
        self._replay("train")
        return self.run("optimizer")

    def _replay(self, program: str) -> Metrics:
        metrics = self._measured(program, lambda: self.session.begin_replay(program))
        self._written.discard(("label", 0))
        self._use_samples()
        return metrics

    def score(self, label: int) -> tuple[int, int]:
        found = self.session.score(label)
        self._use_samples()
        return found

    def parameters(self) -> bytes:
        return self.session.parameters().tobytes()

    def gradient(self, index: int) -> bytes:
        return self.session.gradient(index).tobytes()

    def state(self) -> bytes:
        return bytes(self.session.state())

    def save(self, half: bool = False) -> bytes:
        return self.session.save(half)

    def load(self, checkpoint: bytes) -> None:
        self.session.load(checkpoint)

    def save_every(self, updates: int) -> None:
        if updates:
            self.session.set_property(_SAVE_EVERY, updates)
        elif _SAVE_EVERY in self.session.properties():
            self.session.remove_property(_SAVE_EVERY)

    def saves(self) -> Saves:
        every = self.session.properties().get(_SAVE_EVERY, 0)
        return Saves(every if isinstance(every, int) and every > 0 else 0, 0, self._saves, 0)

    def _save_where_due(self, program: str) -> None:
        every = self.saves().every
        if program in ("step", "optimizer") and every and self.session.control()["optimizer_steps"] % every == 0:
            self._saves += 1
            self.on_save(self.session.save())

    def set_learning_rate(self, rate: float) -> None:
        self.session.learning_rate = rate

    def set_linear_schedule(self, rate: float, warmup_steps: int, total_steps: int) -> None:
        self.session.set_linear_schedule(rate, warmup_steps, total_steps)

    def set_seed(self, seed: int) -> None:
        self.session.set_seed(seed)

    def lazy_reset_grad(self) -> None:
        self.session.lazy_reset_grad()

    def reset(self) -> None:
        self.session.reset()

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
        self._session = None
        self._image = b""
        self._saves = 0
        self._written.clear()
        self._loss = float("nan")

    def __enter__(self) -> TwinTarget:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
