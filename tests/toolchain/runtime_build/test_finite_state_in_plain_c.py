"""OK means a finite state in plain C too, without what is made for a processor, and with the twin's bits."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

from gradmote.errors import RuntimeFault
from gradmote_runtime import Session
from runtime_sources import runtime_sources
from support import objects
from support.finite_state import BATCH, NETWORKS, forged, image_of, is_finite, magnitudes, size_of
from support.sampling import draws

#: For each network and rule; many more each night.
DRAWS = draws("finite_draws")
RULES = [("adam", False), ("nesterov_decay", False), ("clipped", True)]
LABELS = np.arange(BATCH, dtype=np.int32)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("plain") / "follow_steps"
    command = [*objects.command_for_host("gcc", "-O1", "strict"), "-DGM_ARCH=0"]
    objects.build(command, [Path(__file__).with_name("follow_steps.c"), *runtime_sources()], made)
    return made


@pytest.mark.parametrize(("rule", "accumulate"), RULES)
@pytest.mark.parametrize("network", NETWORKS)
def test_a_step_that_succeeds_leaves_a_finite_state(network, rule, accumulate, program, tmp_path):
    image = image_of(network, rule, accumulate)
    (tmp_path / "model.mote").write_bytes(image)
    attempts, expected = zip(*(of_twin(draw, image, network) for draw in range(DRAWS)), strict=True)
    (tmp_path / "attempts.bin").write_bytes(b"".join(attempts))
    command = [program, tmp_path / "model.mote", tmp_path / "attempts.bin"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout == b"".join(expected)
    codes = {struct.unpack("<i", outcome[:4])[0] for outcome in expected}
    assert {0, -16} <= codes
    assert all(is_finite(outcome[4:], image) for outcome in expected if outcome[:4] == bytes(4))


def of_twin(draw: int, image: bytes, network: str) -> tuple[bytes, bytes]:
    """Return an attempt for the program, and its outcome here."""
    rng = np.random.default_rng(draw)
    x = magnitudes(rng, size_of(network)) if draw % 2 else rng.normal(size=size_of(network)).astype(np.float32)
    with Session(image, "strict") as session:
        checkpoint = session.save() if draw % 2 else forged(session.save(), image, rng)
        session.load(checkpoint)
        code = update(session, x)
        attempt = struct.pack("<I", len(checkpoint)) + checkpoint + x.tobytes() + LABELS.tobytes()
        return attempt, struct.pack("<i", code) + bytes(session.state())


def update(session: Session, x: np.ndarray) -> int:
    try:
        if "step" in session.requirements()["programs"]:
            session.step(x, LABELS)
        else:
            session.train_step(x, LABELS)
            session.optimizer_step()
    except RuntimeFault as fault:
        return fault.code
    return 0
