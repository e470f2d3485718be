"""The server of a federation: it has the base, takes deltas from devices, and makes the next base."""

from __future__ import annotations

import glob
import hashlib
import json
import math
import statistics
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradmote_runtime import Session

from ..errors import DataError
from ..formats.checkpoint import STATE_TYPES
from ..formats.delta import moved, read_delta
from ..formats.parameters import parameter_elements, parameter_entries
from ..formats.records import size_of, unpack
from .delta_sum import EXAMPLE_PARTS, DeltaSum
from .privacy import GaussianNoise
from .replies import MOST_EXAMPLES
from .server_optimizers import ServerOptimizer, fedavg
from .summary import DeltaSummary, is_summary

#: By default a server leaves out a delta that is more than this many times as long as the round's median.
REFUSE_ABOVE = 5.0
#: By default a delta counts for at most this many times the median of the round's examples.
CAP_EXAMPLES = 10.0
#: The most rounds by which a delta may be late.
MOST_LATE = 100
#: How much longer than it is a sum may seem, because lengths are rounded.
ROUNDING = 2.0**-20
#: With privacy, noise on a parameter that only some devices sent would show which ones did.
_WHOLE = "with privacy, each device shares all parameters: leave `shared` out"


@dataclass(frozen=True)
class _Received:
    """A delta of this round: its SHA-256, its bytes, the number of its base, its norm, and its examples.

    data is empty if a gateway keeps the delta, and will send the sum of several.
    """

    digest: bytes
    data: bytes
    round: int
    norm: float
    examples: int


