"""The garbage collector may end sessions in any order of their parts.

Pointers to inputs were made of memoryviews, and several Pythons clear a memoryview of a cycle while something else has
its buffer: BufferError first, and a crash of the interpreter somewhere else.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gradmote import optimizers
from gradmote_runtime import session as module
from support import digits

PROGRAM = """
import gc, random, sys
from gradmote.errors import GradmoteError
from gradmote_runtime import Session

image, kept = open(sys.argv[1], "rb").read(), []
class Box: pass
for turn in range(1200):
    if turn % 400 == 0:
        chance = random.Random(turn)
    gc.set_threshold(chance.choice([1, 3, 10, 50, 700]), chance.choice([1, 2, 10]), chance.choice([1, 2, 10]))
    box, other, session = Box(), Box(), Session(image, "strict")
    box.other, other.box, box.session, session.box = other, box, session, box
    try:
        session.load(b"no checkpoint")
    except GradmoteError as error:
        box.error = error
        kept.append(chance.choice([error, box]))
    if len(kept) > 5:
        kept.pop(chance.randrange(len(kept)))
    del box, other, session
    if chance.random() < 0.2:
        gc.collect(chance.randrange(3))
print("fine")
"""


def test_any_part_may_go_first(tmp_path: Path) -> None:
    path = tmp_path / "model.mote"
    path.write_bytes(digits.image(optimizers.sgd(0.1), 2))
    done = subprocess.run([sys.executable, "-c", PROGRAM, path], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "fine\n", "")


def test_no_pointer_is_made_of_a_memoryview(monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds for any call: a pointer and its memoryview may both be in the frame of an error that is kept."""

    class Watched:
        def __init__(self, ffi: Any) -> None:
            self.ffi = ffi

        def __getattr__(self, name: str) -> Any:
            return getattr(self.ffi, name)

        def from_buffer(self, data: Any) -> Any:
            assert not isinstance(data, memoryview)
            return self.ffi.from_buffer(data)

    loaded = {p: module.load(p) for p in ("fused", "strict")}
    watched = {p: SimpleNamespace(ffi=Watched(m.ffi), lib=m.lib) for p, m in loaded.items()}
    monkeypatch.setattr(module, "load", watched.__getitem__)
    image = digits.image(optimizers.sgd(0.1), 2)
    for form in (image, bytearray(image), memoryview(image), image[:-4] + image[-4:]):
        with module.Session(form, "strict", threads=2) as session:
            session.step(*digits.batches(2, 1)[0])
            session.set_parameters(np.array(session.parameters()))
            session.apply_delta(np.frombuffer(session.delta(), np.float32))
            kept = session.save()
            session.load(memoryview(kept))
            session.carry_over(bytearray(kept))
            session.begin_round(1)
            session.step(*digits.batches(2, 1)[0])
            session.check_delta(session.round_delta(8, 0))
