"""The training target that is the twin: the C runtime in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradmote.device.encoding import check_rate, check_schedule
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
_SAVE_EVERY = "save_every"  # the property of the state that holds the interval
_MODEL_ID = slice(16, 32)  # the bytes of an image's header that hold the id

Array = np.ndarray[Any, Any]


class TwinTarget:
    """The C runtime in this process, as a Target.

    It computes the same bits as a board of the same profile, with any number of threads.

    Args:
        profile: The numerics profile, "fused" or "strict".
        threads: The host's threads that share the work.
    """

    def __init__(self, profile: str = "fused", threads: int = 1) -> None:
        """Begin without an image; raise DeviceError for an unknown profile."""
        if profile not in ("fused", "strict"):
            raise DeviceError(f"there is no profile '{profile}'", "write twin:fused or twin:strict")
        self.name = f"twin ({profile})"
        self._profile = profile
        self._threads = threads
        self._session: Session | None = None
        self._image = b""
        self._written: set[tuple[str, int]] = set()
        self._loss = float("nan")
        self._last = 0, float("nan")  # the last run's instructions and seconds
        self._saves = 0
        self.on_save: Callable[[bytes], None] = lambda checkpoint: (
            None
        )  #: called with each checkpoint that save_every() asks for

    @classmethod
    def of(cls, session: Session) -> TwinTarget:
        """Return a target for an open session, for calls that need no image."""
        target = cls(session.profile)
        target._session = session
        return target

    @property
    def session(self) -> Session:
        """The session of the loaded image; raises DeviceError if none is loaded."""
        if self._session is None:
            raise DeviceError("the twin has no model", "load an image first")
        return self._session

    def load_image(self, image: bytes, progress: Progress | None = None) -> None:
        """Open a .mote image, with its initial parameters."""
        from gradmote_runtime import Session

        session = Session(image, self._profile, self._threads)
        self.close()
        self._session, self._image = session, bytes(image)
        if progress:
            progress(len(image), len(image))

    def update_image(self, image: bytes, carry_over: bool = True, progress: Progress | None = None) -> Update:
        """Replace the loaded image with another one, which takes over its state."""
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
        """Return the twin's name, and its model's sizes."""
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
        """Return the loaded .mote image; b"" without one."""
        return self._image

    def mem(self) -> Memory | None:
        """Return None: the host's memory sets no limit."""
        return None

    def describe(self, program: str, role: str, index: int) -> Tensor | None:
        """Return one tensor of one program, or None past the last one."""
        every = {"input": self.session.inputs, "label": self.session.labels}
        rows = self.session.outputs(program) if role == "output" else every[role]()
        mine = [row for row in rows if program in row["programs"]]
        if index >= len(mine):
            return None
        row = mine[index]
        return Tensor(row["name"] or "", row["dtype"], tuple(row["shape"]), row["size"], row["lasts"])

    def write(self, role: str, index: int, data: Array) -> None:
        """Write a whole input or label; its values must fit the tensor's dtype."""
        self._fill(role, index, tensor_bytes(data, self._row(role, index)["dtype"]))

    def _row(self, role: str, index: int) -> dict[str, Any]:
        rows = self.session.inputs() if role == "input" else self.session.labels()
        if not 0 <= index < len(rows):
            raise DataError(f"the model has no {role} {index}", "list its tensors: gradmote inspect model.mote")
        return rows[index]

    def _fill(self, role: str, index: int, data: bytes) -> None:
        size = self._row(role, index)["size"]
        if len(data) != size:
            raise DataError(f"{role} {index} takes {size} bytes, {len(data)} were given", "pass one whole batch")
        view = self.session.input_view if role == "input" else self.session.label_view
        view(index).cast("B")[:] = data
        self._written.add((role, index))

    def write_u8(self, role: str, index: int, data: Array, scale: float = 1.0, zero: float = 0.0) -> None:
        """Write a whole tensor from bytes: (data - zero) * scale in float32, otherwise data itself."""
        q = np.ascontiguousarray(data, np.uint8)
        dtype = self._row(role, index)["dtype"]
        if dtype in ("int8", "uint8"):
            self._fill(role, index, q.tobytes())
        elif dtype == "int32":
            self._fill(role, index, q.astype("<i4").tobytes())
        else:
            self._fill(role, index, ((q.astype("<f4") - np.float32(zero)) * np.float32(scale)).tobytes())

    def run(self, program: str) -> Metrics:
        """Run one program on the samples written last.

        Raises DeviceError, like a board, if samples were not written.
        """
        self._require_samples(program)
        self._forget_overwritten()
        return self._measured(program, lambda: self.session.begin(program))

    def _measured(self, program: str, begin: Callable[[], None]) -> Metrics:
        """Run the program that `begin` begins, and return its metrics."""
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
        """Return the metrics of the last run again."""
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

    def _forget_overwritten(self) -> None:
        """Forget the inputs and labels that a run may have overwritten, like a board."""
        for role, rows in (("input", self.session.inputs()), ("label", self.session.labels())):
            self._written -= {(role, index) for index, row in enumerate(rows) if not row["lasts"]}

    def _require_samples(self, program: str) -> None:
        """Refuse, like a board, to run on inputs and labels that were not written."""
        for role, rows in (("input", self.session.inputs()), ("label", self.session.labels())):
            for index, row in enumerate(rows):
                if program in row["programs"] and (role, index) not in self._written:
                    raise no_samples(role, index, row["lasts"])

    def output(self, index: int, program: str = "infer") -> Array:
        """Return one output of the program that ran last, in the ONNX model's shape."""
        return np.array(self.session.output(index, program))

    def store(self) -> StoreInfo:
        """Return the size and fill of the sample store.

        Raises RuntimeFault (NO_STORE) if the image has no store.
        """
        return StoreInfo(**self.session.store(), idle=False)

    def store_class(self, label: int) -> ClassInfo:
        """Return how many samples of one class are in the store."""
        return ClassInfo(**self.session.store_class(label))

    def learn(self, label: int, sample: Array | None = None) -> None:
        """Add a sample of this class to the store: the given one, or the first sample in the input."""
        store = self.store()
        if sample is not None:
            taken = sample_bytes(sample, store, self.session.inputs()[0]["dtype"])
            self.session.input_view(0).cast("B")[: len(taken)] = taken
            self._written.add(("input", 0))
        if ("input", 0) not in self._written:
            raise no_samples("input", 0, self.session.inputs()[0]["lasts"])
        self.session.learn(label)

    def forget(self, label: int) -> None:
        """Remove all samples of one class from the store."""
        self.session.forget(label)

    def replay(self) -> Metrics:
        """Make one update on samples from the store."""
        if "step" in self.info().programs:
            return self._replay("step")
        self.lazy_reset_grad()
        self._replay("train")
        return self.run("optimizer")

    def _replay(self, program: str) -> Metrics:
        metrics = self._measured(program, lambda: self.session.begin_replay(program))
        self._written.discard(("label", 0))
        self._forget_overwritten()
        return metrics

    def score(self, label: int) -> tuple[int, int]:
        """Return (the store's samples of one class, how many of them the model recognizes)."""
        found = self.session.score(label)
        self._forget_overwritten()
        return found

    def parameters(self) -> bytes:
        """Return the bytes of all trained parameters, each in its own type."""
        return self.session.parameters().tobytes()

    def gradient(self, index: int) -> bytes:
        """Return the accumulated gradient of one parameter as little-endian float32."""
        return self.session.gradient(index).tobytes()

    def state(self) -> bytes:
        """Return the training state: parameters, moments, counters and properties."""
        return bytes(self.session.state())

    def save(self, half: bool = False) -> bytes:
        """Return a .gmck checkpoint; with half, its float32 numbers have 16 bits."""
        return self.session.save(half)

    def load(self, checkpoint: bytes) -> None:
        """Continue from a .gmck checkpoint, plain or half."""
        self.session.load(checkpoint)

    def round(self) -> int:
        """Return the number of the federated round; 0 means that the image's parameters are the base."""
        return self.session.round

    def begin_round(self, number: int) -> None:
        """Make the current parameters the base of round `number`; 0 makes the image's parameters the base."""
        self.session.begin_round(number)

    def round_delta(self, bits: int = 4, seed: int = 0, shared: str | Sequence[str] | None = None) -> bytes:
        """Return the difference of the parameters from the base, quantized to 2, 4 or 8 bits per number.

        seed: seeds the rounding; use a different one on each device. shared: names of the parameters
        to send, or patterns for them ("conv*"); all by default.
        """
        return self.session.round_delta(bits, seed, shared)

    def end_round(self, delta: bytes, bits: int = 0, seed: int = 0) -> int:
        """Apply a delta to the base, start the round that follows, and return its number.

        bits, seed: the arguments of round_delta(), to keep what the quantization lost; 0 bits keep
        nothing. After an error the round and the parameters are unchanged.
        """
        return self.session.end_round(delta, bits, seed)

    def save_every(self, updates: int) -> None:
        """Pass a checkpoint to `on_save` after every `updates` updates; 0 turns this off."""
        if updates:
            self.session.set_property(_SAVE_EVERY, updates)
        elif _SAVE_EVERY in self.session.properties():
            self.session.remove_property(_SAVE_EVERY)

    def saves(self) -> Saves:
        """Return what save_every() has done since the model was loaded."""
        every = self.session.properties().get(_SAVE_EVERY, 0)
        return Saves(every if isinstance(every, int) and every > 0 else 0, 0, self._saves, 0)

    def _save_where_due(self, program: str) -> None:
        every = self.saves().every
        if program in ("step", "optimizer") and every and self.session.control()["optimizer_steps"] % every == 0:
            self._saves += 1
            self.on_save(self.session.save())

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate for the next updates."""
        check_rate(rate)
        self.session.learning_rate = rate

    def set_linear_schedule(self, rate: float, warmup_steps: int, total_steps: int) -> None:
        """Make the rate rise linearly from 0 in the warm-up, then fall to 0 at total_steps."""
        check_schedule(rate, warmup_steps, total_steps)
        self.session.set_linear_schedule(rate, warmup_steps, total_steps)

    def set_seed(self, seed: int) -> None:
        """Set the dropout seed, 0 .. 2^32-1, and restart its sequence."""
        self.session.set_seed(seed)

    def lazy_reset_grad(self) -> None:
        """Let the next run of "train" start from zero gradients."""
        self.session.lazy_reset_grad()

    def reset(self) -> None:
        """Restore the image's initial values."""
        self.session.reset()

    def close(self) -> None:
        """Release the loaded image and everything that belongs to it."""
        if self._session is not None:
            self._session.close()
        self._session = None
        self._image = b""
        self._saves = 0
        self._written.clear()
        self._loss = float("nan")

    def __enter__(self) -> TwinTarget:
        """Return this target; leaving the `with` block closes it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the target."""
        self.close()
