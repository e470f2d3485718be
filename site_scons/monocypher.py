"""Fetch Monocypher, whose arithmetic checks signatures, into a build folder. Only firmware with a key needs it.

It comes from the source distribution of the Python package pymonocypher. The SHA-256 of the archive and of each
compiled file is pinned.

    python site_scons/monocypher.py FOLDER     fetch it into FOLDER/monocypher-4.0.3
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "4.0.3"
PACKAGE = "pymonocypher"
ARCHIVE = f"{PACKAGE}-4.0.3.4"
ARCHIVE_SHA256 = "5e56e3d3eb770a53e0b9f6274146663c11a11f3d0de5cd48e3be0428d1b07a4a"
#: The SHA-256 of each file that firmware with a key is compiled from.
FILES = {
    "monocypher.c": "57eb914fc88136119bd41655cccb8c250048bf54d470540625186f8ab16f64be",
    "monocypher.h": "c494da712122da7ff679fdcf318a5317e84972b6c950fe9d896212947797facd",
}
#: Makes a computer without a network fail within seconds.
PATIENCE = ["--retries", "1", "--timeout", "20"]


class NoMonocypher(RuntimeError):
    """Monocypher is missing and cannot be fetched."""


def fetch_monocypher(build: Path) -> Path:
    """Return the folder of Monocypher's sources in a build folder; fetch them if they are missing or changed.

    Raises NoMonocypher.
    """
    folder = build / f"monocypher-{VERSION}"
    if not all(is_pinned(folder / name) for name in FILES):
        try:
            contents = download()
            folder.mkdir(parents=True, exist_ok=True)
            for name, data in contents.items():
                replace_file(folder / name, data)
        except (OSError, tarfile.TarError, KeyError, NoMonocypher) as error:
            raise NoMonocypher(refusal(folder, error)) from error
    return folder


def is_pinned(path: Path) -> bool:
    """Return whether a file is there and has the pinned contents."""
    try:
        return sha256(path.read_bytes()) == FILES[path.name]
    except OSError:
        return False


def download() -> dict[str, bytes]:
    """Return the contents of FILES from the package's source distribution, which pip downloads and checks."""
    with tempfile.TemporaryDirectory(prefix="gradmote-") as name:
        pins = Path(name) / "pins.txt"
        pins.write_text(f"{ARCHIVE.replace('-', '==')} --hash=sha256:{ARCHIVE_SHA256}\n")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", *PATIENCE]
        options = ["--require-hashes", "--no-deps", "--no-binary", PACKAGE, "--dest", name, "-r", str(pins)]
        done = subprocess.run([*pip, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoMonocypher(last_line(done.stderr))
        return contents_of(Path(name) / f"{ARCHIVE}.tar.gz")


def contents_of(archive: Path) -> dict[str, bytes]:
    """Return the contents of FILES from the archive. Raises NoMonocypher if one differs from its pin."""
    found = {}
    with tarfile.open(archive) as opened:
        for name, pinned in FILES.items():
            member = opened.extractfile(f"{ARCHIVE}/{name}")
            found[name] = member.read() if member else b""
            if sha256(found[name]) != pinned:
                raise NoMonocypher(f"{name} in {archive.name} is not the one that is pinned")
    return found


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file atomically, so that a parallel build never reads half of it."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


def refusal(folder: Path, error: Exception) -> str:
    """Return one line with what is missing, why, and what to do."""
    why = last_line(str(error)) or "pip failed"
    return (
        f"a build with a key needs Monocypher {VERSION}, which could not be fetched ({why}) - "
        f"build it once with a network, or put {' and '.join(FILES)} of {ARCHIVE} into {folder}"
    )


def last_line(text: str) -> str:
    """Return the last line that is not empty, without pip's `ERROR:`."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("ERROR: ") if lines else ""


def sha256(data: bytes) -> str:
    """Return the digest as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def main(arguments: list[str]) -> int:
    """Fetch into the given folder; return the exit status."""
    try:
        print(fetch_monocypher(Path(arguments[0])))
    except NoMonocypher as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
