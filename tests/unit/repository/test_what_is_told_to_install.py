"""Every package that pages, messages and generated projects say to install exists. Ours are on no index yet, so users
install them from their files."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
#: What is read: pages, the package with its messages and templates, the firmware's build, and examples.
READ = ("README.md", "CHANGELOG.md", "library.json", "run", "arduino", "bindings", "docs", "examples", "firmware",
        "host_tools", "site_scons")  # fmt: skip
ENDINGS = (
    "",
    ".md",
    ".py",
    ".ini",
    ".json",
    ".toml",
    ".txt",
    ".ipynb",
    ".properties",
    ".html",
    ".mjs",
    ".js",
    ".c",
    ".h",
)
#: How each installer is called -> its name in KNOWN.
CALLS = {
    r"pip3? install": "pip",
    r"pip3? download": "pip",
    r"npm (?:install|i|add)": "npm",
    r"apt(?:-get)? install": "apt",
    r"dnf install": "dnf",
    r"pacman -S": "pacman",
    r"apk add": "apk",
    r"brew install": "brew",
    r"winget install": "winget",
    r"lib_deps =": "platformio",
    r"pio (?:pkg|lib) install": "platformio",
    r"arduino-cli lib install": "arduino",
    r"mip install": "mip",
    r"dotnet add package": "nuget",
    r"cargo add": "cargo",
}
#: What is on each index under that name. A name of ours is in none of these until it is published there.
KNOWN = {
    "pip": {
        "aeon", "babel", "cryptography", "esptool", "flwr", "matplotlib", "onnxruntime", "onnxscript", "opendp",
        "ortools", "pillow", "platformio", "pre-commit", "pyelftools", "pyocd", "pyserial", "rapidocr", "scikit-learn",
        "scons", "seglearn", "tensorboardX", "ziglang",
    },
    "npm": {"esbuild"},
    "apt": {
        "bible-kjv", "bossa-cli", "clang-14", "dataset-fashion-mnist", "default-jdk-headless", "dfu-util", "espeak-ng",
        "gcc-arm-none-eabi", "gcc-riscv64-unknown-elf", "gobjc", "libgnustep-base-dev", "libmono-system-core4.0-cil",
        "libnewlib-arm-none-eabi", "libpython3-stdlib", "mono-mcs", "mono-runtime", "openocd",
        "picolibc-riscv64-unknown-elf", "python3-venv", "qemu-system-arm", "qemu-system-misc", "stlink-tools",
        "teensy-loader-cli",
    },
    "dnf": {"arm-none-eabi-gcc-cs", "arm-none-eabi-newlib", "dfu-util", "openocd", "qemu-system-arm",
            "qemu-system-riscv", "stlink"},
    "pacman": {"arm-none-eabi-gcc", "arm-none-eabi-newlib", "dfu-util", "openocd", "qemu-system-arm",
               "qemu-system-riscv", "stlink"},
    "apk": {"dfu-util", "gcc-arm-none-eabi", "newlib-arm-none-eabi", "openocd", "qemu-system-arm",
            "qemu-system-riscv32", "stlink"},
    "brew": {"bossa", "dfu-util", "gcc-arm-embedded", "open-ocd", "qemu", "stlink", "teensy_loader_cli"},
    "winget": {"Arm.GnuArmEmbeddedToolchain", "SoftwareFreedomConservancy.QEMU"},
}  # fmt: skip
CALL = re.compile(rf"(?P<call>{'|'.join(CALLS)})(?P<rest>(?= )[^`\n()|;&#]*)")
#: A path, an address, a placeholder in capitals, a variable of a program or of a shell.
FROM_SOMEWHERE = re.compile(r"[.~/].*|.*/.*|.*\.(whl|tgz|zip)|[A-Z][A-Z_]*|.*[{}$].*|symlink:.*|https?:.*")
NAME = re.compile(r"@?[A-Za-z][\w.@-]*")
#: Words that end the names in a sentence.
PROSE = {"and", "as", "beside", "brings", "compiled", "compiles", "gives", "in", "installs", "on", "then", "to",
         "where", "which", "with", "works"}  # fmt: skip
WITH_A_VALUE = ("-r", "-c", "--target", "--prefix", "--find-links", "--index-url", "--python")


def installations(text: str) -> Iterator[tuple[str, str]]:
    """Yield (installer, name) of everything that a text says to install only by its name."""
    for found in CALL.finditer(text):
        installer = next(name for call, name in CALLS.items() if re.fullmatch(call, found["call"]))
        for word in names_in(found["rest"]):
            yield installer, word


def names_in(rest: str) -> Iterator[str]:
    """Yield what is installed by name, out of what follows the installer's call."""
    try:
        words = iter(shlex.split(re.sub(r"[\"'\\,]+\s*$", "", rest), posix=True))
    except ValueError:  # the quotation ends on another line
        words = iter(re.sub(r"[\"'\\]", " ", rest).split())
    for word in words:
        if word in WITH_A_VALUE:
            next(words, None)
        elif word in PROSE or word == "->":
            return
        elif not word.startswith("-") and not FROM_SOMEWHERE.fullmatch(word):
            name = NAME.match(word.strip("\"',.:"))
            if name is None:
                return
            yield re.split(r"[=<>!@\[]", name[0])[0] if not word.startswith("@") else name[0]


