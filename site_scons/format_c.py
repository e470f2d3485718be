"""Format the C sources with .clang-format: `python site_scons/format_c.py`. --check only reports the differences."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("arduino", "bindings", "examples", "firmware", "host_tools", "runtime_c", "tests")
KINDS = (".c", ".h", ".cpp", ".hpp")


def sources() -> list[str]:
    """Return the C and C++ files as paths from the root; .clang-format-ignore leaves out some of them.

    The hidden folders belong to PlatformIO.
    """
    found = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in KINDS)
    paths = (path.relative_to(ROOT) for path in found)
    return [path.as_posix() for path in paths if not any(part.startswith(".") for part in path.parts)]


def main() -> int:
    """Return the exit status: 1 if --check finds a file that would change."""
    options = ["--dry-run", "--Werror"] if "--check" in sys.argv[1:] else ["-i"]
    command = [str(Path(sys.executable).with_name("clang-format")), *options, *sources()]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
