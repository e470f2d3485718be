"""docs/EXAMPLE_IMAGE.md shows the image that the compiler makes, and what a step of it does."""

from __future__ import annotations

import re

import numpy as np
from numeric.spec.example_image import PAGE, example, page
from numeric.spec.execute import Machine
from numeric.spec.verify import error_of

from gradmote import Session

#: What the page trains on, and the result that it gives.
X, TARGET = np.array([[1, 2]], np.float32), np.array([[1]], np.float32)
TRAINED = [0.75, 0.25]


def test_the_dump_is_not_stale() -> None:
    text = PAGE.read_text()
    assert page(text) == text, "`./run scons accept ONLY=image` writes docs/EXAMPLE_IMAGE.md anew"


def test_the_dump_has_every_byte() -> None:
    rows = re.findall(r"^([0-9a-f]{4})  ((?:[0-9a-f]{8} ?)+)", PAGE.read_text(), re.MULTILINE)
    written = b""
    for offset, words in rows:
        assert int(offset, 16) == len(written)
        written += bytes.fromhex(words)
    assert written == example() and error_of(written) == "OK"


def test_the_step_does_what_the_page_says(profile: str) -> None:
    machine = Machine(example(), profile)
    machine.write("INPUT", X)
    machine.write("LABEL", TARGET)
    assert machine.run("STEP") == "OK" and machine.loss("STEP") == 1
    with Session(example(), profile) as session:
        assert session.step(X, TARGET) == 1
        assert session.state_sha256() == machine.digest()
    assert machine.arena[:8].view(np.float32).tolist() == TRAINED
    assert machine.digest() in PAGE.read_text()
