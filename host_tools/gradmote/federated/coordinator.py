"""The rounds of a federation, over any transport: tasks, replies, metrics, and recovery after a crash."""

from __future__ import annotations

import hashlib
import io
import json
import math
import secrets
import struct
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..data.array_files import npz_bytes
from ..errors import DataError, GradmoteError
from ..formats.files import make_folder, write_atomically
from .fleet import fault_of
from .journal import Journal
from .privacy import KEY_BYTES, GaussianNoise
from .replies import DeviceReply, DeviceTest
from .server import CAP_EXAMPLES, REFUSE_ABOVE, Server
from .server_optimizers import ServerOptimizer
from .summary import SumRequest
from .task import RoundTask

#: An owner of some devices' deltas: a fleet, or a node.
_Owner = TypeVar("_Owner")


@dataclass
class RoundRecord:
    """The figures of one round.

    Attributes:
        round: Its number.
        base: The SHA-256 of the base that it led to, in hexadecimal; empty until the round has ended.
        loss: The mean of the devices' training losses, weighted by their examples.
        test: The figures from tests of the new base by name, such as accuracy.
        rows: The devices that answered: name -> examples, loss, seconds, bytes_up, bytes_down, fault,
            and late, the number of rounds by which its delta was late.
        tests: The devices that tested the new base on their own samples: name -> examples, loss,
            accuracy and fault.
    """

    round: int
    base: str = ""
    loss: float = math.nan
    test: dict[str, float] = field(default_factory=dict)
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    tests: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def counted(self) -> list[str]:
        """Return the devices whose delta counted."""
        return [name for name, row in self.rows.items() if not row["fault"]]

    def total(self, name: str) -> float:
        """Return the sum of one figure over all devices."""
        return sum(row[name] for row in self.rows.values())