class Server:
    """The base of a federation, and the deltas of the current round.

    Weights are integers and sums exact, so the next base has the same bits in whatever order deltas arrive.
    Whatever the delta that goes down loses in quantization is added to the next one.

    image: the compiled model of all devices. optimizer: the rule for the mean of all deltas. bits: of a number that
    goes down to the devices, 2, 4 or 8. clip: shorten a delta whose norm is above the median of the round (over norms
    above 0) to that median, so that no device can pull the model away. refuse_above: leave out a delta whose norm is
    more than this many times that median, 1 or more; None leaves out none. cap_examples: count a delta for at most
    this many times the median of the round's examples, 1 or more; None believes each device. late: by how many rounds
    a delta may be late, 0 .. MOST_LATE; its examples then count 1 / sqrt(1 + rounds) times. sums: take summaries of
    deltas that gateways keep, and their sums before finish(). The base is the same; the server believes a gateway
    about its devices' norms. privacy: clip each delta to a fixed norm instead, weigh all the same, and add noise;
    this turns off all rules that depend on all deltas or examples, and a round without deltas ends too, with only
    noise.
    """

    def __init__(
        self, image: bytes, optimizer: ServerOptimizer | None = None, bits: int = 8, clip: bool = True,
        refuse_above: float | None = REFUSE_ABOVE, cap_examples: float | None = CAP_EXAMPLES, late: int = 0,
        sums: bool = False, privacy: GaussianNoise | None = None,
    ) -> None:  # fmt: skip
        """Open the image; the base of round 0 is its initial parameters. Raises DataError for an impossible setting."""
        _require_bound("refuse_above", refuse_above)
        _require_bound("cap_examples", cap_examples)
        if not 0 <= late <= MOST_LATE:
            raise DataError(f"deltas {late} rounds late", f"give 0 to {MOST_LATE}")
        self.privacy = privacy
        if privacy is not None:
            _require_no_other_rule(clip, refuse_above, cap_examples, late)
            refuse_above = cap_examples = None
        self.optimizer, self.bits, self.clip, self.refuse_above = optimizer or fedavg(), bits, clip, refuse_above
        self.cap_examples, self.late, self.sums = cap_examples, late, sums
        #: The devices that the last round left out because their deltas were too long; sorted.
        self.left_out: list[str] = []
        self._session = Session(image)
        state = parameter_entries(image)
        self._types = [STATE_TYPES[entry["dtype"]] for entry in state]
        self._places = [slice(entry["offset"], entry["offset"] + entry["size"]) for entry in state]
        self.elements = parameter_elements(image)
        self._slots = [np.zeros((self.optimizer.slots, n)) for n in self.elements]
        self._lost = [np.zeros(n) for n in self.elements]
        self._received: dict[str, _Received] = {}
        #: The sums that gateways made of deltas that they keep, each with its devices.
        self._sums: list[tuple[frozenset[str], DeltaSum]] = []
        self._image = bytes(image)
        #: The checkpoints of the bases before this one, newest first; at most `late` of them.
        self._earlier: list[bytes] = []
        #: The round of each device's newest delta from an earlier round, as long as it could arrive again.
        self._newest: dict[str, int] = {}

    @property
    def round(self) -> int:
        """Return the number of the round."""
        return self._session.round

    @property
    def base(self) -> bytes:
        """Return the base of the round: all parameters, as in Session.parameters()."""
        return bytes(self._session.parameters().cast("B"))

    @property
    def devices(self) -> list[str]:
        """Return the devices whose delta has arrived in this round, sorted."""
        return sorted(self._received)

    def checkpoint(self) -> bytes:
        """Return a checkpoint with the base as its parameters, for a new device, or for an export."""
        return self._session.save()

    def parameters(self) -> dict[str, np.ndarray]:
        """Return each parameter of the base by its name, in the ONNX model's shape."""
        return {name: np.array(self._session.parameter(name)) for name in self._session.parameter_names()}

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return everything that the next rounds depend on, except the deltas of this one."""
        checkpoint = np.frombuffer(self.checkpoint(), np.uint8)
        slots, lost = np.concatenate(self._slots, axis=1), np.concatenate(self._lost)
        earlier = np.frombuffer(b"".join(self._earlier), np.uint8).reshape(-1, len(checkpoint))
        newest = np.frombuffer(json.dumps(self._newest).encode(), np.uint8)
        return {"checkpoint": checkpoint, "round": np.array(self.round), "slots": slots, "lost": lost,
                "earlier": earlier, "newest": newest}  # fmt: skip

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Continue from a snapshot of a server with the same image and optimizer. Raises DataError for another one."""
        ends, slots, lost = np.cumsum(self.elements)[:-1], snapshot["slots"], snapshot["lost"]
        if slots.shape != (self.optimizer.slots, sum(self.elements)) or lost.shape != slots.shape[1:]:
            raise DataError("the snapshot is of another server", "use the image and the optimizer that it had")
        self._session.load(snapshot["checkpoint"].tobytes())
        self._session.begin_round(int(snapshot["round"]))
        self._slots, self._lost, self._received = np.split(slots, ends, axis=1), np.split(lost, ends), {}
        self._earlier = [row.tobytes() for row in snapshot["earlier"]]
        self._newest = json.loads(snapshot["newest"].tobytes())

    def add(self, device: str, delta: bytes, examples: int) -> bool:
        """Take a device's delta, and return whether it was new. The same delta of the same device counts once.

        A device counts once in a round, with the newest of its deltas, and no delta counts in two rounds. delta: its
        bytes, or the summary of one that a gateway keeps. examples: the number trained on, 1 .. 2^20, which is the
        delta's weight. Raises RuntimeFault if the delta is damaged, for another model, round or base, or not finite,
        and DataError if the summary is damaged or for another base, the device sent another delta before, or the
        number of examples is impossible.
        """
        summary = DeltaSummary.unpack(delta) if is_summary(delta) else None
        digest = hashlib.sha256(delta).digest() if summary is None else summary.digest
        known = self._received.get(device)
        if known is not None and known.digest == digest:
            return False
        age = self._age(delta) if summary is None else 0
        number = self.round - age
        if number <= (known.round if known is not None else self._newest.get(device, -1)):
            raise DataError(f"{device} sent two deltas in round {number}", "each device sends one a round")
        if not 1 <= examples <= MOST_EXAMPLES:
            raise DataError(f"{device} trained on {examples} examples", f"a delta counts from 1 to {MOST_EXAMPLES}")
        norm = self._checked_norm(device, delta, age) if summary is None else self._norm_of(summary)
        data = bytes(delta) if summary is None else b""
        self._received[device], self._sums = _Received(digest, data, number, norm, examples), []
        return True

    def _checked_norm(self, device: str, delta: bytes, age: int) -> float:
        """Check a delta, and return its norm."""
        self._check(delta, age)
        content = read_delta(delta, self.elements)
        if self.privacy is not None and not all(content.exponents):
            raise DataError(f"the delta of {device} lacks parameters", _WHOLE)
        return content.norm

    def _norm_of(self, summary: DeltaSummary) -> float:
        """Return the norm of a delta that a gateway keeps. Raises DataError if sums are off, or its base differs."""
        if not self.sums:
            raise DataError("a summary came instead of a delta", "send the delta, or let the server take sums")
        if summary.round != self.round or summary.base_digest != hashlib.sha256(self.base).digest():
            raise DataError(
                f"a summary of round {summary.round}, or of another base", "a gateway does not add up late deltas"
            )
        return summary.norm

    # ---- Deltas that gateways keep

    def weights(self) -> dict[str, int]:
        """Return the weight of each delta that a gateway keeps and that counts, by its device.

        The weights change with each new delta. Gateways add up their deltas with them (`SumRequest`).
        """
        kept = [name for name, sent in self._received.items() if not sent.data]
        weights = self._weights()[0] if kept else {}
        return {name: weights[name] for name in kept if weights.get(name)}

    def missing(self) -> set[str]:
        """Return the devices whose delta counts, but is not in any sum yet."""
        return set(self.weights()).difference(*(names for names, _ in self._sums))

    def add_sum(self, devices: Collection[str], data: bytes) -> None:
        """Take the sum of the deltas of some devices, with the weights of `weights()`.

        A delta that arrives later changes the weights, so that all sums have to be requested again. Raises DataError
        if the bytes are not a sum of that weight, or are longer than these deltas can be.
        """
        total, weights, names = DeltaSum.unpack(data, self.elements), self.weights(), frozenset(devices)
        if not names or not names <= self.missing():
            raise DataError("a sum of devices that the server does not wait for", "ask for the sums again")
        weight = sum(weights[name] for name in names)
        if max(total.weights, default=0) > weight:
            raise DataError(
                f"a sum weighs more than its deltas, {weight}", "install the same version for gateway and server"
            )
        longest = math.fsum(weights[name] * self._received[name].norm for name in names)
        if total.norm() > longest * (1 + ROUNDING):
            raise DataError("a sum is longer than all its deltas together", "look at the gateway that made it")
        if self.privacy is not None and min(total.weights, default=0) < weight:
            raise DataError("a sum lacks parameters of a delta", _WHOLE)
        self._sums.append((names, total))

    def forget(self, device: str) -> None:
        """Treat a device of this round as if it had sent nothing, because its gateway does not supply its delta."""
        if self._received.pop(device, None) is not None:
            self._sums = []

    def age_of(self, device: str) -> int:
        """Return by how many rounds the delta that a device sent in this round is late; 0 if it sent none."""
        return self.round - self._received[device].round if device in self._received else 0

    def _age(self, delta: bytes) -> int:
        """Return by how many rounds a delta says it is late; 0 if that is more than allowed, to be refused."""
        if len(delta) < size_of("delta_header"):
            return 0
        age = self.round - int(unpack("delta_header", delta)["round"])
        return age if 0 < age <= len(self._earlier) else 0

    def _check(self, delta: bytes, age: int) -> None:
        """Raise RuntimeFault if a delta is not for the base `age` rounds ago, or not finite at the current one."""
        if not age:
            self._session.check_delta(delta)
            return
        with Session(self._image) as earlier:
            earlier.load(self._earlier[age - 1])
            earlier.begin_round(self.round - age)
            earlier.check_delta(delta)
        base, crc = self.base, 0
        for place, exponent in zip(self._places, read_delta(delta, self.elements).exponents):
            crc = zlib.crc32(base[place], crc) if exponent else crc
        self._session.check_delta(moved(delta, self.round, crc))

    def finish(self) -> bytes:
        """End the round, and return the delta for all devices, which leads to the base of the next one.

        Raises DataError if there is no delta or a sum is missing, and RuntimeFault (NOT_FINITE) if the next base
        would not be finite. The round then stays open, unchanged.
        """
        if self.missing():
            raise DataError(
                f"no sum includes the delta of {min(self.missing())}", "ask the gateways, or forget() the device"
            )
        weights, left_out = self._weights()
        total, slots = self._total(weights), [kept.copy() for kept in self._slots]
        base = [np.frombuffer(self.base[place], kind) for place, kind in zip(self._places, self._types)]
        means, shares = self._means(total)
        wanted = [
            old + self.optimizer.rule(slots[index], means[index]) + self._lost[index] if weight else old
            for index, (old, weight) in enumerate(zip(base, shares))
        ]
        before = self.checkpoint()
        down = self._step_to(wanted, shares)
        self._remember(before)
        now = [np.frombuffer(self.base[place], kind) for place, kind in zip(self._places, self._types)]
        self._slots, self._received, self._sums, self.left_out = slots, {}, [], left_out
        self._lost = [
            aim.astype(np.float64) - new if weight else lost
            for aim, new, weight, lost in zip(wanted, now, shares, self._lost)
        ]
        return down

    def _remember(self, checkpoint: bytes) -> None:
        """Keep what late deltas need: the base of the finished round, and which devices' deltas arrived."""
        self._earlier = [checkpoint, *self._earlier][: self.late]
        newest = self._newest | {name: sent.round for name, sent in self._received.items()}
        self._newest = {name: number for name, number in newest.items() if number >= self.round - len(self._earlier)}

    def _median_norm(self) -> float:
        """Return the median of this round's norms above 0, or 0 if there is none."""
        if not self._received:
            raise DataError(f"no device has sent a delta in round {self.round}", "add() at least one")
        # A device that learned nothing must not limit the others.
        return statistics.median([sent.norm for sent in self._received.values() if sent.norm] or [0.0])

    def _too_long(self, limit: float) -> list[str]:
        """Return the devices whose delta is left out; never all, because some norm is at most the median."""
        if self.refuse_above is None:
            return []
        return [name for name in self.devices if self._received[name].norm > self.refuse_above * limit]

    def _weights(self) -> tuple[dict[str, int], list[str]]:
        """Return the weight of each delta that counts, and the devices that are left out."""
        if self.privacy is not None:
            return {name: self.privacy.weight(sent.norm) for name, sent in self._received.items()}, []
        limit, most = self._median_norm(), self._most_examples()
        left_out = self._too_long(limit)
        weights = {
            name: int(self._examples(sent, most) * EXAMPLE_PARTS * self._part(sent, limit))
            for name, sent in self._received.items()
            if name not in left_out
        }
        return weights, left_out

    def _part(self, sent: _Received, limit: float) -> float:
        """Return the part of its length that a delta keeps if clip is set."""
        return limit / sent.norm if self.clip and sent.norm > limit else 1.0

    def _total(self, weights: Mapping[str, int]) -> DeltaSum:
        """Return the sum of all deltas with their weights."""
        total, here = DeltaSum(self.elements), [name for name in weights if self._received[name].data]
        total.add_files([self._received[name].data for name in here], [weights[name] for name in here])
        for _, part in self._sums:
            total.merge(part)
        return total

    def _means(self, total: DeltaSum) -> tuple[list[np.ndarray], list[int]]:
        """Return the mean of each parameter, and its weight, which is 0 if no delta contains it."""
        if self.privacy is not None:
            return self.privacy.noised_means(total), [1] * len(self.elements)
        return [total.mean(index) for index in range(len(self.elements))], total.weights

    def _most_examples(self) -> float:
        """Return the most examples for which a delta of this round counts."""
        if self.cap_examples is None:
            return math.inf
        return self.cap_examples * statistics.median(sent.examples for sent in self._received.values())

    def _examples(self, sent: _Received, most: float) -> float:
        """Return the examples for which a delta counts: fewer if it is late, because its base is an older one."""
        return min(sent.examples, most) / math.sqrt(1 + self.round - sent.round)

    def _step_to(self, wanted: list[np.ndarray], weights: list[int]) -> bytes:
        """Make the base the nearest one that a delta can reach, and return that delta."""
        base, aim = self.base, bytearray(self.base)
        for place, kind, values in zip(self._places, self._types, wanted):
            aim[place] = stored(values, kind).tobytes()
        names = [glob.escape(n) for n, weight in zip(self._session.parameter_names(), weights) if weight]
        parameters = self._session.parameters().cast("B")
        try:
            parameters[:] = aim
            down = self._session.round_delta(self.bits, seed=0, shared=names)
        finally:
            parameters[:] = base
        self._session.end_round(down)
        return down


