"""Print how the code is built: what goes round in circles, what has one name too often, what is too long.

cd tests && python -m structure
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "site_scons"))

from wrap_prose import too_wide  # noqa: E402  (the path is set above, for `python -m structure`)

PACKAGE = ROOT / "host_tools" / "gradmote"
BINDING = ROOT / "bindings" / "python" / "gradmote_runtime"
#: A docstring that begins so has no verb.
NO_VERB = ("Of", "What", "Where", "Those", "That", "Which")


# ---- Imports ---------------------------------------------------------------------------------------------------------


@cache
def modules() -> dict[str, Path]:
    """Return every module of the package and of the binding by its dotted name."""
    found: dict[str, Path] = {}
    for package in (PACKAGE, BINDING):
        found.update({name_of(path, package): path for path in sorted(package.rglob("*.py"))})
    return found


def name_of(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports_of(module: str) -> frozenset[str]:
    """Return the modules of these that one imports, anywhere in its file, type-only imports included."""
    path = modules()[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, package)
            found |= {f"{base}.{a.name}" if f"{base}.{a.name}" in modules() else base for a in node.names}
    return frozenset(found & modules().keys() - {module})


def absolute(node: ast.ImportFrom, package: str) -> str:
    """Return the full name of the module that `from ... import` names, in a file of `package`."""
    if node.level == 0:
        return node.module or ""
    base = package.split(".")
    return ".".join([*base[: len(base) - node.level + 1], *([node.module] if node.module else [])])


def circles() -> list[set[str]]:
    """Return the groups of modules in which each imports all others, in any number of steps."""
    return groups_that_go_round({module: imports_of(module) for module in modules()})


def groups_that_go_round(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the groups of nodes in which each reaches all others."""
    reached = {module: reachable(module, graph) for module in graph}
    groups = {frozenset({m} | {n for n in reached[m] if m in reached[n]}) for m in graph if m in reached[m]}
    return [set(group) for group in groups]


def reachable(module: str, graph: Mapping[str, frozenset[str]]) -> set[str]:
    """Return what a module imports over one step or more."""
    found: set[str] = set()
    left = list(graph[module])
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += graph[name]
    return found


# ---- Rooms -----------------------------------------------------------------------------------------------------------

#: The table of docs/ARCHITECTURE.md that has the rooms in their order.
ROOMS = re.compile(r"<!-- rooms -->\n(.*?)<!-- end -->", re.DOTALL)


@cache
def rows_of_rooms() -> dict[str, int]:
    """Return the rooms that the table names, each with the number of its row."""
    found = ROOMS.search((ROOT / "docs" / "ARCHITECTURE.md").read_text())
    assert found is not None, "docs/ARCHITECTURE.md has no table of rooms"
    lines = found[1].splitlines()[2:]
    return {room: number for number, line in enumerate(lines) for room in re.findall(r"`(\w+)`", line.split("|")[1])}


def room_of(module: str) -> str:
    """Return the folder, or the file at the top, that a module is in; the package itself is a room of its own."""
    package, _, rest = module.partition(".")
    return rest.split(".")[0] if package == "gradmote" and rest else package


def rooms() -> set[str]:
    return {room_of(module) for module in modules()}


def imports_against_the_rows() -> list[str]:
    """Return the imports of a room in the same row of the table or one below it."""
    return [
        f"{module} imports {other}"
        for module in modules()
        for other in sorted(imports_of(module))
        if room_of(module) != room_of(other) and rows_of_rooms()[room_of(module)] <= rows_of_rooms()[room_of(other)]
    ]


def two_way_pairs() -> set[tuple[str, str]]:
    """Return the pairs of rooms that import each other."""
    ways = {(room_of(module), room_of(other)) for module in modules() for other in imports_of(module)}
    return {(a, b) for a, b in ways if a < b and (b, a) in ways}


# ---- C modules -------------------------------------------------------------------------------------------------------

#: A C function as it is defined: at the margin, before the brace.
C_FUNCTION = re.compile(r"^((?:[\w*]+ )+)\**(\w+)\([^;{]*\)\n\{", re.M)
C_COMMENT = re.compile(r"/\*.*?\*/", re.S)
#: The firmware's modules that projects replace with their own, or builds with another file with the same functions.
REPLACED = ("application", "no_signature")


