"""No two files of the runtime define the same name at file scope: the single-file build makes them one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from runtime_sources import RUNTIME, runtime_sources

_COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_BLOCK = re.compile(r"\{[^{}]*\}")
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|GM_SIMD_TARGET")
_TAG = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")
_ENUM = re.compile(r"\benum\b[^{};]*\{([^{}]*)\}")
_TYPE = re.compile(r"\btypedef\b[^;]*?(?:\(\*(\w+)\)\s*\([^;]*\)|\b(\w+)\s*(?:\([^()]*\)|\[[^\]]*\])?)\s*;")
_OWN = re.compile(
    r"\b(?:static|GM_SIMD_INLINE|GM_INLINED|TILE|ONCE)\b[^;{}()=\[]*?"
    r"(?:\(\*\s*(?:const\s+)?(\w+)|\b(\w+)\s*(?=[\[=;]|\((?!\*)))"
)


def names_at_file_scope(text: str) -> set[str]:
    """Return the macros, tags, types, enum constants, and static functions and variables that a source defines."""
    code = _COMMENT_OR_STRING.sub(" ", text)
    names = set(_MACRO.findall(code))
    code = _ATTRIBUTE.sub(" ", _DIRECTIVE.sub("", code))
    names.update(_TAG.findall(code))
    for constants in _ENUM.findall(code):
        names.update(constant.split("=")[0].strip() for constant in constants.split(",") if constant.strip())
    while _BLOCK.search(code):
        code = _BLOCK.sub(" ", code)
    found = [*_TYPE.findall(code), *_OWN.findall(code)]
    return names | {name for either in found for name in either if name}


def clashes(files: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a sentence for each name that a source and another of these (path, text) define.

    Alternative headers, only one of them compiled, may define the same.
    """
    owners = defaultdict(list)
    for path, text in files:
        for name in names_at_file_scope(text):
            owners[name].append(path)
    for name, paths in sorted(owners.items()):
        if len(paths) > 1 and any(path.endswith(".c") for path in paths):
            yield f"{name} is defined in {' and in '.join(sorted(paths))}: give each a name of its own"


def test_no_name_of_a_source_stands_in_another_file() -> None:
    files = [*runtime_sources(), *RUNTIME.rglob("*.h")]
    assert not list(clashes((path.relative_to(RUNTIME).as_posix(), path.read_text()) for path in files))


def test_every_kind_of_name_is_seen() -> None:
    text = """
        #define MACRO 1
        #  define WITH_LINES(x) \\
            static int not_a_name(x)
        typedef struct pair { int a, b; } pair_type;
        typedef float vector __attribute__((vector_size(16)));
        typedef int (*callback)(int);
        enum { FIRST, SECOND = 2 };
        static const int table[2] = { 1, 2 };
        static int (*const calls[2])(int) = { 0, 0 };
        static pair_type *helper(int x) { static int inside; int local = x; return &local; }
        int gm_public(void);
    """
    seen = {"MACRO", "WITH_LINES", "pair", "pair_type", "vector", "callback", "FIRST", "SECOND", "table", "calls"}
    assert names_at_file_scope(text) == seen | {"helper"}


def test_the_message_names_both_files() -> None:
    (message,) = clashes([("kernels/a.c", "static int f(void);"), ("src/b.c", "typedef int f;")])
    assert message == "f is defined in kernels/a.c and in src/b.c: give each a name of its own"


def test_sources_have_names() -> None:
    """The expressions see what sources of every folder define."""
    for folder in ("src", "kernels", "kernels/arch/riscv", "kernels/arch/simd"):
        texts = [path.read_text() for path in sorted(Path(RUNTIME / folder).glob("*.c"))]
        assert any(names_at_file_scope(text) for text in texts)


def test_a_form_with_vectors_is_named_after_its_kernel() -> None:
    kernels = RUNTIME / "kernels"
    plain = {path.name for folder in (kernels, kernels / "optimizers") for path in folder.glob("*.c")}
    assert {path.name for path in (kernels / "arch" / "simd").glob("*.c")} <= plain
