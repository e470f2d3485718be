"""One interface to train on a board, on an emulated board, or on the twin of both in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gradmote.boards import board
from gradmote.carry_over import compare, read_states
from gradmote.errors import DataError, DeviceError, RuntimeFault
from gradmote.image import read_image

from .client import Board, Progress
from .emulator import Emulator
from .protocol import error_of
from .types import ClassInfo, Memory, Metrics, Saves, StoreInfo, TargetInfo, Tensor, Update

if TYPE_CHECKING:
    from gradmote_runtime import Session

NOT_FOUND = -13
NO_IMAGE = -103
_SAVE_EVERY = "save_every"  # the property
_HEADER_START = 128  # bytes of an image's header, with its checksum, which covers all of the image
_MODEL_ID = slice(16, 32)  # of the header

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


def open_target(where: str, baudrate: int = 115200) -> Target:
    """where: "twin" (or "twin:strict"), "qemu:mps2-an386", or a port as link.open_link() takes it."""
    kind, _, rest = where.partition(":")
    if kind == "twin":
        return TwinTarget(rest or "fused")
    if kind == "qemu":
        return emulated_board(rest or "mps2-an386")
    return BoardTarget(Board.connect(where, baudrate))


def emulated_board(name: str, firmware: Path | str | None = None, icount: bool = False) -> BoardTarget:
    """A board on an Emulator of its own, which ends with it."""
    if not board(name).flash_is_emulated:
        return PreloadedTarget(name, firmware, icount)
    emulator = Emulator(name, firmware, icount)
    return BoardTarget(_connected(emulator), on_close=emulator.stop)


def _connected(emulator: Emulator) -> Board:
    try:
        return emulator.connect()
    except BaseException:
        emulator.stop()
        raise


def tensor_bytes(data: Array, dtype: str) -> bytes:
    """Little-endian bytes of an array for a tensor of that dtype. DataError where a value would change."""
    array = np.asarray(data)
    wanted = np.dtype(dtype).newbyteorder("<")
    if array.dtype.kind not in ("f" if dtype == "float32" else "iu"):
        raise DataError(f"{array.dtype} does not go into {dtype}", f"convert it: array.astype('{dtype}')")
    if dtype == "int32" and array.size and not -(2**31) <= int(array.min()) <= int(array.max()) < 2**31:
        raise DataError("integers do not fit 32 bits", "class labels must lie in 0 .. classes-1")
    return np.ascontiguousarray(array, dtype=wanted).tobytes()


def sample_bytes(sample: Array, store: StoreInfo) -> bytes:
    """One sample as a store takes it. DataError where it has another size."""
    data = tensor_bytes(sample, "float32")
    if len(data) != 4 * store.elements:
        raise DataError(f"a sample has {store.elements} elements, {len(data) // 4} were given", "pass one sample")
    return data


# ---- A board ----------------------------------------------------------------------------------------------------


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
        return read_states(partial(self.board.read_piece, "IMAGE"))

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


class PreloadedTarget(BoardTarget):
    """An emulated board whose emulator cannot program flash, where images and checkpoints are kept: with another image
    in its flash it is started anew, and save() writes its state from here. It goes on from no checkpoint."""

    def __init__(self, name: str, firmware: Path | str | None = None, icount: bool = False) -> None:
        self._start = partial(Emulator, name, firmware, icount)
        emulator = self._start()
        super().__init__(_connected(emulator), on_close=emulator.stop)

    def _send_image(self, image: bytes, progress: Progress | None) -> None:
        emulator = self._start(image)
        client = _connected(emulator)
        self.close()
        self.board, self._on_close = client, emulator.stop
        if self.info().status != 0:
            raise error_of(self.info().status, f"{self.name}: image")
        if progress:
            progress(len(image), len(image))

    def update_image(self, image: bytes, carry_over: bool = True, progress: Progress | None = None) -> Update:
        raise DeviceError(
            f"updates go to flash, which the emulator of {self.name} cannot program",
            f"twin:{self.info().profile} carries over the same bits",
        )

    def save(self, half: bool = False) -> bytes:
        with TwinTarget(self.info().profile) as twin:
            twin.load_image(self.image())
            twin.session.state()[:] = self.state()
            return twin.save(half)

    def load(self, checkpoint: bytes) -> None:
        raise DeviceError(
            f"checkpoints are loaded from flash, which the emulator of {self.name} cannot program",
            f"twin:{self.info().profile} trains to the same bits, and loads them",
        )


# ---- The twin -----------------------------------------------------------------------------------------------------


class TwinTarget:
    """The C runtime in this process: the same bits as a board of the same profile."""

    def __init__(self, profile: str = "fused") -> None:
        if profile not in ("fused", "strict"):
            raise DeviceError(f"there is no profile '{profile}'", "write twin:fused or twin:strict")
        self.name = f"twin ({profile})"
        self._profile = profile
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

        session = Session(image, self._profile)
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
            version=_version(),
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
            **counters, loss=self._loss, learning_rate=control["learning_rate"], instructions=instructions,
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


def no_samples(role: str, index: int, lasts: bool) -> DeviceError:
    when = "before running" if lasts else "before each run: the image overwrites inputs"
    return DeviceError(f"there are no samples for {role} {index}", f"write them {when}")


def _version() -> str:
    import gradmote

    return gradmote.__version__
