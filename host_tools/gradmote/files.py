"""Writing files so that an interruption leaves the old one or the new one, never half; and where built files go."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], data: bytes, mode: int = 0o644) -> None:
    """Writes beside the target, then renames over it. mode: who may do what with it."""
    target = Path(path)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def build_folder() -> Path:
    """build/ of the checkout, without one ~/.cache/gradmote; or what the environment variable GRADMOTE_BUILD says."""
    checkout = Path(__file__).resolve().parents[2]
    usual = checkout / "build" if (checkout / "SConstruct").is_file() else Path.home() / ".cache" / "gradmote"
    return Path(os.environ.get("GRADMOTE_BUILD", usual))