def texts() -> Iterator[Path]:
    for name in READ:
        paths = sorted((ROOT / name).rglob("*")) if (ROOT / name).is_dir() else [ROOT / name]
        yield from (path for path in paths if path.is_file() and is_ours(path))


def is_ours(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    left_out = {"__pycache__", "node_modules", "generated", "build"}
    return path.suffix in ENDINGS and not left_out & set(parts) and not any(part.startswith(".") for part in parts)


def test_what_is_told_to_install_exists() -> None:
    reported = [(path, *found) for path in texts() for found in installations(path.read_text(errors="replace"))]
    unknown = [
        f"{path.relative_to(ROOT)}: {installer} has no {name}: install it from where it is, or add it to KNOWN"
        for path, installer, name in reported
        if name not in KNOWN.get(installer, set())
    ]
    assert not unknown, "\n".join(unknown)
    assert len({(installer, name) for _, installer, name in reported}) > 25


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`pip install gradmote platformio scons`.", [("pip", "gradmote"), ("pip", "platformio"), ("pip", "scons")]),
        ("pip install 'gradmote[pytest]' installs", [("pip", "gradmote")]),
        ("`pip install '.[pytest]'` in the checkout", []),
        ("pip install ./gradmote-0.1.0-py3-none-any.whl    # 13.1 s", []),
        ("pip install --no-deps rapidocr==3.10.0", [("pip", "rapidocr")]),
        ("pip install -r requirements.txt onnx>=1.17", [("pip", "onnx")]),
        ('hint = f"install it: apt-get install {packages}"', []),
        ('"apt-get install qemu-system-arm",', [("apt", "qemu-system-arm")]),
        ("npm install gradmote", [("npm", "gradmote")]),
        ("npm install PATH/build/js/gradmote-0.1.0.tgz", []),
        ("lib_deps = symlink:///path/to/gradmote", []),
        ("lib_deps = gradmote", [("platformio", "gradmote")]),
    ],
)
def test_names_are_found(text: str, found: list[tuple[str, str]]) -> None:
    assert list(installations(text)) == found


def test_names_of_debian_are_packages_of_debian() -> None:
    known = known_to_apt()
    if "libc6" not in known:
        pytest.skip("no lists of Debian's packages here - apt-get update")
    assert KNOWN["apt"] - known == set()


def known_to_apt() -> set[str]:
    if shutil.which("apt-cache") is None:
        return set()
    return set(subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=False).stdout.split())
