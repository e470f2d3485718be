"""Find the checks that concern a file, for `./run check PATH`. Needs only a Python.

The folder of a file selects folders of tests, and its name selects files in these. A kernel conv_update.c has the tests
of tests/numeric/operators that mention conv_update or ConvUpdate or, if there are none, Conv.

If no test names the file, all tests of its folders run; if many do, the ones that name it most often. A check takes
half a minute: it leaves out tests that take longer, according to tests/durations.json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Suffixes of files that a check knows.
KNOWN = (".c", ".cpp", ".h", ".hpp", ".json", ".ld", ".md", ".mjs", ".py", ".toml", ".ts")
#: Maximum number of tests for one file.
MOST = 8
#: Maximum processor seconds of the tests of a check, not counting the first.
SECONDS = 20.0
BOARD_TESTS = ("tests/device/test_board.py", "tests/device/test_console.py", "tests/device/test_every_board.py")


@dataclass(frozen=True)
class Rule:
    """The tests and the SCons targets that concern the files of a folder.

    `tests` are the folders and files of tests to search for the name of a file. `always` run too. `otherwise` run if no
    test names the file; if it is empty, all of `tests` do. SCons builds the `targets`.
    """

    tests: tuple[str, ...]
    always: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


C_TESTS = ("test_c",)
PAGE_TESTS = ("tests/unit/repository/test_pages.py",)
CORTEX_M_TESTS = ("tests/c/arch/test_drawn_on_cortex_m.py", "tests/c/arch/test_quantized_on_cortex_m.py")
GENERATED_TESTS = ("tests/unit/repository/test_generated.py",)
CHECKS_TESTS = ("tests/numeric/optimizers/test_finite_state.py", "tests/unit/passes/test_checks_of_sums.py")
ELEMENTWISE_TESTS = ("tests/numeric/operators/test_elementwise.py",)
#: Kernels of a line or two, by family. Tests name the operators, and not the family.
ELEMENTWISE = Rule(("tests/numeric/operators",), always=ELEMENTWISE_TESTS, targets=C_TESTS)
#: Folder or file -> its rule. The longest match counts.
RULES = {
    "": Rule(("tests",), otherwise=(*GENERATED_TESTS, "tests/unit/repository/test_related_checks.py")),
    "arduino": Rule(("tests/toolchain/runtime_build/test_arduino_boards.py",)),
    "bindings": Rule(("tests/unit/bindings",)),
    "bindings/js": Rule(("tests/bindings/test_node.py", "tests/bindings/test_browser.py"), targets=("npm",)),
    "bindings/js/src/serial": Rule(("tests/bindings/test_serial.py",), targets=("npm",)),
    "bindings/js/studio": Rule(("tests/studio",), targets=("studio",)),
    "bindings/wasm": Rule(("tests/bindings/test_node.py", "tests/bindings/test_wasm.py"), targets=("npm",)),
    "bindings/micropython": Rule(("tests/bindings/test_micropython.py", "tests/bindings/test_micropython_console.py")),
    "bindings/cpp": Rule(("tests/toolchain/cpp/test_ort_training.py",)),
    "bindings/csharp": Rule(("tests/bindings/test_csharp.py",)),
    "bindings/java": Rule(("tests/bindings/test_java.py",)),
    "bindings/objc": Rule(("tests/bindings/test_objc.py",)),
    "bindings/shared": Rule(("tests/bindings/test_csharp.py", "tests/bindings/test_objc.py"), targets=C_TESTS),
    "bindings/shared/spec": Rule(GENERATED_TESTS, always=("tests/bindings/test_csharp.py",), targets=C_TESTS),
    "bindings/swift": Rule(("tests/bindings/test_swift.py",)),
    "bindings/threads": Rule(("tests/c/threads",)),
    "docs": Rule(("tests",), always=PAGE_TESTS, otherwise=GENERATED_TESTS),
    "examples": Rule(("tests/unit/examples",)),
    "examples/demo": Rule(("tests/unit/demo",)),
    "examples/zephyr": Rule(("tests/toolchain/builds/test_zephyr.py",)),
    "firmware": Rule(("tests/device",), otherwise=BOARD_TESTS),
    "firmware/boards": Rule(("tests/device/test_every_board.py", "tests/device/test_small_boards.py")),
    "firmware/linux": Rule(("tests/device/sbc",)),
    "firmware/platform": Rule(("tests/toolchain/pio",)),
    "firmware/signature": Rule(("tests/c/signature",)),
    "host_tools/gradmote": Rule(("tests",), otherwise=("tests/unit/cli", "tests/unit/image")),
    "host_tools/gradmote/flower": Rule(("tests/flower",)),
    "host_tools/gradmote/generated": Rule(GENERATED_TESTS, always=("tests/unit/image/test_image.py",)),
    "host_tools/gradmote/ir/generated": Rule(GENERATED_TESTS, always=("tests/unit/image/test_image.py",)),
    "host_tools/gradmote/operators": Rule(("tests/numeric/operators", "tests/numeric/losses")),
    "host_tools/gradmote/compiler/programs": Rule(("tests/unit/passes", "tests/numeric/optimizers")),
    "host_tools/gradmote/project": Rule(("tests/toolchain/pio/test_new_project.py",)),
    "host_tools/gradmote/testing": Rule(("tests/unit/pytest_plugin", "tests/unit/examples/test_testing.py")),
    "runtime_c": Rule(("tests/unit/bindings", "tests/unit/image", "tests/unit/store"), targets=C_TESTS),
    "runtime_c/kernels": Rule(("tests/numeric/operators", "tests/numeric/losses"), targets=C_TESTS),
    "runtime_c/kernels/arch": Rule(("tests/c/arch",), targets=C_TESTS),
    "runtime_c/kernels/arch/arm_m": Rule(CORTEX_M_TESTS),
    "runtime_c/kernels/arch/helium": Rule(CORTEX_M_TESTS),
    "runtime_c/kernels/arch/riscv": Rule(("tests/c/arch/test_drawn_on_riscv.py",)),
    "runtime_c/kernels/arch/soft_float": Rule((CORTEX_M_TESTS[0], "tests/c/arch/test_soft_sums.py")),
    "runtime_c/kernels/activations.c": ELEMENTWISE,
    "runtime_c/kernels/arithmetic.c": ELEMENTWISE,
    "runtime_c/kernels/checks.c": Rule((), always=CHECKS_TESTS, targets=C_TESTS),
    "runtime_c/kernels/extremum.c": Rule((), always=ELEMENTWISE_TESTS, targets=C_TESTS),
    "runtime_c/kernels/optimizers": Rule(("tests/numeric/optimizers",), targets=C_TESTS),
    "runtime_c/spec": Rule(GENERATED_TESTS, always=("tests/unit/image/test_image.py",)),
    "runtime_c/src/numerics.c": Rule(("tests/c/runtime/numerics_test.py",), targets=C_TESTS),
    "runtime_c/src/split.c": Rule(("tests/c/threads",), targets=C_TESTS),
    ".ci": Rule(("tests/unit/repository/test_nightly.py",)),
    "site_scons/nightly": Rule(("tests/unit/repository/test_nightly.py",)),
    "tests": Rule(("tests",)),
    "tests/c/powerloss": Rule((), targets=("powerloss",)),
    "tests/support": Rule(("tests",)),
    "tests/c/runtime": Rule(("tests/c/runtime",), targets=C_TESTS),
}


@dataclass(frozen=True)
class Checks:
    """The checks to run for some files: Python files and tests as paths from the root, and SCons targets.

    left_out: further tests that concern them, but take longer.
    """

    python: tuple[str, ...]
    tests: tuple[str, ...]
    targets: tuple[str, ...]
    left_out: tuple[str, ...] = ()


def checks_of(paths: Iterable[str]) -> Checks:
    """Return what concerns these files, and the files in these folders."""
    files = sorted({file for path in paths for file in files_of(path)})
    found = without_inner(dict.fromkeys(test for file in files for test in tests_of(file)))
    tests, left_out = within(found, SECONDS * max(1, len(files)))
    targets = {target for file in files for target in rule_of(file).targets}
    python = [file for file in files if file.endswith(".py") or file == "run"]
    return Checks(tuple(python), tuple(sorted(tests)), tuple(sorted(targets)), tuple(sorted(left_out)))


def within(tests: Iterable[str], most: float) -> tuple[list[str], list[str]]:
    """Return the tests that together take at most `most` seconds, in their order, and the others.

    A folder that takes longer counts by its files; a file that does is taken if nothing else was.
    """
    kept, left_out = [], []
    files = (file for test in tests for file in ([test] if seconds_of(test) <= most else files_of_tests(test)))
    for file in files:
        seconds = seconds_of(file)
        if seconds <= most or not kept:
            kept.append(file)
            most -= seconds
        else:
            left_out.append(file)
    return kept, left_out


def files_of_tests(path: str) -> list[str]:
    """Return the files of tests in a folder, fast ones first; or the file."""
    found = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / path).rglob("*test*.py"))
    return sorted(found, key=seconds_of) if found else [path]


def seconds_of(path: str) -> float:
    """Return the recorded processor seconds of the tests of a file or folder."""
    return sum(sum(taken.values()) for file, taken in durations().items() if f"{file}/".startswith(f"{path}/"))


@cache
def durations() -> dict[str, dict[str, float]]:
    return json.loads((ROOT / "tests" / "durations.json").read_text())


def files_of(path: str) -> list[str]:
    """Return the file, or the files of the folder, as paths from the root. Raises FileNotFoundError."""
    whole = Path(path).resolve()
    if not whole.exists() or not whole.is_relative_to(ROOT):
        raise FileNotFoundError(path)
    found = sorted(whole.rglob("*")) if whole.is_dir() else [whole]
    kept = [file for file in found if file == whole or (file.suffix in KNOWN and file.is_file())]
    return [file.relative_to(ROOT).as_posix() for file in kept if "__pycache__" not in file.parts]


def tests_of(file: str) -> list[str]:
    """Return the test files and folders that concern a file."""
    if is_test(file):
        return [file]
    rule = rule_of(file)
    named = tests_that_name(file, rule.tests)
    return [*rule.always, *(named or rule.otherwise or rule.tests)]


def rule_of(file: str) -> Rule:
    """Return the rule of the nearest folder that has one.

    Folders of the package have the tests in the folder of the same name, if there is one.
    """
    for folder in [file, *(parent.as_posix() for parent in Path(file).parents)]:
        if folder in RULES:
            return RULES[folder]
        own = folders_of_tests().get(Path(folder).name)
        if folder.startswith("host_tools/gradmote/") and own:
            return Rule((own,))
        if folder.startswith("tests/") and any((ROOT / folder).glob("test_*.py")):
            return Rule((folder,))
    return RULES[""]


@cache
def folders_of_tests() -> dict[str, str]:
    """Return the folders in the groups of tests: their names, and their paths from the root."""
    groups = [ROOT / "tests" / group for group in ("unit", "numeric", "c", "toolchain")]
    folders = [ROOT / "tests" / "device", *(path for group in groups for path in group.iterdir() if path.is_dir())]
    return {path.name: path.relative_to(ROOT).as_posix() for path in folders}


def is_test(file: str) -> bool:
    return file.startswith("tests/") and Path(file).name.startswith("test_") and file.endswith(".py")


def tests_that_name(file: str, places: Iterable[str]) -> list[str]:
    """Return the tests in these places that name the file, by the longest part of its name that any of them has."""
    texts = [found for place in places for found in texts_of(place)]
    word = words_of(file)[0].lower()  # texts without it need no search
    for pattern in patterns(file):
        counts = {test: len(pattern.findall(text)) for test, text, lower in texts if word in lower}
        named = sorted((test for test in counts if counts[test]), key=lambda test: -counts[test])
        if named:
            return named[:MOST]
    return []


def patterns(file: str) -> Iterator[re.Pattern[str]]:
    """Yield patterns by which tests may name a file: the whole name first, then the name without its last words."""
    words = words_of(file)
    yield re.compile(rf"\b{'_?'.join(map(re.escape, words))}(?:loss)?\b", re.IGNORECASE)
    if file.startswith(("runtime_c/kernels/", "host_tools/")):
        shorter = ("".join(map(str.capitalize, words[:count])) for count in range(len(words) - 1, 0, -1))
        yield from (re.compile(rf"\b{name}\b") for name in shorter)


def words_of(file: str) -> list[str]:
    """Return the words of a file's name, or of its folder's name for __init__.py and __main__.py."""
    path = Path(file)
    name = path.parent.name if path.stem.startswith("__") else path.stem
    return name.removeprefix("handle_").split("_")  # the handlers of console messages


@cache
def texts_of(place: str) -> list[tuple[str, str, str]]:
    """Return (name, text, text in lower case) of the tests at a place, a folder or a file."""
    found = sorted((ROOT / place).rglob("test_*.py")) if (ROOT / place).is_dir() else [ROOT / place]
    texts = {path.relative_to(ROOT).as_posix(): f"{path.stem[5:]} {path.read_text()}" for path in found}
    return [(test, text, text.lower()) for test, text in texts.items()]


def without_inner(paths: Iterable[str]) -> list[str]:
    """Return the paths in their order, without those inside another one of them."""
    chosen = list(paths)
    return [path for path in chosen if not any(parent.as_posix() in chosen for parent in Path(path).parents)]
