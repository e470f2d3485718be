"""Build MicroPython with Gradmote for tests: its source, two ports with the user module, and native modules.

The source comes from a Debian release; apt fetches it from this computer's own package archive, and its SHA-256 is
pinned. Everything is in build/micropython, and nothing is rebuilt from the same files.

    python site_scons/micropython_builds.py             build both ports, and print their files
    python site_scons/micropython_builds.py --fetch     only fetch the source
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runtime_sources import ROOT, RUNTIME

VERSION = "1.25.0"
RELEASE = "trixie"
ARCHIVE = f"micropython_{VERSION}+ds.orig.tar.xz"
ARCHIVE_SHA256 = "7b25be99a502f070b2de81dafc08da7051d992325d6e67daa9045a918fffdbea"

BINDING = ROOT / "bindings" / "micropython"
BUILD = ROOT / "build" / "micropython"
BOARD = BINDING / "boards" / "MPS2_AN386"

#: Parts that the tests do not use and that take long to compile.
UNIX_OPTIONS = [
    "MICROPY_PY_SSL=0",
    "MICROPY_PY_BTREE=0",
    "MICROPY_PY_BLUETOOTH=0",
    "MICROPY_PY_FFI=0",
    "FROZEN_MANIFEST=",
]
TOOLS = {"make": "make", "gcc": "gcc libc6-dev", "pkg-config": "pkg-config"}
ARM_TOOLS = {"arm-none-eabi-gcc": "gcc-arm-none-eabi libnewlib-arm-none-eabi"}


class NoMicroPython(RuntimeError):
    """The source cannot be fetched, or a tool is missing. The message says what to do."""


# ---- The source ---------------------------------------------------------------------------------------------------


def fetch_micropython() -> Path:
    """Return the folder of MicroPython's sources; fetch them if they are missing. Raises NoMicroPython."""
    folder = BUILD / f"micropython-{VERSION}"
    with locked("source"):
        if not (folder / "py" / "dynruntime.mk").exists():
            unpack(archive(), folder)
    return folder


def archive() -> Path:
    """Return the archive of the sources, which apt downloads if it is missing."""
    path = BUILD / ARCHIVE
    if not path.exists():
        download(path)
    if hashlib.sha256(path.read_bytes()).hexdigest() != ARCHIVE_SHA256:
        path.unlink()
        raise NoMicroPython(f"{ARCHIVE} is not the one that is pinned")
    return path


def download(path: Path) -> None:
    """Let apt download the archive, with lists and a cache of its own, so that the computer's do not change."""
    sources = [f"deb-src {options}{uri} {RELEASE} main\n" for options, uri in debian_archives()]
    if not sources or not shutil.which("apt-get"):
        raise NoMicroPython(refusal("this computer has no archive of Debian packages"))
    work = BUILD / "apt"
    for name in ("lists/partial", "cache/archives/partial"):
        (work / name).mkdir(parents=True, exist_ok=True)
    (work / "sources.list").write_text("".join(sources[:1]))
    options = [f"Dir::Etc::sourcelist={work / 'sources.list'}", "Dir::Etc::sourceparts=/dev/null"]
    options += [f"Dir::State::lists={work / 'lists'}", f"Dir::Cache={work / 'cache'}"]
    options += ["APT::Sandbox::User=", "Debug::NoLocking=1", "Acquire::Retries=1"]
    apt = ["apt-get", "-qq", *(word for option in options for word in ("-o", option))]
    for command in ([*apt, "update"], [*apt, "source", "--download-only", "micropython"]):
        done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoMicroPython(refusal(last_line(done.stderr)))
    if not (work / ARCHIVE).exists():
        raise NoMicroPython(refusal(f"{RELEASE} has another version than {VERSION}"))
    (work / ARCHIVE).replace(path)
    shutil.rmtree(work)


