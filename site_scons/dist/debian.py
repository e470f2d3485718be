"""Debian's packages in a folder, which apt fetches without installing them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .commands import run


def unpacked(packages: Iterable[str], folder: Path, architecture: str) -> Path:
    """Return a folder with the files of packages for an architecture. Fetches them only once."""
    root, complete = folder / "root", folder / "unpacked"
    current = " ".join(sorted(packages))
    if not (complete.exists() and complete.read_text() == current):
        fetched = folder / "fetched"
        for part in (fetched, root, folder / "apt" / "lists" / "partial", folder / "apt" / "cache" / "partial"):
            part.mkdir(parents=True, exist_ok=True)
        apt = ["apt-get", *options(folder / "apt", architecture)]
        run([*apt, "update"], fetched)
        run([*apt, "download", *(f"{name}:{architecture}" for name in packages)], fetched)
        for package in sorted(fetched.glob("*.deb")):
            run(["dpkg-deb", "-x", package, root])
        complete.write_text(current)
    return root


def options(state: Path, architecture: str) -> list[str]:
    """Return the options that keep apt's lists for an architecture apart from this computer's."""
    settings = {
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Sandbox::User": "root",
        "Dir::State": state,
        "Dir::State::Lists": state / "lists",
        "Dir::State::status": "/dev/null",
        "Dir::Cache": state / "cache",
    }
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
