"""Board: the messages of docs/CONSOLE.md as typed methods, over any link."""

from __future__ import annotations

import contextlib
import random
import struct
import time
import zlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from gradmote import records
from gradmote.errors import DeviceError, GradmoteError
from gradmote.generated import console
from gradmote.generated.records import IMAGE_MAGIC
from gradmote.image.signature import signature_of, without_signature

from . import trouble
from .link import ConnectionLost, Link, open_link
from .pace import Pace
from .protocol import Frame, Parser, encode, error_of, message_id, reply_values, request_payload
from .said import Said
from .types import (
    DTYPES,
    PROFILES,
    ROLES,
    STORE_DTYPES,
    ClassInfo,
    Memory,
    Metrics,
    Saves,
    StoreInfo,
    TargetInfo,
    Tensor,
    program_index,
    program_names,
)

#: Called with bytes done and bytes in all.
Progress = Callable[[int, int], None]

_ATTEMPTS = 6
_UPDATE_ATTEMPTS = 4
_READ_OVERHEAD = 4  # bytes of a READ reply before its data
_PIECE_OVERHEAD = 4  # bytes of IMAGE_DATA and CHECKPOINT_DATA before their data
_DATA_OVERHEAD = 7
_DATA_U8_OVERHEAD = 15

#: Seconds without an answer after which a request is sent again. Erasing flash takes its time; a program that runs
#: gives signs of life.
_PATIENCE = {"IMAGE_BEGIN": 30.0, "CHECKPOINT_BEGIN": 30.0, "SAVE": 30.0, "IMAGE_END": 10.0, "RUN": 10.0, "INFO": 0.7}
_PATIENCE |= {"REPLAY": 10.0, "SCORE": 10.0, "UPDATE_BEGIN": 30.0, "UPDATE_END": 60.0, "IMAGE_RESUME": 30.0}
_DEFAULT_PATIENCE = 1.0

#: The same once something damaged came: nothing, where it can only have been the answer; else longer than a sign of
#: life stays away.
_PATIENCE_AFTER_DAMAGE = 1.2
_QUIET = console.BYTE_TIMEOUT_MS / 1000

#: A port on USB goes away and comes back when the board restarts.
_RESTART_SECONDS = 15.0
_RETRY_SECONDS = 0.2

_MAGIC = struct.pack("<I", IMAGE_MAGIC)