@cache
def c_modules(folder: str) -> dict[str, str]:
    """Return the C modules below a folder: the text of NAME.c and NAME.h, without comments, by name."""
    found: dict[str, str] = {}
    for path in sorted(p for p in (ROOT / folder).rglob("*.[ch]")):
        found[path.stem] = found.get(path.stem, "") + C_COMMENT.sub("", path.read_text())
    return found


def c_circles(folder: str, replaced: Sequence[str] = ()) -> list[set[str]]:
    """Return the groups of C modules below a folder in which each needs all others, in any number of steps.

    A module needs another one if it includes its header or names one of its functions. replaced: modules that a
    project or a build replaces with others, so that their own needs do not count.
    """
    texts = c_modules(folder)
    return groups_that_go_round({name: set() if name in replaced else needed_by(name, texts) for name in texts})


def needed_by(name: str, texts: Mapping[str, str]) -> set[str]:
    """Return the modules that one of `texts` needs itself."""
    included = {Path(path).stem for path in re.findall(r'#include "([^"]+)"', texts[name])}
    words = set(re.findall(r"\w+", texts[name])) - c_functions_of(texts[name])
    named = {other for other, text in texts.items() if words & c_functions_of(text, "static ")}
    return (included & texts.keys() | named) - {name}


def c_functions_of(text: str, but: str = "-") -> set[str]:
    """Return the functions that a text defines, but for those whose type begins with `but`."""
    return {name for kind, name in C_FUNCTION.findall(text) if not kind.startswith(but)}


# ---- TypeScript ------------------------------------------------------------------------------------------------------

#: What a TypeScript file imports from a file beside it, types included.
TS_IMPORT = re.compile(r"""\bfrom\s+["']([.#][^"']+)["']|\bimport\(?\s*["']([.#][^"']+)["']""")
#: The name that stands for one file or another, by what the package is built for -> one of these files.
TS_NAMES = {"#platform": ROOT / "bindings" / "js" / "src" / "platform.browser.ts"}


def ts_circles(folder: str) -> list[set[str]]:
    """Return the groups of TypeScript files below a folder in which each imports all others."""
    files = {path.resolve() for path in (ROOT / folder).rglob("*.ts*")}
    return groups_that_go_round({str(path): ts_imports(path) & {str(file) for file in files} for path in files})


def ts_imports(path: Path) -> set[str]:
    """Return the files that one may mean by its imports: a.js stands for a.ts, a for a.ts, a.tsx or a/index.ts."""
    names = [first or second for first, second in TS_IMPORT.findall(path.read_text())]
    named = [TS_NAMES.get(name, path.parent / name) for name in names]
    bare = [name.with_suffix("") if name.suffix in (".js", ".ts") else name for name in named]
    return {f"{name.resolve()}{ending}" for name in bare for ending in (".ts", ".tsx", "/index.ts")}


# ---- Names and sizes -------------------------------------------------------------------------------------------------


def top_modules() -> list[str]:
    return sorted(path.name for path in PACKAGE.glob("*.py"))


def names_used_often(most: int = 2) -> dict[str, int]:
    """Return the names of Python files, but for __init__ and __main__, that the package has more than `most` times."""
    counts = Counter(path.name for path in modules().values() if not path.name.startswith("__"))
    return {name: count for name, count in sorted(counts.items()) if count > most}


def functions() -> Iterator[tuple[int, str]]:
    """Yield the lines of each Python function, and where it stands."""
    for path in modules().values():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.end_lineno:
                yield node.end_lineno - node.lineno + 1, f"{path.relative_to(ROOT)}: {node.name}"


def c_functions() -> Iterator[tuple[int, str]]:
    """Yield the lines of each C function of runtime and firmware, from its brace to the one that closes it."""
    for path in [p for folder in ("runtime_c", "firmware") for p in sorted((ROOT / folder).rglob("*.c"))]:
        lines, begin = path.read_text().split("\n"), 0
        for number, line in enumerate(lines):
            if line == "{":
                begin = number
            elif line == "}":
                yield number - begin + 1, f"{path.relative_to(ROOT)}: {lines[begin - 1].strip()}"


