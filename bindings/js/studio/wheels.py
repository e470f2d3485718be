"""Writes what the compiler in the page loads besides Gradmote: `python wheels.py OUT PYODIDE`.

PYODIDE is the folder of Pyodide's npm package, whose version is pinned. OUT gets pyodide.json, which
names the public address of that release, and the wheels of wheels.txt for it. Those come from the
package index that pip uses. Files that no page needs, such as tests and headers, are left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "host_tools"))

from gradmote.studio.own_wheel import wheel_bytes  # noqa: E402

#: The public address of a release.
BASE = "https://cdn.jsdelivr.net/pyodide/v{version}/full/"
#: What the compiler needs of the release.
PACKAGES = ("numpy", "ml-dtypes", "protobuf", "typing-extensions", "packaging")
#: The endings of what a page needs of a wheel, besides the licence and other texts about it.
NEEDED = (".py", ".so", ".json")
TESTS = ("/test/", "/tests/")


def download(folder: Path, python: str, abi: str) -> list[Path]:
    """Return the wheels of wheels.txt for this version of Python and of Pyodide's interface."""
    platform = ["--platform", f"pyemscripten_{abi}_wasm32", "--implementation", "cp", "--abi", "abi3", "--abi", "none"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", *platform]
    where = ["--python-version", python, "--dest", folder, "--requirement", HERE / "wheels.txt"]
    subprocess.run([*command, *map(str, where)], check=True)
    return sorted(folder.glob("*.whl"))


def is_needed(name: str) -> bool:
    """Return whether the page needs a file of a wheel."""
    return ".dist-info/" in name or (name.endswith(NEEDED) and not any(part in f"/{name}" for part in TESTS))


def without_tests(wheel: Path) -> bytes:
    """Return the wheel with the files that a page needs."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if is_needed(name)}
    return wheel_bytes(files, next(name for name in files if name.endswith(".dist-info/RECORD")))


def main(out: Path, pyodide: Path) -> None:
    """Write the folder."""
    version = json.loads((pyodide / "package.json").read_text())["version"]
    release = json.loads((pyodide / "pyodide-lock.json").read_text())["info"]
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        found = download(Path(folder), release["python"], release["abi_version"])
        for wheel in found:
            (out / wheel.name).write_bytes(without_tests(wheel))
    settings = {"base": BASE.format(version=version), "packages": PACKAGES, "wheels": [wheel.name for wheel in found]}
    (out / "pyodide.json").write_text(json.dumps(settings, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
