"""The rounds of a federation, whatever carries its messages: tasks, replies, metrics, and going on after a crash."""

from __future__ import annotations

import hashlib
import io
import json
import math
import struct
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError, GradmoteError
from ..formats.files import make_folder, write_atomically
from ..formats.npz import npz_bytes
from .fleet import fault_of
from .journal import Journal
from .server import CAP_EXAMPLES, REFUSE_ABOVE, Server
from .server_optimizers import ServerOptimizer
from .task import DeviceReply, RoundTask


@dataclass
class RoundRecord:
    """The figures of one round.

    Attributes:
        round: Its number.
        base: The SHA-256 of the base that it led to, in hexadecimal digits; empty until it has ended.
        loss: The mean of the devices' losses while they trained, weighted by their examples.
        test: Figures of tests of the new base by their names, such as accuracy.
        rows: The devices that answered: name -> examples, loss, seconds, bytes_up, bytes_down, fault,
            and late, the rounds that its delta came after its own.
    """

    round: int
    base: str = ""
    loss: float = math.nan
    test: dict[str, float] = field(default_factory=dict)
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def counted(self) -> list[str]:
        """Return the devices whose delta counted."""
        return [name for name, row in self.rows.items() if not row["fault"]]

    def total(self, name: str) -> float:
        """Return the sum of one figure of all devices."""
        return sum(row[name] for row in self.rows.values())


class Coordinator:
    """A server with its journal: what it asks in each round, and what has come in.

    Attributes:
        server: The base and the sums.
        down: The delta that led to the base; empty in round 0.
        now: The figures of the round that goes on.
        history: Those of all rounds that ended.
    """

    def __init__(
        self, image: bytes, optimizer: ServerOptimizer | None = None, bits: int = 8, clip: bool = True,
        folder: Path | None = None, refuse_above: float | None = REFUSE_ABOVE,
        cap_examples: float | None = CAP_EXAMPLES, late: int = 0,
    ) -> None:  # fmt: skip
        """Begin, or go on from the journal in the folder.

        image, optimizer, bits, clip, refuse_above, cap_examples, late: as for Server. folder: gets the
        journal and a checkpoint of each round's base (base-0000.gmck); without it, nothing outlives this
        process. Raises DataError where the journal is of another image or other settings.
        """
        self.image, self.server = bytes(image), Server(image, optimizer, bits, clip, refuse_above, cap_examples, late)
        self.image_digest = hashlib.sha256(self.image).digest()
        self.down, self.history, self.now = b"", list[RoundRecord](), RoundRecord(0)
        self.folder = make_folder(folder) if folder is not None else None
        self._journal = Journal(folder / "journal") if folder is not None else None
        if self._journal is not None and not self._resume(self._journal.read()):
            self._begin_round()

    @property
    def base_digest(self) -> bytes:
        """Return the SHA-256 of the base."""
        return hashlib.sha256(self.server.base).digest()

    def task(self, devices: Collection[str] | None = None, **settings: Any) -> RoundTask:
        """Return what is asked of devices in this round. settings: bits, shared, epochs, seed, deadline_s."""
        server, names = self.server, None if devices is None else tuple(sorted(devices))
        base = (self.image_digest, server.round, self.base_digest, server.checkpoint(), self.down)
        return RoundTask(*base, devices=names, **settings)

    def take(self, replies: Iterable[DeviceReply]) -> list[DeviceReply]:
        """Count what is good, and return all replies; those that the server refuses have its fault.

        A device counts once, so what comes again changes nothing. When this returns, the replies that
        count are on the disk.
        """
        taken = [self._checked(reply) for reply in replies]
        new = [reply for reply, is_new in taken if is_new]
        if self._journal is not None and new:
            self._journal.append(reply.pack() for reply in new)
        return [reply for reply, _ in taken]

    def finish(self) -> RoundRecord:
        """End the round, and return its figures. Raises what Server.finish() raises; then the round goes on."""
        self.down = self.server.finish()
        done, self.now = self.now, RoundRecord(self.server.round)
        for name in self.server.left_out:
            done.rows[name]["fault"] = (
                f"its delta is more than {self.server.refuse_above:g} times as long as the median"
            )
        weight = sum(row["examples"] for row in done.rows.values() if not row["fault"])
        done.loss = sum(done.rows[name]["loss"] * done.rows[name]["examples"] for name in done.counted) / weight
        done.base = self.base_digest.hex()
        self.history.append(done)
        if self._journal is not None:
            self._begin_round()
        return done

    def tested(self, figures: dict[str, float]) -> None:
        """Add figures of a test of the newest base to the last round."""
        if self.history:
            self.history[-1].test.update(figures)

    def _checked(self, reply: DeviceReply) -> tuple[DeviceReply, bool]:
        """Add a reply to the server, and return it, with the fault where it is refused, and whether it counts anew."""
        is_new = False
        if not reply.fault:
            try:
                is_new = self.server.add(reply.device, reply.delta, reply.examples)
            except GradmoteError as error:
                reply = replace(reply, delta=b"", loss=math.nan, fault=fault_of(error))
        if is_new or reply.device not in self.now.counted:
            self._note(reply)
        return reply, is_new

    def _note(self, reply: DeviceReply) -> None:
        """Keep the figures of a reply."""
        row = {key: value for key, value in asdict(reply).items() if key not in ("device", "delta")}
        self.now.rows[reply.device] = {**row, "late": self.server.age_of(reply.device)}

    # ---- The journal

    def _begin_round(self) -> None:
        """Write the base as a checkpoint, and begin the round's journal."""
        assert self._journal is not None and self.folder is not None
        write_atomically(self.folder / f"base-{self.server.round:04}.gmck", self.server.checkpoint())
        self._journal.begin(self._snapshot())

    def _settings(self) -> dict[str, Any]:
        """Return what a journal must agree in."""
        server = self.server
        return {"image": self.image_digest.hex(), "optimizer": server.optimizer.name, "bits": server.bits,
                "clip": server.clip, "refuse_above": server.refuse_above, "cap_examples": server.cap_examples,
                "late": server.late}  # fmt: skip

    def _snapshot(self) -> bytes:
        about = {"settings": self._settings(), "history": [asdict(record) for record in self.history]}
        arrays = {**self.server.snapshot(), "down": np.frombuffer(self.down, np.uint8)}
        text = json.dumps(about).encode()
        return struct.pack("<I", len(text)) + text + npz_bytes(arrays)

    def _resume(self, records: list[bytes]) -> bool:
        """Go on from the records of a journal; return False where there are none."""
        if not records:
            return False
        size = struct.unpack_from("<I", records[0])[0]
        about = json.loads(records[0][4 : 4 + size])
        self._require_same(about["settings"])
        with np.load(io.BytesIO(records[0][4 + size :]), allow_pickle=False) as snapshot:
            self.server.restore(snapshot)
            self.down = snapshot["down"].tobytes()
        self.history = [RoundRecord(**record) for record in about["history"]]
        self.now = RoundRecord(self.server.round)
        replies = [DeviceReply.unpack(record) for record in records[1:]]
        for reply in replies:
            self._checked(reply)
        return True

    def _require_same(self, settings: dict[str, Any]) -> None:
        other = {name for name, value in self._settings().items() if settings.get(name) != value}
        if other:
            raise DataError(
                f"the journal in {self.folder} is of a federation with another {' and '.join(sorted(other))}",
                "begin again in another folder, or go on with what it was begun with",
            )
