"""The client of a board: typed methods for the messages of docs/CONSOLE.md, over any link."""

from __future__ import annotations

import contextlib
import struct
import time
import zlib
from collections.abc import Callable
from typing import Any

from gradmote.device.encoding import check_rate, check_schedule
from gradmote.errors import DeviceError, GradmoteError, ImageError
from gradmote.formats import records
from gradmote.formats.image.signature import signature_of, without_signature
from gradmote.generated import console
from gradmote.generated.records import IMAGE_MAGIC

from ..formats.export_table import export_table_of
from ..formats.kernel_selection import needs_of
from . import diagnostics
from .device_log import DeviceLog
from .link import ConnectionLost, Link, open_link
from .protocol import Parser
from .requests import ATTEMPTS, Progress, Requests
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

_UPDATE_ATTEMPTS = 4
#: The bytes in a message's payload before its data.
_DATA_OVERHEAD = 7
_DATA_U8_OVERHEAD = 15

#: How long a USB port may be gone while the board restarts.
_RESTART_SECONDS = 15.0
_RETRY_SECONDS = 0.2

_MAGIC = struct.pack("<I", IMAGE_MAGIC)
_CODES = {name: code for code, (name, _, _) in console.FAULTS.items()}
_OUT_OF_ORDER, _UNKNOWN_MESSAGE = _CODES["OUT_OF_ORDER"], _CODES["UNKNOWN_MESSAGE"]
_NO_EXPORT_TABLE = _CODES["NO_EXPORT_TABLE"]