# ---- Language --------------------------------------------------------------------------------------------------------


#: Where Python lies, tests included.
PYTHON = ("arduino", "bindings", "examples", "firmware", "host_tools", "site_scons", "tests")


def python_files() -> list[Path]:
    """Return every Python file of the checkout, without what PlatformIO keeps in hidden folders."""
    found = [path for folder in PYTHON for path in sorted((ROOT / folder).rglob("*.py"))]
    shown = [path for path in found if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)]
    return [ROOT / "run", ROOT / "setup.py", *shown]


QUOTED = re.compile(r'"""(.*?)"""', re.DOTALL)


def docstrings() -> Iterator[tuple[Path, str]]:
    """Yield the docstrings of all Python files: what stands in three quotes, with nothing before it in its line."""
    for path in python_files():
        text = path.read_text()
        for found in QUOTED.finditer(text):
            if not text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip():
                yield path, found[1]


def without_verb() -> list[str]:
    """Return the docstrings that begin with a word after which no verb comes."""
    return [f"{path.relative_to(ROOT)}: {text.split(chr(10))[0]}" for path, text in docstrings() if begins(text)]


def begins(text: str) -> bool:
    return re.match(rf"({'|'.join(NO_VERB)})\b", text) is not None


def pydocstyle() -> int:
    """Return how many findings ruff's pydocstyle rules have in the package and the bindings, by Google's convention."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--select",
        "D",
        "--config",
        'lint.pydocstyle.convention="google"',
        "--output-format",
    ]
    done = subprocess.run(
        [*command, "concise", PACKAGE, ROOT / "bindings"], capture_output=True, text=True, check=False
    )
    return sum(re.search(r": D\d+ ", line) is not None for line in done.stdout.split("\n"))


def long_prose(most: int = 100) -> int:
    """Return how many lines of the pages, outside tables and code, have more than `most` characters."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return sum(len(too_wide(page.read_text(), most)) for page in pages)


# ---- Adding things ---------------------------------------------------------------------------------------------------

#: The commit that added an elementwise operator, ThresholdedRelu.
OPERATOR_ADDED = "a316351"
#: What is rendered from runtime_c/spec, or measured by `scons accept`.
NOT_BY_HAND = re.compile(r"generated/|^docs/(NUMERICS|OPERATORS)\.md$|/measured\.json$")


def files_by_hand(commit: str) -> list[str] | None:
    """Return the files that someone wrote in a commit; None where this clone does not have it."""
    command = ["git", "show", "--name-only", "--format=", commit]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return None if done.returncode else [file for file in done.stdout.split() if not NOT_BY_HAND.search(file)]


# ---- The report ------------------------------------------------------------------------------------------------------


def longest(found: Iterator[tuple[int, str]], count: int = 3) -> str:
    return "; ".join(f"{lines} ({where})" for lines, where in sorted(found, reverse=True)[:count])


def report() -> Sequence[tuple[str, object]]:
    """Return what is measured and what was found."""
    return [
        ("import circles", len(circles())),
        ("pairs of rooms that import each other", len(two_way_pairs())),
        ("imports against the table of rooms", len(imports_against_the_rows())),
        ("circles of C modules, runtime", len(c_circles("runtime_c/src"))),
        ("circles of C modules, MicroPython", len(c_circles("bindings/micropython/gradmote"))),
        ("circles of C modules, firmware", len(c_circles("firmware/src", REPLACED))),
        ("circles of TypeScript files", len(ts_circles("bindings/js"))),
        ("modules at the top", len(top_modules())),
        ("names of files used more than twice", names_used_often() or 0),
        ("docstrings that pydocstyle finds fault with", pydocstyle()),
        ("docstrings that begin without a verb", len(without_verb())),
        ("lines of prose over 100 characters", long_prose()),
        (f"files of an operator ({OPERATOR_ADDED})", ", ".join(files_by_hand(OPERATOR_ADDED) or ["not in this clone"])),
        ("longest functions in Python", longest(functions())),
        ("longest functions in C", longest(c_functions())),
    ]


if __name__ == "__main__":
    for what, found in report():
        print(f"{what:44} {found}")