def debian_archives() -> Iterator[tuple[str, str]]:
    """Yield (options, URI) of each archive of this computer's own Debian release."""
    codename = release_name()
    etc = Path("/etc/apt")
    for path in sorted([etc / "sources.list", *(etc / "sources.list.d").glob("*.list")]):
        for line in path.read_text().splitlines() if path.exists() else ():
            found = re.match(r"deb(?:-src)?\s+(\[[^]]*\]\s+)?(\S+)\s+(\S+)\s.*\bmain\b", line.strip())
            if found and found[3] == codename:
                yield found[1] or "", found[2]
    for path in sorted((etc / "sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            fields = dict(re.findall(r"^([\w-]+):[ \t]*(.*)$", stanza, re.MULTILINE))
            if codename in fields.get("Suites", "").split() and "main" in fields.get("Components", "").split():
                signed = fields.get("Signed-By", "")
                yield f"[signed-by={signed}] " if signed else "", fields["URIs"].split()[0]


def release_name() -> str:
    """Return the name of this computer's Debian release, or a name that no archive has."""
    path = Path("/etc/os-release")
    fields = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', path.read_text() if path.exists() else "", re.MULTILINE))
    return fields.get("VERSION_CODENAME", "-") if fields.get("ID") == "debian" else "-"


def refusal(why: str) -> str:
    """Return one line with what is missing, why, and what to do."""
    return f"no MicroPython {VERSION} ({why}) - put Debian's {ARCHIVE} into {BUILD}"


def last_line(text: str) -> str:
    """Return the last line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "apt-get failed"


def unpack(path: Path, folder: Path) -> None:
    """Unpack the archive. For other processes the folder appears in one step."""
    part = BUILD / "unpacked"
    shutil.rmtree(part, ignore_errors=True)
    with tarfile.open(path) as opened:
        opened.extractall(part, filter="tar")
    shutil.rmtree(folder, ignore_errors=True)
    next(part.iterdir()).rename(folder)
    part.rmdir()


# ---- Builds ----------------------------------------------------------------------------------------------------------


def unix_program() -> Path:
    """Return MicroPython for this computer, with the user module."""
    built = BUILD / "unix"
    compiler = native_compiler("gnu11 -DGM_ARCH=0")  # vectors take most of the compile time, and give the same bits
    make(built, "ports/unix", [f"USER_C_MODULES={BINDING}", *UNIX_OPTIONS, *compiler], TOOLS)
    return built / "micropython"


def emulated_firmware(header: Path | None = None) -> Path:
    """Return the firmware for an emulated Cortex-M4F, with the user module and frozen Python modules.

    header: of an image to build into the firmware, from `gradmote header`.
    """
    built = BUILD / "mps2-an386"
    options = [
        f"BOARD_DIR={BOARD}",
        "BOARD=MPS2_AN386",
        f"USER_C_MODULES={BINDING}",
        f"MICROPY_MPYCROSS={cross_compiler()}",
    ]
    # The folder of micropython-lib must have a README.md. Debian's source lacks it, and nothing here needs it.
    options += [f"MPY_LIB_DIR={BINDING}"]
    options += [f"GRADMOTE_IMAGE={header}"] if header else []
    make(built, "ports/qemu", [*options, *cached("arm-none-eabi-gcc")], TOOLS | ARM_TOOLS)
    return built / "firmware.elf"


def native_module(arch: str, flags: list[str], core: bool = True, fused: bool = False) -> Path:
    """Return a native module with the kernels that the flags select, as `gradmote kernels --flags` prints them."""
    name = hashlib.sha256(" ".join(flags).encode()).hexdigest()[:12]
    built = BUILD / f"natmod-{arch}-{'core' if core else 'whole'}-{'fused' if fused else 'strict'}-{name}"
    options = [f"MPY_DIR={fetch_micropython()}", f"ARCH={arch}", f"CORE={int(core)}", f"FUSED={int(fused)}"]
    options += [f"GRADMOTE_FLAGS={' '.join(flags)}", f"PYTHON={sys.executable}", "module"]
    make(built, str(BINDING / "natmod"), options, TOOLS | (ARM_TOOLS if arch.startswith("arm") else {}))
    return built / "module" / "gradmote.mpy"


def cross_compiler() -> Path:
    """Return mpy-cross, which compiles Python to MicroPython's bytecode."""
    built = BUILD / "mpy-cross"
    make(built, "mpy-cross", ["COPT=-O0", *native_compiler("gnu11")], TOOLS)
    return built / "mpy-cross"


def native_compiler(standard: str) -> list[str]:
    """Return options for this computer's compiler: newer ones have more warnings than a port allows for."""
    return [*cached("gcc"), f"CFLAGS_EXTRA=-std={standard} -Wno-error"]


def cached(compiler: str) -> list[str]:
    """Return the option that makes `make` use ccache, if it is installed."""
    return [f"CC=ccache {compiler}"] if shutil.which("ccache") else []


def make(built: Path, folder: str, options: list[str], tools: dict[str, str]) -> None:
    """Run make into `built`, unless that was built from the same files and options. Raises NoMicroPython."""
    for tool, packages in tools.items():
        if not shutil.which(tool):
            raise NoMicroPython(f"there is no {tool} - apt-get install {packages}")
    source = fetch_micropython()
    digest, stamp, asked = digest_of(options), built / "made-of", built / "options"
    with locked(built.name):
        if stamp.exists() and stamp.read_text() == digest:
            return
        if not asked.exists() or asked.read_text() != unseen(options):
            shutil.rmtree(built, ignore_errors=True)
        built.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
        asked.write_text(unseen(options))
        command = ["make", "-C", folder, f"-j{min(2, os.cpu_count() or 1)}", f"BUILD={built}", *options]
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{shlex.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
        stamp.write_text(digest)


def unseen(options: list[str]) -> str:
    """Return changes that make does not notice: the options, and the names of methods, which are in headers."""
    headers = hashlib.sha256(b"".join(path.read_bytes() for path in sorted((BINDING / "gradmote").glob("*.h"))))
    return f"{shlex.join(options)} {headers.hexdigest()}"


def digest_of(options: list[str]) -> str:
    """Return a digest of options, of MicroPython, and of what the binding and the runtime are built from."""
    total = hashlib.sha256(f"{ARCHIVE_SHA256} {options}".encode())
    folders = [RUNTIME, *(BINDING / name for name in ("boards", "generated", "gradmote", "natmod", "python"))]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    for path in sorted(path for path in files if "__pycache__" not in path.parts):
        total.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return total.hexdigest()


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Let only one process at a time build the same thing."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main() -> int:
    """Build or fetch; return the exit status."""
    try:
        for build in (fetch_micropython,) if "--fetch" in sys.argv[1:] else (unix_program, emulated_firmware):
            print(build())
    except NoMicroPython as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