class Board:
    """A board that runs the firmware.

    Requests are repeated where the line damaged or lost something; the board answers a repeated request without
    doing its work twice. `on_text` gets what the board prints between frames.
    """

    def __init__(self, link: Link, on_text: Callable[[str], None] | None = None, attempts: int = _ATTEMPTS) -> None:
        """Takes over `link`, and asks who is there. DeviceError where that is no board of this protocol.

        attempts: how often a request is sent before the board counts as silent.
        """
        self._link = link
        self._pace = Pace(attempts)
        self._parser = Parser()
        self._on_text = on_text or (lambda text: None)
        self._sequence = random.randrange(256)
        self._said = Said()
        self._may_restart = True
        self._reopen: Callable[[], Link] | None = None
        self.retries = 0  #: requests that had to be sent again
        self.raw_info: dict[str, Any] = {}
        try:
            self._meet()
        except ConnectionLost as lost:
            raise trouble.turned_away(link.url, lost, self._said) from lost

    @classmethod
    def connect(cls, port: str, baudrate: int = 115200, attempts: int = _ATTEMPTS) -> Board:
        """Opens a port: /dev/ttyACM0, COM3, socket://host:port."""
        link = open_link(port, baudrate)
        try:
            board = cls(link, attempts=attempts)
        except BaseException:
            link.close()
            raise
        board._reopen = lambda: open_link(port, baudrate)
        return board

    @property
    def url(self) -> str:
        """Where it is connected."""
        return self._link.url

    def close(self) -> None:
        self._link.close()

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ---- Requests ---------------------------------------------------------------------------------------------

    def request(self, name: str, **values: Any) -> dict[str, Any]:
        """Sends one message and returns its reply's fields. RuntimeFault or DeviceError with the board's code."""
        self._sequence = (self._sequence + 1) % 256
        frame = Frame(message_id(name), self._sequence, request_payload(name, values))
        while (reply := self._exchange(name, frame)) is None:
            pass
        return self._decoded(name, reply)

    def _try(self, name: str, **values: Any) -> dict[str, Any] | None:
        """request() of a piece, once; None where it got lost, and a smaller one may do better."""
        self._sequence = (self._sequence + 1) % 256
        reply = self._exchange(name, Frame(message_id(name), self._sequence, request_payload(name, values)))
        self._pace.adapt(arrived=reply is not None)
        return None if reply is None else self._decoded(name, reply)

    def _exchange(self, name: str, frame: Frame) -> Frame | None:
        """Sends a frame once. Its reply, or None where the line lost one of them; DeviceError after too many losses."""
        self._link.write(encode(frame))
        reply, damaged = self._await_reply(name, frame)
        if reply is None:
            self.retries += 1
        if self._pace.gives_up(reply is not None, damaged):
            raise self._no_answer(name)
        return reply

    def _await_reply(self, name: str, request: Frame) -> tuple[Frame | None, bool]:
        """The reply to `request`, or None where it has to be sent again; and whether something damaged came."""
        patience = _PATIENCE.get(name, _DEFAULT_PATIENCE)
        deadline = time.monotonic() + patience
        damaged = False
        while (left := deadline - time.monotonic()) > 0:
            data = self._link.read(min(left, _QUIET))
            before = self._parser.damaged
            for item in self._parser.feed(data) if data else self._parser.expire():
                if isinstance(item, bytes):
                    self._show(item, name)
                    damaged = damaged or _is_of_a_frame(item)
                elif _is_damage_report(item):
                    return None, True
                elif item.sequence == request.sequence and item.type == console.ALIVE_TYPE:
                    deadline = time.monotonic() + patience
                elif item.sequence == request.sequence and _answers(item, request):
                    return item, damaged
            damaged = damaged or self._parser.damaged > before
            if damaged and patience <= _DEFAULT_PATIENCE:
                break
            if self._parser.damaged > before:
                deadline = min(deadline, time.monotonic() + _PATIENCE_AFTER_DAMAGE)
        return None, damaged

    def _show(self, text: bytes, name: str) -> None:
        self._said.add(text)
        self._on_text(text.decode(errors="replace"))
        if not self._may_restart and self._said.greeted:
            fault = self._said.fault
            self._said = Said()
            raise trouble.restarted(self._link.url, name, fault)

    def _decoded(self, name: str, reply: Frame) -> dict[str, Any]:
        if reply.type == console.ERROR_TYPE:
            raise error_of(struct.unpack("<i", reply.payload)[0], f"{self._link.url}: {name}")
        return reply_values(name, reply.payload)

    def _no_answer(self, name: str) -> DeviceError:
        if self.raw_info:
            return trouble.silent_now(self._link.url, name, self.raw_info["board"])
        return trouble.silent(self._link.url, name, self._said, self._parser.damaged > 0)

    def type(self, line: str, patience: float = 30.0) -> str:
        """Types a line as a person does, and returns what the board prints up to its next prompt. DeviceError where
        none comes for `patience` seconds."""
        said = ""
        self._link.write(line.encode() + b"\r")
        while not said.endswith("\n> "):
            data = self._link.read(patience)
            if not data:
                raise self._no_answer(line)
            texts = [item for item in self._parser.feed(data) if isinstance(item, bytes)]
            said += b"".join(texts).decode(errors="replace")
        return said.removesuffix("> ")

    # ---- About ------------------------------------------------------------------------------------------------

    def refresh(self) -> TargetInfo:
        """Asks the board who it is and what model it has."""
        self.raw_info = self.request("INFO")
        if self.raw_info["protocol"] != console.PROTOCOL:
            raise DeviceError(
                f"{self._link.url} speaks version {self.raw_info['protocol']} of the protocol, this gradmote "
                f"{console.PROTOCOL}",
                "flash the firmware of this version: gradmote flash --board NAME",
            )
        return self.info()

    def info(self) -> TargetInfo:
        """What refresh() learnt last."""
        raw = self.raw_info
        return TargetInfo(
            name=raw["board"],
            version=".".join(map(str, raw["version"])),
            profile=PROFILES[raw["profile"]],
            status=raw["image_status"],
            programs=program_names(raw["programs"]),
            batch=raw["batch"],
            image_size=raw["image_size"],
            arena_required=raw["arena_required"],
            state_size=raw["state_size"],
            parameters_size=raw["parameters_size"],
            gradients_size=raw["gradients_size"],
            model_id=bytes(raw["model_id"]),
        )

    def mem(self) -> Memory:
        return Memory(**self.request("MEM"))

    def describe(self, program: str, role: str, index: int) -> Tensor:
        """One tensor of one program. RuntimeFault (NOT_FOUND) past the last one."""
        reply = self.request("DESCRIBE", program=program_index(program), role=ROLES.index(role), index=index)
        shape = reply["dims"][: reply["rank"]]
        return Tensor(reply["name"], DTYPES[reply["dtype"]], shape, reply["size"], bool(reply["lasts"]))

    # ---- Files ------------------------------------------------------------------------------------------------

    def load_image(self, image: bytes, progress: Progress | None = None) -> bool:
        """Sends a .mote image and opens it. True where the board then loaded its kept checkpoint.

        Goes on with a transfer of the same image that broke off. DeviceError where it cannot fit; the board then keeps
        the one that it has. Where it demands a signature, the same for an image that is not signed by its key.
        """
        self._require_room(image)
        image = self._as_demanded(image)
        start = self._resumed(image)
        try:
            loaded = self._send_image(image, start, progress)
        except GradmoteError as error:
            if start == 0 or getattr(error, "code", None) is None:
                raise
            loaded = self._send_image(image, 0, progress)  # what the board has of it cannot be gone on with
        self.refresh()
        return loaded

    def _send_image(self, image: bytes, start: int, progress: Progress | None) -> bool:
        if start == 0:
            self.request("IMAGE_BEGIN", size=len(image))
        self._send_pieces("IMAGE_DATA", image, progress, start)
        return bool(self.request("IMAGE_END")["checkpoint"])

    def update_image(self, image: bytes, carry_over: bool = True, progress: Progress | None = None) -> tuple[bool, int]:
        """Sends a .mote image beside the one that runs, which stays open meanwhile, and switches to it once it is whole
        and verified. carry_over: the state of the old model that fits the new one is kept.

        Returns whether the board keeps a checkpoint of the new model, and how many pieces were carried over: 0 where
        the model is the same, all of whose state stays. Goes on with an update that broke off. After an error the old
        model runs: DeviceError (NO_ROOM_TO_UPDATE, NO_ROOM_TO_CARRY) where the board has no room for both.
        """
        image = self._as_demanded(image)
        self._require_room(image)
        for left in reversed(range(_UPDATE_ATTEMPTS)):
            start = self._there(image)
            try:
                if start == 0:
                    self.request("UPDATE_BEGIN", size=len(image))
                self._send_pieces("IMAGE_DATA", image, progress, start)
                break
            except DeviceError as error:  # a checkpoint that the board kept of itself came between
                if getattr(error, "code", None) != _OUT_OF_ORDER or left == 0:
                    raise
        reply = self.request("UPDATE_END", carry=int(carry_over))
        self.refresh()
        return bool(reply["checkpoint"]), int(reply["carried"])

    def _resumed(self, image: bytes) -> int:
        """Bytes of this image that the board has from a transfer that broke off."""
        return 0 if self.raw_info["image_status"] == 0 else self._there(image)

    def _there(self, image: bytes) -> int:
        """The same of an image, where no model is open, or of an update."""
        there = self.request("IMAGE_RESUME")
        same = there["size"] == len(image) and there["crc"] == zlib.crc32(image[: there["received"]])
        return int(there["received"]) if same else 0

    def _require_room(self, image: bytes) -> None:
        """The board itself tells of the arena only once the image that it had is erased."""
        if len(image) < records.size_of("header"):
            return
        needed, there = records.unpack("header", image)["arena_size"], self.raw_info["arena_available"]
        if image[:4] == _MAGIC and needed > there:
            raise trouble.too_large(self.raw_info["board"], needed, there)

    def _as_demanded(self, image: bytes) -> bytes:
        """With its signature for a board that demands one, else without it."""
        demanded, found = bytes(self.raw_info["key_id"]), signature_of(image)
        if not any(demanded):
            return without_signature(image)
        if found is None or found.key_id != demanded:
            raise trouble.not_signed(self.raw_info["board"], demanded, found.key_id if found else None)
        return image

    def load_checkpoint(self, checkpoint: bytes, progress: Progress | None = None) -> None:
        """Sends a .gmck checkpoint, plain or half (checkpoint.as_half()); the board loads it, and keeps the state."""
        self.request("CHECKPOINT_BEGIN", size=len(checkpoint))
        self._send_pieces("CHECKPOINT_DATA", checkpoint, progress)
        self.request("CHECKPOINT_END")

    def save_checkpoint(self, progress: Progress | None = None, half: bool = False) -> bytes:
        """Keeps a checkpoint on the board, and returns its bytes. half: packed, about half as many; the board keeps
        all bits."""
        self.request("SAVE")
        return self.read("CHECKPOINT_HALF" if half else "CHECKPOINT", progress=progress)

    def save_every(self, updates: int) -> None:
        """Keeps a checkpoint after each update whose number is a multiple; 0: never. It is a part of the state: `reset`
        and another image end it, and it comes back with a checkpoint. RuntimeFault (FULL) where no property is free."""
        self.request("SAVE_EVERY", updates=updates)

    def saves(self) -> Saves:
        """What save_every() has done since the model was opened."""
        return Saves(**self.request("SAVES"))

    def load_kept_checkpoint(self) -> None:
        """Returns to the checkpoint that the board keeps."""
        self.request("LOAD")

    def _send_pieces(
        self,
        name: str,
        data: bytes,
        progress: Progress | None = None,
        start: int = 0,
        at: str = "offset",
        overhead: int = _PIECE_OVERHEAD,
        others: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """data from `start` on, as long as the line lets pieces be. A piece may arrive twice: that does no harm."""
        while start < len(data):
            piece = data[start : start + self._piece_size(overhead)]
            if self._try(name, **{at: start}, data=piece, **others) is not None:
                start += len(piece)
                if progress:
                    progress(start, len(data))

    def _piece_size(self, overhead: int) -> int:
        return self._pace.size(self._payload_limit() - overhead)

    def _payload_limit(self) -> int:
        return min(int(self.raw_info["frame_limit"]), console.PAYLOAD_LIMIT)

    # ---- Data -------------------------------------------------------------------------------------------------

    def write(self, role: str, index: int, data: bytes) -> None:
        """Writes a whole input or label, as the little-endian bytes of its dtype."""
        what = {"role": ROLES.index(role), "index": index}
        self._send_pieces("DATA", data, overhead=_DATA_OVERHEAD, others=what)

    def write_u8(self, role: str, index: int, data: bytes, scale: float = 1.0, zero: float = 0.0) -> None:
        """Writes a whole tensor from one byte an element: (q - zero) * scale in float32, or q where it is int32."""
        what = {"role": ROLES.index(role), "index": index, "scale": scale, "zero": zero}
        self._send_pieces("DATA_U8", data, at="element", overhead=_DATA_U8_OVERHEAD, others=what)

    def read(
        self, source: str, program: int = 0, role: int = 0, index: int = 0, progress: Progress | None = None
    ) -> bytes:
        """All bytes of a source (generated.console.SOURCES)."""
        what = {"source": console.SOURCES[source], "program": program, "role": role, "index": index}
        data = b""
        total = 1
        while len(data) < total:
            reply = self._try("READ", **what, offset=len(data), length=self._piece_size(_READ_OVERHEAD))
            if reply is not None:
                total = reply["total"]
                data += reply["data"]
                if progress:
                    progress(len(data), total)
        return data

    def read_start(self, source: str, count: int) -> bytes:
        """The first `count` bytes of a source; no more than one frame holds."""
        reply = self.request("READ", source=console.SOURCES[source], program=0, role=0, index=0, offset=0, length=count)
        return bytes(reply["data"])

    def read_piece(self, source: str, offset: int, size: int) -> bytes:
        """Bytes [offset, offset + size) of an image or a checkpoint."""
        what = {"source": console.SOURCES[source], "program": 0, "role": 0, "index": 0}
        data = b""
        while len(data) < size:
            length = min(self._piece_size(_READ_OVERHEAD), size - len(data))
            reply = self._try("READ", **what, offset=offset + len(data), length=length)
            data += b"" if reply is None else reply["data"]
            if reply is not None and not reply["data"]:
                raise DeviceError(f"{self._link.url}: {source} ends at {offset + len(data)}", "connect again")
        return data

    def output(self, program: str, index: int) -> bytes:
        """Bytes of one output of the program that ran last."""
        return self.read("TENSOR", program_index(program), ROLES.index("output"), index)

    # ---- Training ---------------------------------------------------------------------------------------------

    def run(self, program: str) -> Metrics:
        """Runs one program to its end on the samples sent last."""
        return self._metrics(self.request("RUN", program=program_index(program)))

    def metrics(self) -> Metrics:
        return self._metrics(self.request("METRICS"))

    def _metrics(self, reply: dict[str, Any]) -> Metrics:
        seconds = reply.pop("ticks") / self.raw_info["ticks_per_second"]
        return Metrics(**reply, seconds=seconds)

    def set_learning_rate(self, rate: float) -> None:
        self.request("LEARNING_RATE", rate=rate)

    def set_linear_schedule(self, rate: float, warmup_steps: int, total_steps: int) -> None:
        self.request("SCHEDULE", rate=rate, warmup_steps=warmup_steps, total_steps=total_steps)

    def set_seed(self, seed: int) -> None:
        self.request("SEED", seed=seed)

    def lazy_reset_grad(self) -> None:
        self.request("LAZY_RESET")

    # ---- The sample store -------------------------------------------------------------------------------------

    def store(self) -> StoreInfo:
        """RuntimeFault (NO_STORE) where the image has none."""
        reply = self.request("STORE")
        return StoreInfo(**{**reply, "dtype": STORE_DTYPES[reply["dtype"]], "idle": bool(reply["idle"])})

    def store_class(self, label: int) -> ClassInfo:
        return ClassInfo(**self.request("STORE_CLASS", label=label))

    def learn(self, label: int) -> None:
        """The input's first sample goes to the store, as one of that class."""
        self.request("LEARN", label=label)

    def forget(self, label: int) -> None:
        self.request("FORGET", label=label)

    def replay(self, program: str = "step") -> Metrics:
        """Runs "step" or "train" on samples of the store."""
        return self._metrics(self.request("REPLAY", program=program_index(program)))

    def score(self, label: int) -> tuple[int, int]:
        """(the store's samples of a class, how many of them the model recognises)."""
        reply = self.request("SCORE", label=label)
        return reply["kept"], reply["right"]

    def set_idle_training(self, on: bool) -> None:
        """Trains on the store whenever the board has nothing else to do. Sending labels, or more than one sample, ends
        it."""
        self.request("IDLE_TRAINING", on=int(on))

    # ---- State ------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Back to the image's initial values."""
        self.request("RESET_STATE")

    def reboot(self) -> None:
        """Restarts the board and waits until it answers again; a port on USB goes away meanwhile."""
        self._may_restart = True
        with contextlib.suppress(ConnectionLost):
            self.request("REBOOT")
        try:
            self._meet()
        except ConnectionLost:
            self._connect_again()

    def _meet(self) -> None:
        """Asks a board that starts who it is."""
        self.refresh()
        self._said = Said()
        self._may_restart = False

    def _connect_again(self) -> None:
        if self._reopen is None:
            raise ConnectionLost(self._link.url, "the board restarted")
        self._link.close()
        deadline = time.monotonic() + _RESTART_SECONDS
        while True:
            try:
                self._link, self._parser = self._reopen(), Parser()
                return self._meet()
            except DeviceError:
                self._link.close()
                if time.monotonic() > deadline:
                    raise
                time.sleep(_RETRY_SECONDS)


def _is_damage_report(frame: Frame) -> bool:
    return frame.type == console.ERROR_TYPE and frame.payload == struct.pack("<i", _BAD_FRAME)


def _is_of_a_frame(text: bytes) -> bool:
    """No board prints this: it is of a frame whose start was damaged, as types of replies are."""
    return max(text) >= console.REPLY_BIT


def _answers(reply: Frame, request: Frame) -> bool:
    return reply.type in (request.type | console.REPLY_BIT, console.ERROR_TYPE)


_CODES = {name: code for code, (name, _, _) in console.FAULTS.items()}
_BAD_FRAME = _CODES["BAD_FRAME"]
_OUT_OF_ORDER = _CODES["OUT_OF_ORDER"]