class Client(Requests):
    """A connection to a board that runs the firmware."""

    def __init__(self, link: Link, on_text: Callable[[str], None] | None = None, attempts: int = ATTEMPTS) -> None:
        """Take over `link`, and ask the board for its identity.

        Raises DeviceError if no board with this protocol answers.
        """
        super().__init__(link, on_text, attempts)
        self._reopen: Callable[[], Link] | None = None
        try:
            self._identify()
        except ConnectionLost as lost:
            raise diagnostics.turned_away(link.url, lost, self._log) from lost

    @classmethod
    def connect(cls, port: str, baudrate: int = 115200, attempts: int = ATTEMPTS) -> Client:
        """Open a port, and return a client of the board there.

        port: for example /dev/ttyACM0, COM3, or socket://host:port.
        """
        link = open_link(port, baudrate)
        try:
            board = cls(link, attempts=attempts)
        except BaseException:
            link.close()
            raise
        board._reopen = lambda: open_link(port, baudrate)
        return board

    def __enter__(self) -> Client:
        """Return this client; leaving the `with` block closes it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the connection."""
        self.close()

    # ---- Identity ----------------------------------------------------------------------------------------------

    def refresh(self) -> TargetInfo:
        """Ask the board for its identity and its model."""
        self.raw_info = self.request("INFO")
        if self.raw_info["protocol"] != console.PROTOCOL:
            raise DeviceError(
                f"{self._link.url} speaks version {self.raw_info['protocol']} of the protocol, this gradmote "
                f"{console.PROTOCOL}",
                "flash the firmware of this version: gradmote flash --board NAME",
            )
        return self.info()

    def info(self) -> TargetInfo:
        """Return what the last refresh() learned, without asking again."""
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
        """Return how the board's memory is divided, in bytes."""
        return Memory(**self.request("MEM"))

    def describe(self, program: str, role: str, index: int) -> Tensor:
        """Return one tensor of one program.

        Raises RuntimeFault (NOT_FOUND) past the last one.
        """
        reply = self.request("DESCRIBE", program=program_index(program), role=ROLES.index(role), index=index)
        shape = reply["dims"][: reply["rank"]]
        return Tensor(reply["name"], DTYPES[reply["dtype"]], shape, reply["size"], bool(reply["lasts"]))

    # ---- Files ------------------------------------------------------------------------------------------------

    def load_image(self, image: bytes, progress: Progress | None = None) -> bool:
        """Send a .mote image and open it; return whether the board then loaded its kept checkpoint.

        Continues an interrupted transfer of the same image. Raises DeviceError if the image cannot fit,
        or lacks the signature that the board demands; the board then keeps its old image.

        An export table after the image (with_export_table) goes to the board's flash too.
        """
        self.require_fit(image)
        image = self._signed_as_demanded(image)
        start = self._resumed(image)
        try:
            loaded = self._send_image(image, start, progress)
        except GradmoteError as error:
            if start == 0 or getattr(error, "code", None) is None:
                raise
            loaded = self._send_image(image, 0, progress)  # the board cannot continue the old transfer
        self.refresh()
        return loaded

    def _send_image(self, image: bytes, start: int, progress: Progress | None) -> bool:
        if start == 0:
            self.request("IMAGE_BEGIN", size=len(image))
        self._send_chunks("IMAGE_DATA", image, progress, start)
        return bool(self.request("IMAGE_END")["checkpoint"])

    def update_image(self, image: bytes, carry_over: bool = True, progress: Progress | None = None) -> tuple[bool, int]:
        """Send a .mote image while the current one runs, and switch to it once it is verified.

        The old model stays open in the meantime, and keeps running after an error. Continues an
        interrupted update. With carry_over, the board keeps the entries of the old model's state that
        fit the new model.

        Returns whether the board keeps a checkpoint of the new model, and how many state entries it
        carried over; 0 if both images are of the same model, whose whole state stays. Raises
        DeviceError (NO_ROOM_TO_UPDATE, NO_ROOM_TO_CARRY) if the board has no room for both models.
        """
        image = self._signed_as_demanded(image)
        self.require_fit(image)
        for left in reversed(range(_UPDATE_ATTEMPTS)):
            start = self._received(image)
            try:
                if start == 0:
                    self.request("UPDATE_BEGIN", size=len(image))
                self._send_chunks("IMAGE_DATA", image, progress, start)
                break
            except DeviceError as error:  # the board saved a checkpoint of its own meanwhile
                if getattr(error, "code", None) != _OUT_OF_ORDER or left == 0:
                    raise
        reply = self.request("UPDATE_END", carry=int(carry_over))
        self.refresh()
        return bool(reply["checkpoint"]), int(reply["carried"])

    def _resumed(self, image: bytes) -> int:
        """Return how many bytes of this image the board has from an interrupted transfer."""
        return 0 if self.raw_info["image_status"] == 0 else self._received(image)

    def _received(self, image: bytes) -> int:
        """Return how many bytes of this image the board has received; 0 if it has another image's."""
        there = self.request("IMAGE_RESUME")
        same = there["size"] == len(image) and there["crc"] == zlib.crc32(image[: there["received"]])
        return int(there["received"]) if same else 0

    def require_fit(self, image: bytes) -> None:
        """Raise DeviceError for an image that the board has no RAM, or no kernels, for; send nothing of it."""
        self._require_room(image)
        self._require_kernels(image)

    def _require_room(self, image: bytes) -> None:
        """Refuse an image with too large an arena before anything is sent.

        The board itself would only report this after it has erased its old image.
        """
        if len(image) < records.size_of("header"):
            return
        needed, there = records.unpack("header", image)["arena_size"], self.raw_info["arena_available"]
        if image[:4] == _MAGIC and needed > there:
            raise diagnostics.too_large(self.raw_info["board"], needed, there)

    def _require_kernels(self, image: bytes) -> None:
        """Refuse an image that needs kernels missing from the firmware, before anything is sent."""
        try:
            needs = needs_of(image)
            build = self.request("BUILD")
        except ImageError:  # the board says what is wrong with it
            return
        except DeviceError as error:
            if getattr(error, "code", None) == _UNKNOWN_MESSAGE:  # older firmware
                return
            raise
        missing = needs.missing(build["parts"], build["rules"], bytes(build["opcodes"]))
        if missing:
            raise diagnostics.lacking(self.raw_info["board"], missing)

    def _signed_as_demanded(self, image: bytes) -> bytes:
        """Return the image with its signature if the board demands one, else without it; and its export table."""
        demanded, found = bytes(self.raw_info["key_id"]), signature_of(image)
        if not any(demanded):
            return without_signature(image) + export_table_of(image)
        if found is None or found.key_id != demanded:
            raise diagnostics.not_signed(self.raw_info["board"], demanded, found.key_id if found else None)
        return image

    def load_checkpoint(self, checkpoint: bytes, progress: Progress | None = None) -> None:
        """Send a .gmck checkpoint, plain or half; the board loads it, and keeps the state."""
        self.request("CHECKPOINT_BEGIN", size=len(checkpoint))
        self._send_chunks("CHECKPOINT_DATA", checkpoint, progress)
        self.request("CHECKPOINT_END")

    def save_checkpoint(self, progress: Progress | None = None, half: bool = False) -> bytes:
        """Keep a checkpoint on the board, and return its bytes.

        With half, the board sends it packed, in about half the bytes, and itself keeps all bits.
        """
        self.request("SAVE")
        return self.read("CHECKPOINT_HALF" if half else "CHECKPOINT", progress=progress)

    def export_model(self, progress: Progress | None = None) -> bytes:
        """Keep a checkpoint on the board, and return its model as an .onnx file, which the board makes.

        Raises DeviceError (NO_EXPORT_TABLE) if the board has no export table of its model, or if it kept
        another checkpoint meanwhile.
        """
        self.request("SAVE")
        kept = self._kept_header()
        model = self.read("ONNX", progress=progress)
        if self._kept_header() != kept:
            raise diagnostics.kept_meanwhile(self._link.url)
        return model

    def export_table(self, first: int | None = None) -> bytes:
        """Return the export table that the board keeps after its image, or its first bytes; b"" if there is none."""
        try:
            return self.read("EXPORT_TABLE") if first is None else self.read_start("EXPORT_TABLE", first)
        except DeviceError as error:
            if getattr(error, "code", None) != _NO_EXPORT_TABLE:
                raise
            return b""

    def _kept_header(self) -> bytes:
        return self.read_start("CHECKPOINT", records.size_of("checkpoint"))

    def save_every(self, updates: int) -> None:
        """Keep a checkpoint after each update whose number is a multiple of `updates`; 0 turns this off.

        The setting is part of the state: reset() and another image turn it off, and a checkpoint
        restores it. Raises RuntimeFault (FULL) if no property is free.
        """
        self.request("SAVE_EVERY", updates=updates)

    def saves(self) -> Saves:
        """Return what save_every() has done since the model was opened."""
        return Saves(**self.request("SAVES"))

    def round(self) -> int:
        """Return the number of the board's federated round, which is also its base's number."""
        return int(self.request("ROUND")["number"])

    def begin_round(self, number: int) -> None:
        """Store the current parameters in flash as the base of a round; 0 makes the image's the base.

        Raises DeviceError (NO_ROOM_FOR_BASE, TOO_LARGE) if flash has no room for it.
        """
        self.request("ROUND_BEGIN", number=number)

    def round_delta(self, bits: int = 4, seed: int = 0, shared: bytes = b"") -> bytes:
        """Return the difference of the parameters from the base, quantized to 2, 4 or 8 bits per number.

        shared: bit i % 8 of byte i / 8 says whether to send parameter i; if empty, all are sent.
        """
        return self._read_parts("DELTA", "the delta", {"bits": bits, "seed": seed, "shared": shared})

    def end_round(self, delta: bytes, bits: int = 0, seed: int = 0) -> int:
        """Apply a delta to the base, and return the number of the new base.

        bits, seed: the arguments of round_delta(), to keep what the quantization lost; 0 bits keep
        nothing.
        """
        self.request("DELTA_BEGIN", size=len(delta))
        self._send_chunks("DELTA_DATA", delta)
        return int(self.request("DELTA_END", bits=bits, seed=seed)["number"])

    def load_kept_checkpoint(self) -> None:
        """Return to the checkpoint that the board keeps."""
        self.request("LOAD")

    # ---- Data -------------------------------------------------------------------------------------------------

    def write(self, role: str, index: int, data: bytes) -> None:
        """Write a whole input or label, as the little-endian bytes of its dtype."""
        what = {"role": ROLES.index(role), "index": index}
        self._send_chunks("DATA", data, overhead=_DATA_OVERHEAD, others=what)

    def write_u8(self, role: str, index: int, data: bytes, scale: float = 1.0, zero: float = 0.0) -> None:
        """Write a whole tensor from one byte q per element.

        A float32 tensor becomes (q - zero) * scale, an int32 tensor q.
        """
        what = {"role": ROLES.index(role), "index": index, "scale": scale, "zero": zero}
        self._send_chunks("DATA_U8", data, at="element", overhead=_DATA_U8_OVERHEAD, others=what)

    def output(self, program: str, index: int) -> bytes:
        """Return the bytes of one output of the program that ran last."""
        return self.read("TENSOR", program_index(program), ROLES.index("output"), index)

    # ---- Training ---------------------------------------------------------------------------------------------

    def run(self, program: str) -> Metrics:
        """Run one program to its end on the samples sent last."""
        return self._metrics(self.request("RUN", program=program_index(program)))

    def metrics(self) -> Metrics:
        """Return the metrics of the last run again."""
        return self._metrics(self.request("METRICS"))

    def _metrics(self, reply: dict[str, Any]) -> Metrics:
        seconds = reply.pop("ticks") / self.raw_info["ticks_per_second"]
        return Metrics(**reply, seconds=seconds)

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate for the next updates."""
        check_rate(rate)
        self.request("LEARNING_RATE", rate=rate)

    def set_linear_schedule(self, rate: float, warmup_steps: int, total_steps: int) -> None:
        """Make the rate rise linearly from 0 in the warm-up, then fall to 0 at total_steps."""
        check_schedule(rate, warmup_steps, total_steps)
        self.request("SCHEDULE", rate=rate, warmup_steps=warmup_steps, total_steps=total_steps)

    def set_seed(self, seed: int) -> None:
        """Set the dropout seed, 0 .. 2^32-1, and restart its sequence."""
        self.request("SEED", seed=seed)

    def lazy_reset_grad(self) -> None:
        """Let the next run of "train" start from zero gradients."""
        self.request("LAZY_RESET")

    # ---- The sample store -------------------------------------------------------------------------------------

    def store(self) -> StoreInfo:
        """Return the size and fill of the sample store.

        Raises RuntimeFault (NO_STORE) if the image has no store.
        """
        reply = self.request("STORE")
        return StoreInfo(**{**reply, "dtype": STORE_DTYPES[reply["dtype"]], "idle": bool(reply["idle"])})

    def store_class(self, label: int) -> ClassInfo:
        """Return how many samples of one class are in the store."""
        return ClassInfo(**self.request("STORE_CLASS", label=label))

    def learn(self, label: int) -> None:
        """Add the first sample in the input to the store, with this class."""
        self.request("LEARN", label=label)

    def forget(self, label: int) -> None:
        """Remove all samples of one class from the store."""
        self.request("FORGET", label=label)

    def replay(self, program: str = "step") -> Metrics:
        """Run "step" or "train" on samples from the store."""
        return self._metrics(self.request("REPLAY", program=program_index(program)))

    def score(self, label: int) -> tuple[int, int]:
        """Return (the store's samples of one class, how many of them the model recognizes)."""
        reply = self.request("SCORE", label=label)
        return reply["kept"], reply["right"]

    def set_idle_training(self, on: bool) -> None:
        """Train on the store whenever the board is idle.

        Sending labels, or more than one sample, ends this.
        """
        self.request("IDLE_TRAINING", on=int(on))

    # ---- State ------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Restore the image's initial values."""
        self.request("RESET_STATE")

    def reboot(self) -> None:
        """Restart the board, and wait until it answers again; a USB port disappears in the meantime."""
        self._may_restart = True
        with contextlib.suppress(ConnectionLost):
            self.request("REBOOT")
        try:
            self._identify()
        except ConnectionLost:
            self._connect_again()

    def _identify(self) -> None:
        """Ask a board that has just started for its identity."""
        self.refresh()
        self._log = DeviceLog()
        self._may_restart = False

    def _connect_again(self) -> None:
        if self._reopen is None:
            raise ConnectionLost(self._link.url, "the board restarted")
        self._link.close()
        deadline = time.monotonic() + _RESTART_SECONDS
        while True:
            try:
                self._link, self._parser = self._reopen(), Parser()
                return self._identify()
            except DeviceError:
                self._link.close()
                if time.monotonic() > deadline:
                    raise
                time.sleep(_RETRY_SECONDS)
