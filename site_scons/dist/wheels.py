"""Make wheels: the pure one from the sdist, the others from the pure one, the target's modules and its tag."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from gradmote.studio.own_wheel import wheel_bytes

from .commands import OUT, WORK, python
from .modules import build_modules
from .targets import Target

#: The package that the modules belong to.
PACKAGE = "gradmote_runtime"


def sdist() -> Path:
    """Make the archive of sources and return its path."""
    python("-m", "build", "--sdist", "--outdir", OUT, ".")
    return next(OUT.glob("gradmote-*.tar.gz"))


def unpacked(archive: Path) -> Path:
    """Unpack an sdist and return its folder, in which nothing has been built."""
    folder = WORK / "from-sdist"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.unpack_archive(archive, folder)
    return next(folder.iterdir())


def pure_wheel(archive: Path) -> Path:
    """Build the wheel without the runtime from the sdist, isolated from installed packages; return its path."""
    python("-m", "build", "--wheel", "--outdir", OUT, unpacked(archive), GRADMOTE_MODULES="none")
    return next(OUT.glob("gradmote-*-py3-none-any.whl"))


def platform_wheel(pure: Path, target: Target) -> Path:
    """Write the wheel of a target and return its path."""
    modules = build_modules(target)
    name, version = pure.name.split("-")[:2]
    made = OUT / f"{name}-{version}-cp310-abi3-{target.tag}.whl"
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(pure) as wheel:
        files = {entry.filename: wheel.read(entry) for entry in wheel.infolist()}
    files |= {f"{PACKAGE}/{module.name}": module.read_bytes() for module in modules}
    files[f"{about}/WHEEL"] = tagged(files[f"{about}/WHEEL"].decode(), target).encode()
    write_wheel(made, files, f"{about}/RECORD")
    return made


def tagged(text: str, target: Target) -> str:
    """Return the file WHEEL with the tags of a target."""
    kept = [line for line in text.splitlines() if line and not line.startswith(("Tag:", "Root-Is-Purelib:"))]
    tags = [f"Tag: cp310-abi3-{platform}" for platform in target.tag.split(".")]
    return "\n".join([*kept, "Root-Is-Purelib: false", *tags, ""])


def write_wheel(path: Path, files: dict[str, bytes], record: str) -> None:
    """Write a wheel with a fresh RECORD as its last file."""
    path.write_bytes(wheel_bytes(files, record))
