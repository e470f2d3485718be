"""Train somewhere, and compare the state with that of the checkout's twin."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from runtime_sources import PROFILES, ROOT

from .commands import WORK, Failed, python

STEPS = 100
#: Trains a model for some steps in a profile; what it prints ends in the SHA-256 of the state.
Train = Callable[[Path, int, str], str]


def compared(train: Train, profiles: Iterable[str] = PROFILES) -> str:
    """Train with `train(model, steps, profile)` in each profile, and compare with the checkout. Raises Failed."""
    for profile in profiles:
        digest = train(model(), STEPS, profile).split()[-1]
        wanted = expected(profile)
        if digest != wanted:
            raise Failed(f"{profile}: the state's SHA-256 is {digest}, not {wanted}")
    return "same state"


def model() -> Path:
    """Return the path of the model in the table of bindings."""
    path = WORK / "model.mote"
    if not path.exists():
        in_checkout("from pathlib import Path; from bindings import same_state as s; s.write_model(Path(sys.argv[1]))", WORK)
    return path


def expected(profile: str) -> str:
    """Return the SHA-256 of the state of the checkout's twin."""
    program = "from bindings import same_state as s; print(s.expected(sys.argv[1], int(sys.argv[2])))"
    return in_checkout(program, profile, STEPS).split()[-1]


def in_checkout(program: str, *arguments: object) -> str:
    path = os.pathsep.join(str(ROOT / folder) for folder in ("tests", "site_scons", "host_tools", "bindings/python"))
    return python("-c", f"import sys; {program}", *arguments, folder=ROOT / "tests", PYTHONPATH=path)
