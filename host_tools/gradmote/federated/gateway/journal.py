"""The memory of a gateway for the current round: the task, and the deltas that it has taken from devices.

The file has the records of federated/journal.py. The first byte of a body is its kind. The first record is the task;
a new round replaces the file. A record counts once its bytes are on disk.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ...formats.files import AppendedFile, make_folder, write_atomically
from ..journal import packed, records

_TASK, _TRAINED, _TAKEN = b"t", b"r", b"d"


@dataclass(frozen=True)
class Trained:
    """The record of a device that has trained for the task, and has still to send its delta.

    updates: the device's count of updates, which shows whether it still has what it learned.
    """

    device: str
    updates: int
    examples: int
    loss: float
    seconds: float


class Journal:
    """The journal of one gateway, in a folder that no other process uses at the same time.

    Attributes:
        task: The identity of the current task; empty before the first one.
        trained: The devices that have trained for it.
        taken: The bytes of the reply of each device whose delta was taken.
    """

    def __init__(self, folder: Path) -> None:
        """Read the existing journal. Raises OutputError if the folder is not writable, or another process uses it."""
        self._path = make_folder(folder) / "round"
        self._lock = AppendedFile(folder / "lock", alone=True)
        self._forget(b"")
        self._file = AppendedFile(self._path)
        whole = 0
        for end, body in records(self._file.read()):
            self._note(body)
            whole = end
        self._file.truncate(whole)

    def _forget(self, task: bytes) -> None:
        self.task, self.trained, self.taken = task, dict[str, Trained](), dict[str, bytes]()

    def _note(self, body: bytes) -> None:
        kind, rest = body[:1], body[1:]
        if kind == _TASK:
            self._forget(rest)
        elif kind == _TRAINED:
            done = Trained(**json.loads(rest))
            self.trained[done.device] = done
        elif kind == _TAKEN:
            size = rest[0]
            self.taken[rest[1 : 1 + size].decode()] = rest[1 + size :]

    def begin(self, task: bytes) -> None:
        """Begin a task, and discard everything about the previous one."""
        write_atomically(self._path, packed(_TASK + task))
        self._file.close()
        self._file = AppendedFile(self._path)
        self._forget(task)

    def note_trained(self, done: Trained) -> None:
        """Record that a device has trained."""
        self._append(_TRAINED + json.dumps(asdict(done)).encode())

    def take(self, device: str, reply: bytes) -> None:
        """Record a device's reply, which answers every later request for the same task."""
        name = device.encode()
        self._append(_TAKEN + bytes([len(name)]) + name + reply)

    def _append(self, body: bytes) -> None:
        self._file.append(packed(body))
        self._note(body)

    def close(self) -> None:
        """Close the files, so that another process can use them."""
        self._file.close()
        self._lock.close()