class Coordinator:
    """A server with its journal: its task for each round, and the replies received.

    If the server takes sums, gateways keep the deltas of their devices; then call `gather()` before `finish()`.

    Attributes:
        server: The base and the sums.
        down: The delta that led to the base; empty in round 0.
        now: The figures of the current round.
        history: The figures of all finished rounds.
        sampling_key: A secret from which `poisson_sample()` may draw who takes part. The journal contains it.
    """

    def __init__(
        self, image: bytes, optimizer: ServerOptimizer | None = None, bits: int = 8, clip: bool = True,
        folder: Path | None = None, refuse_above: float | None = REFUSE_ABOVE,
        cap_examples: float | None = CAP_EXAMPLES, late: int = 0, sums: bool = False,
        privacy: GaussianNoise | None = None,
    ) -> None:  # fmt: skip
        """Begin, or continue from the journal in the folder.

        image, optimizer, bits, clip, refuse_above, cap_examples, late, sums, privacy: as for Server. folder: for the
        journal, and a checkpoint of each round's base (base-0000.gmck); without it, nothing outlives this
        process. Raises DataError if the journal is for another image or other settings.
        """
        self.image = bytes(image)
        self.server = Server(image, optimizer, bits, clip, refuse_above, cap_examples, late, sums, privacy)
        self.image_digest = hashlib.sha256(self.image).digest()
        self.down, self.history, self.now = b"", list[RoundRecord](), RoundRecord(0)
        self.sampling_key = secrets.token_bytes(KEY_BYTES)
        self.folder = make_folder(folder) if folder is not None else None
        self._journal = Journal(folder / "journal") if folder is not None else None
        if self._journal is not None and self._resume(self._journal.read()):
            self._write_base()
        elif self._journal is not None:
            self._begin_round()

    @property
    def base_digest(self) -> bytes:
        """Return the SHA-256 of the base."""
        return hashlib.sha256(self.server.base).digest()

    def task(self, devices: Collection[str] | None = None, **settings: Any) -> RoundTask:
        """Return the task for devices in this round. settings: bits, shared, epochs, seed, deadline_s."""
        server, names = self.server, None if devices is None else tuple(sorted(devices))
        base = (self.image_digest, server.round, self.base_digest, server.checkpoint(), self.down)
        return RoundTask(*base, devices=names, sums=server.sums, **settings)

    def take(self, replies: Iterable[DeviceReply]) -> list[DeviceReply]:
        """Count good replies, and return all replies; those that the server refuses get a fault.

        A device counts once, so a repeated reply changes nothing. When this returns, the counted replies are
        on disk.
        """
        taken = [self._checked(reply) for reply in replies]
        new = [reply for reply, is_new in taken if is_new]
        if self._journal is not None and new:
            self._journal.append(reply.pack() for reply in new)
        return [reply for reply, _ in taken]

    def gather(
        self, task: RoundTask, owners: Mapping[_Owner, Collection[str]],
        ask: Callable[[dict[_Owner, SumRequest]], Mapping[_Owner, bytes | GradmoteError]],
    ) -> None:  # fmt: skip
        """Get the sums of the deltas that gateways keep.

        task: the round's task. owners: each owner, such as a RemoteFleet, with the devices whose deltas it may have.
        ask: a function that asks owners, and returns the sum of each, or the error if there is none. The devices of
        an owner with an error get it as their fault; then all other owners are asked again, because weights have
        changed.
        """
        while missing := self.server.missing():
            weights, requests = self.server.weights(), dict[_Owner, SumRequest]()
            for owner, names in owners.items():
                own = {name: weights[name] for name in sorted(missing.intersection(names))}
                missing.difference_update(own)
                if own:
                    requests[owner] = SumRequest(task.key, own)
            self._forget(missing, "its gateway is gone, and its delta with it")
            if not missing:
                self._take_sums(requests, ask(requests))

    def _take_sums(
        self, requests: Mapping[_Owner, SumRequest], answers: Mapping[_Owner, bytes | GradmoteError]
    ) -> None:
        """Pass the sums to the server, or forget the devices without one."""
        found = {owner: answers.get(owner, DataError("its gateway sent no sum")) for owner in requests}
        faults = {owner: answer for owner, answer in found.items() if isinstance(answer, GradmoteError)}
        for owner, error in faults.items():
            self._forget(requests[owner].weights, fault_of(error))
        for owner, answer in found.items() if not faults else ():
            try:
                self.server.add_sum(requests[owner].weights, answer)  # type: ignore[arg-type]
            except GradmoteError as error:
                self._forget(requests[owner].weights, fault_of(error))
                return

    def _forget(self, devices: Iterable[str], fault: str) -> None:
        """Treat devices of this round as if they had sent nothing."""
        for name in devices:
            self.server.forget(name)
            self.now.rows[name].update(fault=fault, loss=math.nan)

    def finish(self) -> RoundRecord:
        """End the round, and return its figures. Raises the errors of Server.finish(); the round then stays open."""
        self.down = self.server.finish()
        done, self.now = self.now, RoundRecord(self.server.round)
        for name in self.server.left_out:
            done.rows[name]["fault"] = (
                f"its delta is more than {self.server.refuse_above:g} times as long as the median"
            )
        weight = sum(row["examples"] for row in done.rows.values() if not row["fault"])
        loss = sum(done.rows[name]["loss"] * done.rows[name]["examples"] for name in done.counted)
        done.loss = loss / weight if weight else math.nan
        done.base = self.base_digest.hex()
        self.history.append(done)
        if self._journal is not None:
            self._begin_round()
        return done

    def tested(self, figures: Mapping[str, float], tests: Iterable[DeviceTest] = ()) -> None:
        """Add test figures of its base, and tests on devices, to the last round."""
        if self.history:
            self.history[-1].test.update(figures)
            for test in tests:
                self.history[-1].tests[test.device] = {k: v for k, v in asdict(test).items() if k != "device"}

    def _checked(self, reply: DeviceReply) -> tuple[DeviceReply, bool]:
        """Add a reply to the server; return (the reply, with a fault if it is refused; whether it is new)."""
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
        """Record the figures of a reply."""
        row = {key: value for key, value in asdict(reply).items() if key not in ("device", "delta")}
        self.now.rows[reply.device] = {**row, "late": self.server.age_of(reply.device)}

    # ---- The journal

    def _begin_round(self) -> None:
        """Begin the round's journal, and write the base as a checkpoint.

        The journal comes first, so that the server continues from any base that somebody may have seen. With privacy,
        a second base would add other noise to the same sum, and the two together reveal more than one.
        """
        assert self._journal is not None
        self._journal.begin(self._snapshot())
        self._write_base()

    def _write_base(self) -> None:
        assert self.folder is not None
        write_atomically(self.folder / f"base-{self.server.round:04}.gmck", self.server.checkpoint())

    def _settings(self) -> dict[str, Any]:
        """Return the settings that a journal must match."""
        server, privacy, rule = self.server, self.server.privacy, self.server.optimizer
        return {"image": self.image_digest.hex(), "optimizer": [rule.name, *rule.settings], "bits": server.bits,
                "clip": server.clip, "refuse_above": server.refuse_above, "cap_examples": server.cap_examples,
                "late": server.late, "privacy": privacy and asdict(privacy)}  # fmt: skip

    def _snapshot(self) -> bytes:
        about = {"settings": self._settings(), "history": [asdict(record) for record in self.history],
                 "sampling_key": self.sampling_key.hex()}  # fmt: skip
        arrays = {**self.server.snapshot(), "down": np.frombuffer(self.down, np.uint8)}
        text = json.dumps(about).encode()
        return struct.pack("<I", len(text)) + text + npz_bytes(arrays)

    def _resume(self, records: list[bytes]) -> bool:
        """Continue from the records of a journal; return False if there are none."""
        if not records:
            return False
        size = struct.unpack_from("<I", records[0])[0]
        about = json.loads(records[0][4 : 4 + size])
        self._require_same(about["settings"])
        with np.load(io.BytesIO(records[0][4 + size :]), allow_pickle=False) as snapshot:
            self.server.restore(snapshot)
            self.down = snapshot["down"].tobytes()
        self.sampling_key = bytes.fromhex(about.get("sampling_key", self.sampling_key.hex()))
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
                "start again in another folder, or go on with the journal's settings",
            )
