"""Counts the lines written by hand for each build system: all of them, and those that are neither blank nor comment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
#: Build system -> files and folders that exist for it alone; tests, examples and documentation are not counted.
WRITTEN = {
    "gradmote sources": ("host_tools/gradmote/project/c_sources.py", "host_tools/gradmote/cli/sources.py"),
    "CMake": (
        "CMakeLists.txt", "CMakePresets.json", "runtime_c/CMakeLists.txt", "runtime_c/cmake/arm-none-eabi.cmake",
        "runtime_c/cmake/gradmote-config.cmake", "runtime_c/cmake/gradmote.pc.in",
        "runtime_c/cmake/gradmote_model.cmake",
    ),
    "CMake, ESP-IDF and Zephyr": ("runtime_c/cmake/sources.cmake",),
    "ESP-IDF, Zephyr and NuttX": ("runtime_c/Kconfig.options",),
    "ESP-IDF": ("runtime_c/cmake/esp_idf.cmake", "runtime_c/Kconfig", "runtime_c/idf_component.yml"),
    "Zephyr": ("runtime_c/zephyr", "zephyr"),
    "CMSIS-Pack": (
        "runtime_c/cmsis_pack", "host_tools/gradmote/project/cmsis_pack.py", "site_scons/dist/cmsis_pack.py",
    ),
    "NuttX": ("runtime_c/nuttx",),
    "Rust": (
        "bindings/rust/Cargo.toml", "bindings/rust/build.rs", "bindings/rust/rustfmt.toml", "bindings/rust/src",
        "site_scons/render/rust_errors.py",
    ),
}  # fmt: skip
#: What begins a comment, by the end of a file's name; elsewhere "#".
COMMENTS = {".rs": ("//",), ".c": ("//", "/*"), ".h": ("//", "/*"), ".pdsc": ("<!--",)}


def files_of(system: str) -> Iterator[Path]:
    """Yield the files written for a build system; nothing that is rendered."""
    for place in map(ROOT.joinpath, WRITTEN[system]):
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and "generated" not in path.parts:
                yield path


def counts(system: str) -> tuple[int, int]:
    """Return the lines written for a build system, and how many of these are neither blank nor comment."""
    lines = [(line.strip(), COMMENTS.get(path.suffix, "#"))
             for path in files_of(system) for line in path.read_text().splitlines()]  # fmt: skip
    return len(lines), sum(bool(line) and not line.startswith(comment) for line, comment in lines)
