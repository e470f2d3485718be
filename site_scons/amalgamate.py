"""Write the runtime as one source with headers for C and C++, for projects without folders: `scons amalgamate`, and
`gradmote sources` without a checkout.

Headers come before the first source that includes them. The text of a header that another header includes replaces the
include, so that it keeps the conditions around it. Every name at file scope must be unique among the sources: a test of
tests/toolchain/runtime_build reports both files otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from runtime_sources import ROOT, RUNTIME, runtime_sources

PUBLIC = RUNTIME / "include" / "gradmote.h"
CPP = RUNTIME / "include" / "gradmote.hpp"
#: onnxruntime's classes, for computers: in a folder of their own beside the others.
ORT = sorted((ROOT / "bindings" / "cpp" / "include" / "gradmote").glob("*.hpp"))
LICENCE = "Copyright the Gradmote authors. Licensed under the Apache License, Version 2.0."

HEAD = """/*
 * Gradmote {version}: trains neural networks on microcontrollers. {what}
 * {licence}
 *
 * How to use it: add gradmote.c to your project's sources and the folder of gradmote.h to its include paths, then
 *
 *     #include "gradmote.h"
 *
 *     static gm_session session;
 *     static uint32_t arena[ARENA_BYTES / 4] __attribute__((aligned(16)));   // gm_required() says how many
 *
 *     gm_open(&session, image, image_size, arena, sizeof arena);            // verifies the image, once
 *     gm_write(&session, GM_ROLE_INPUT, 0, pixels, sizeof pixels);
 *     gm_write(&session, GM_ROLE_LABEL, 0, labels, sizeof labels);
 *     int error = gm_step(&session, &loss);
 *
 * It needs C99, and neither flags nor a library of mathematics; with other compilers than gcc and clang, forbid the
 * contraction of floating-point expressions, or the bits are not those of the other targets. gradmote.hpp beside it is
 * the same for C++17. For a smaller program add what
 * `gradmote kernels --flags model.mote` prints, -ffunction-sections and -Wl,--gc-sections.
 * Written from the sources at runtime_c, by `gradmote sources` or `scons amalgamate`; change those instead.
 */
"""

#: With clang, helpers of kernels that GM_ONLY_SELECTED leaves out may be unused; gcc never warns about inline
#: functions.
PRAGMAS = """#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#endif
"""

_INCLUDE = re.compile(r'^#include (?:"([^"]+)"|<([^>]+)>)\s*$', re.MULTILINE)
_IF = re.compile(r"#if(?:n?def)?\b")
#: The conditions around all of a header: its include guard.
GUARD = 1


def one_header() -> str:
    """Return the text of gradmote.h."""
    seen: set[Path] = set()
    body = "\n".join(bodies(PUBLIC, seen))
    return f"{head('The interface.')}{system_includes(seen)}\n{body}"


def one_source() -> str:
    """Return the text of gradmote.c."""
    seen: set[Path] = set()
    list(bodies(PUBLIC, seen))
    parts = [part for path in runtime_sources() for part in source_parts(path, seen)]
    includes = system_includes({*runtime_sources(), *seen})
    return "\n".join([f'{head("The whole runtime.")}#include "gradmote.h"\n\n{includes}\n{PRAGMAS}', *parts])


def cpp_header() -> str:
    """Return the text of gradmote.hpp, which includes gradmote.h."""
    return CPP.read_text()


def head(what: str) -> str:
    return HEAD.format(version=version(), what=what, licence=LICENCE)


def system_includes(paths: set[Path]) -> str:
    names = {name for path in paths for _, name in _INCLUDE.findall(path.read_text()) if name}
    return "".join(f"#include <{name}>\n" for name in sorted(names))


def source_parts(path: Path, seen: set[Path]) -> Iterator[str]:
    """Yield the headers of a source that have not been written yet, then the source itself."""
    text = path.read_text()
    for included in included_by(path, text):
        yield from bodies(included, seen)
    yield f"{title(path)}\n{without_includes(text)}"


def bodies(path: Path, seen: set[Path]) -> Iterator[str]:
    """Yield the text of a header that has not been written yet."""
    if path not in seen:
        seen.add(path)
        yield expanded(path, seen)


def expanded(path: Path, seen: set[Path]) -> str:
    """Return a header with its includes replaced by the included text.

    An include under a condition may be needed again when the condition is false, so it counts as seen only there.
    """
    lines = [title(path)]
    depth = 0
    for line in path.read_text().splitlines():
        depth += bool(_IF.match(line)) - line.startswith("#endif")
        found = _INCLUDE.match(line)
        if found is None:
            lines.append(line)
        elif found[1]:
            lines += bodies(resolved(path, found[1]), seen if depth <= GUARD else set(seen))
    return "\n".join(lines) + "\n"


def included_by(path: Path, text: str) -> list[Path]:
    """Return the files of the runtime that this one includes."""
    return [resolved(path, name) for name, _ in _INCLUDE.findall(text) if name]


def resolved(path: Path, name: str) -> Path:
    folders = (path.parent, RUNTIME / "include", RUNTIME / "src")
    return next(p for folder in folders if (p := (folder / name).resolve()).exists())


def without_includes(text: str) -> str:
    return _INCLUDE.sub("", text)


def title(path: Path) -> str:
    return f"/* ==== {path.relative_to(ROOT)} ==== */"


def version() -> str:
    return ".".join(re.findall(r"^#define GM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", PUBLIC.read_text(), re.MULTILINE))


def write_amalgamation(target, source, env) -> None:
    """Write all three files, and those of ORT; an action of SCons."""
    del source, env
    texts = (one_header(), one_source(), cpp_header(), *(path.read_text() for path in ORT))
    for path, text in zip(target, texts, strict=True):
        Path(str(path)).write_text(text)
