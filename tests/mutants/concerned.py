"""Finds the tests that concern a mutated file: the few that name it, and all folders that could notice it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from .mutant import ROOT
from .runs import SCONS

sys.path.insert(0, str(ROOT / "site_scons"))

from related_checks import MOST, rule_of, tests_of, words_of
from related_checks import seconds_of as seconds_of  # for together

#: Targets of SCons that test; others build what tests then build by themselves.
TARGETS = ("test_c", "powerloss")
#: The folders in which imports are looked for, in this order.
PATHS = ("tests", "host_tools", "bindings/python", "site_scons", "examples")
#: Folders of tests whose folders count one by one, since each is about something else.
SPLIT = ("tests/unit", "tests/numeric", "tests/c", "tests/toolchain")
#: Folders that run in environments of their own, which the scratch checkout does not have.
APART = ("tests/flower", "tests/mutants", "tests/support")
#: The package whose modules are found by looking into its folder.
LISTED = "host_tools/gradmote/operators"
COMMAND_LINE = "host_tools/gradmote/cli/__init__.py"
BINDING = "bindings/python/gradmote_runtime/__init__.py"
SAMPLING = "tests/sampling.toml"
#: What a file of tests, or of their support, has that draws examples.
DRAWS = r"from hypothesis|import hypothesis|support\.sampling|GRADMOTE_WHOLE"
C_FOLDERS = ("numeric", "c", "device", "toolchain", "bindings", "fuzz", "regression")
#: Beginning of a file -> folders that build it, and a file that others import if they run it.
BUILT: dict[str, tuple[tuple[str, ...], str]] = {
    "runtime_c/": (C_FOLDERS, BINDING),
    "bindings/threads/": (C_FOLDERS, BINDING),
    "bindings/shared/": (("bindings", "c"), ""),
    "bindings/js/": (("bindings", "studio"), "tests/support/npm_package.py"),
    "firmware/": (("device", "toolchain", "bindings", "fuzz", "regression"), "tests/support/firmware.py"),
}


# ---- The few tests that name a file ----------------------------------------------------------------------------------


def likely_checks(file: str) -> list[str]:
    """Return the checks that `./run check` has for a file: tests, the most likely first, and then targets of SCons.

    Of folders that it would run, those tests count that have the words of the file's name most often. First come those
    that are named after it.
    """
    places = [place for place in tests_of(file) if not place.startswith(APART)]
    tests = [test for place in places for test in most_alike(test_files(place), file) if not test.startswith(APART)]
    tests = sorted(tests, key=lambda test: Path(file).stem not in test)
    targets = [f"{SCONS}{target}" for target in rule_of(file).targets if target in TARGETS]
    return [*dict.fromkeys(tests), *targets]


def most_alike(tests: list[str], file: str) -> list[str]:
    """Return the tests that have the words of a file's name most often, not too many."""
    texts = {test: f"{test} {(ROOT / test).read_text()}".lower() for test in tests}
    counts = {test: sum(text.count(word.lower()) for word in words_of(file)) for test, text in texts.items()}
    return sorted(tests, key=lambda test: -counts[test])[:MOST]


def test_files(place: str) -> list[str]:
    """Return the files of tests at a place, a file or a folder."""
    path = ROOT / place
    return [place] if path.is_file() else [relative(found) for found in sorted(tests_below(path))]


def tests_below(folder: Path) -> list[Path]:
    """Return the files of tests in a folder, by the names that pytest looks for."""
    return [*folder.rglob("test_*.py"), *folder.rglob("*_test.py")]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# ---- Which tests are sampled -----------------------------------------------------------------------------------------


def sampled_files(folder: str) -> list[str]:
    """Return the test files in a folder that a plain run takes only a sample of: of cases, examples or turns."""
    if folder.startswith(SCONS):
        return []
    named = (ROOT / SAMPLING).read_text()
    return [file for file in test_files(folder) if f'"{file}' in named or is_drawn(file)]


def is_drawn(file: str) -> bool:
    """Return whether a test, or what it imports, draws examples."""
    return any(re.search(DRAWS, (ROOT / reached).read_text()) for reached in reached_from(file) if "tests/" in reached)


# ---- All folders that could notice it --------------------------------------------------------------------------------


def folders(file: str) -> list[str]:
    """Return the checks that import, compile or run a file: folders of tests, and targets of SCons."""
    wanted, anchor = next((found for start, found in BUILT.items() if file.startswith(start)), ((), file))
    fixed = tuple(f"tests/{name}" for name in wanted)
    found = [folder for folder in all_folders() if folder.startswith(fixed or ("-",)) or reaches(folder, anchor)]
    return [*found, *(f"{SCONS}{target}" for target in rule_of(file).targets if target in TARGETS)]


@cache
def all_folders() -> list[str]:
    """Return the folders of tests, from the root, and the files beside them."""
    folders = {folder_of(relative(path)) for path in tests_below(ROOT / "tests")}
    return sorted(folder for folder in folders if not folder.startswith(APART))


def folder_of(test: str) -> str:
    """Return the folder that counts for a test; the test itself beside the folders of one that is split."""
    parts = test.split("/")
    return "/".join(parts[: 3 if "/".join(parts[:2]) in SPLIT else 2])


def reaches(folder: str, file: str) -> bool:
    """Return whether a test in a folder imports a file, over however many steps."""
    return file in reached_from(folder)


@cache
def reached_from(place: str) -> set[str]:
    """Return the files that the tests at a place, a file or a folder, import over however many steps."""
    found: set[str] = set()
    path = ROOT / place
    left = [place] if path.is_file() else [relative(found) for found in path.rglob("*.py")]
    while left:
        file = left.pop()
        if file not in found:
            found.add(file)
            left += imports_of(file)
    return found


@cache
def imports_of(file: str) -> list[str]:
    """Return the files that one imports, anywhere in it, and those that it starts as programs."""
    text = (ROOT / file).read_text()
    found = [path for name in names_in(ast.parse(text), file) for path in files_of_module(name)]
    runs_commands = file.startswith("tests/") and re.search(r"""["']gradmote["']|\bgradmote """, text)
    listed = [relative(path) for path in (ROOT / LISTED).glob("*.py")] if file == f"{LISTED}/__init__.py" else []
    return [*found, *listed, *([COMMAND_LINE] if runs_commands else [])]


def names_in(tree: ast.AST, file: str) -> Iterator[str]:
    """Yield the dotted names that a file imports, and those that its texts name, such as "gradmote.losses"."""
    package = next((Path(file).relative_to(path).parent.parts for path in PATHS if file.startswith(f"{path}/")), ())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            before = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*before, *([node.module] if node.module else [])])
            yield from (base, *(f"{base}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("gradmote"):
            yield node.value.partition(":")[0]


@cache
def files_of_module(name: str) -> list[str]:
    """Return the file of a module, and those of the packages around it; nothing if it is not of the project."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return []
    for folder in PATHS:
        files = [*packages(folder, parts), f"{folder}/{'/'.join(parts)}.py", f"{folder}/{'/'.join(parts)}/__init__.py"]
        found = [file for file in files if (ROOT / file).is_file()]
        if found:
            return found
    return []


def packages(folder: str, parts: list[str]) -> Iterable[str]:
    return (f"{folder}/{'/'.join(parts[:count])}/__init__.py" for count in range(1, len(parts)))