def _require_bound(name: str, bound: float | None) -> None:
    """Raise DataError if a multiple of a median would refuse half of all devices, or is not a number."""
    if bound is not None and not 1 <= bound < math.inf:
        raise DataError(f"{name} is {bound}", "give a finite number from 1 on, such as 3, or None")


def _require_no_other_rule(clip: bool, refuse_above: float | None, cap_examples: float | None, late: int) -> None:
    """Raise DataError for a rule that would reveal something about devices, or that privacy replaces."""
    bounded = "leave it out: the clipping norm bounds each delta, and all have the same weight"
    if not clip:
        raise DataError("clip=False with privacy", bounded)
    if refuse_above not in (None, REFUSE_ABOVE):
        raise DataError(f"refuse_above={refuse_above} with privacy", bounded)
    if cap_examples not in (None, CAP_EXAMPLES):
        raise DataError(f"cap_examples={cap_examples} with privacy", bounded)
    if late:
        raise DataError(f"late={late} with privacy", "leave it out: only devices that a round drew may count in it")


def stored(values: np.ndarray, kind: np.dtype[Any]) -> np.ndarray:
    """Return numbers in the type of a parameter: integers are rounded, and kept within their bounds."""
    if kind.kind == "f":
        with np.errstate(over="ignore"):  # the runtime refuses what is not finite
            return values.astype(kind)
    limits = np.iinfo(kind)
    return np.clip(np.rint(values), limits.min, limits.max).astype(kind)
