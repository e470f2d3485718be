"""The wheels of build/dist, which `./run dist` makes, in the Pythons that are here: native, emulated and Windows'."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dist import arm64, wine
from dist.commands import OUT, WORK, run
from dist.commands import Missing as NotHere
from dist.foreign import install
from dist.trials import SAME_STATE, VERSIONS, find_python

from .row import Missing, Row

Train = Callable[[Path, Path, int, str], str]


def row(name: str, tag: str, profile: str, train: Train) -> Row:
    """Return the row of a wheel. train(wheel, model, steps, profile) returns what the trial printed."""

    def digest(model: Path, steps: int) -> str:
        wheel = next(OUT.glob(f"gradmote-*{tag}*.whl"), None)
        if wheel is None:
            raise Missing(f"wheel of {tag}: ./run dist")
        try:
            return train(wheel, model, steps, profile).split()[-1]
        except NotHere as missing:
            raise Missing(str(missing)) from missing

    return Row(name, profile, digest)


def native(version: str) -> Train:
    """Return what trains the wheel for this computer in a Python of this version."""

    def train(wheel: Path, model: Path, steps: int, profile: str) -> str:
        interpreter = find_python(version)
        packages = install(wheel, WORK / "packages" / version, version, "manylinux2014_x86_64")
        return run([interpreter, SAME_STATE, model, steps, profile], WORK, PYTHONPATH=str(packages))

    return train


PLACES: list[tuple[str, str, Train]] = [
    *((f"wheel, CPython {version}", "manylinux*x86_64", native(version)) for version in VERSIONS),
    ("wheel, aarch64 (qemu)", "aarch64", arm64.run_wheel),
    ("wheel, Windows (wine)", "win_amd64", wine.run_wheel),
]

ROWS = [row(*place[:2], profile, place[2]) for place in PLACES for profile in ("fused", "strict")]
