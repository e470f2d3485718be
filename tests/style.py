"""Count the patterns of docs/STYLE.md in the prose of each folder: pages, docstrings, comments.

cd tests && python -m style [--record | --sentences SEED] [FOLDER]

--record lowers the counts of style.toml to what there is. --sentences prints 25 drawn sentences, to be read by someone
who has not seen the code. With a folder, print each line that has a pattern.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import tomllib

ROOT = Path(__file__).resolve().parents[1]
RECORD = Path(__file__).with_name("style.toml")
PATTERNS = {
    "where": re.compile(r"\bwhere\b", re.I),
    "behind": re.compile(r"\bbehind\b", re.I),
    "lies": re.compile(r"\b(?:lies?|lay|lain)\b", re.I),
    "is no": re.compile(r"(?<!there )\b(?:is|are) no\b", re.I),
    "told": re.compile(r"\b(?:tells?|told)\b", re.I),
    "in place of": re.compile(r"\bin place of\b", re.I),
    "anew": re.compile(r"\banew\b", re.I),
    "but for": re.compile(r"\bbut for\b", re.I),
    "of which": re.compile(r"\bof which\b", re.I),
    "replace by": re.compile(r"\breplac(?:e|es|ing)\b[^.;:\n]{1,60}\bby\b(?! itself)", re.I),
}
#: These explain the patterns, record what was, or come from elsewhere.
EXCEPT = re.compile(r"(?:^|/)(?:generated|third_party)/|^docs/STYLE\.md$|^tests/style\.py$|^CHANGELOG\.md$")
C_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", re.S)
#: Docstrings, with what else has three quotes, and comments.
PYTHON_PROSE = re.compile(r'""".*?"""|(?<!\S)#[^\n]*', re.S)
#: Code in a page: fenced, and also in backticks.
FENCED = re.compile(r"^```.*?^```", re.S | re.M)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.S | re.M)
#: The files that have C's comments.
BRACES = (".c", ".h", ".S", ".ts", ".tsx", ".js", ".mjs", ".java", ".cs", ".m", ".swift", ".kt", ".css")


def files() -> list[str]:
    """Return the files of the checkout that are written by hand, as paths from its root."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if not EXCEPT.search(name) and (ROOT / name).is_file()]


def prose(path: Path, with_code: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the pieces of a file's prose, each with the line on which it begins. with_code: keep code in backticks."""
    if path.suffix == ".md":
        yield 1, (FENCED if with_code else CODE).sub(lambda code: "\n" * code[0].count("\n"), path.read_text())
    elif path.suffix == ".py" or path.suffix in BRACES:
        text, expression = path.read_text(), PYTHON_PROSE if path.suffix == ".py" else C_COMMENT
        yield from ((text.count("\n", 0, found.start()) + 1, found[0]) for found in expression.finditer(text))


def folder_of(name: str) -> str:
    """Return the folder that has a count of its own: two levels down, three below host_tools."""
    parts = name.split("/")[:-1]
    return "/".join(parts[: 3 if parts[:1] == ["host_tools"] else 2]) or "."


def counts() -> dict[str, Counter[str]]:
    """Return how often each folder has each pattern."""
    found: dict[str, Counter[str]] = {}
    for name in files():
        for _, text in prose(ROOT / name):
            for pattern, expression in PATTERNS.items():
                if number := len(expression.findall(text)):
                    found.setdefault(folder_of(name), Counter())[pattern] += number
    return found


def recorded() -> dict[str, Counter[str]]:
    return {folder: Counter(counts) for folder, counts in tomllib.loads(RECORD.read_text()).items()}


def record(found: dict[str, Counter[str]]) -> None:
    """Write the counts down, each of which may only fall."""
    lines = [
        "# How often each folder has the patterns of docs/STYLE.md. They may only fall: python -m style --record\n"
    ]
    for folder, some in sorted(found.items()):
        numbers = ", ".join(f'"{pattern}" = {some[pattern]}' for pattern in PATTERNS if some[pattern])
        lines.append(f'"{folder}" = {{ {numbers} }}\n')
    RECORD.write_text("".join(lines))


def more(found: dict[str, Counter[str]]) -> list[str]:
    """Return what has grown since it was recorded."""
    before = recorded()
    return [
        f"{folder}: '{pattern}' {number} times, {before.get(folder, Counter())[pattern]} before"
        for folder, some in sorted(found.items())
        for pattern, number in some.items()
        if number > before.get(folder, Counter())[pattern]
    ]


#: What stands before prose in its lines: the marks of comments, lists and tables.
MARKS = re.compile(r"^[ \t]*(?:/\*\*?|\*/|\*|//[/!]?|#+:?|[-|>]|[\"]{3})[ \t]*|\*/|\"\"\"", re.M)


def sentences() -> list[str]:
    """Return the sentences of at least six words in all prose, each with its file."""
    found: list[str] = []
    for name in files():
        for _, text in prose(ROOT / name, with_code=True):
            for sentence in re.split(r"(?<=[.!?])\s+|\n\s*\n", MARKS.sub("", text)):
                line = " ".join(sentence.split())
                if len(line.split()) >= 6 and line.endswith("."):
                    found.append(f"{name}: {line}")
    return found


def draw(seed: str, count: int = 25) -> None:
    """Print drawn sentences."""
    print("\n".join(Random(seed).sample(sentences(), count)))


def show(folder: str) -> None:
    """Print each line of a folder that has a pattern."""
    for name in (name for name in files() if f"{name}/".startswith(f"{folder}/")):
        for begin, text in prose(ROOT / name):
            for number, line in enumerate(text.split("\n"), begin):
                if any(expression.search(line) for expression in PATTERNS.values()):
                    print(f"{name}:{number}: {line.strip()}")


def table(found: dict[str, Counter[str]]) -> None:
    print(f"{'':32}" + "".join(f"{pattern:>12}" for pattern in PATTERNS))
    total = Counter[str]()
    for folder, some in sorted(found.items()):
        total.update(some)
        print(f"{folder:32}" + "".join(f"{some[pattern] or '':>12}" for pattern in PATTERNS))
    print(f"{'all':32}" + "".join(f"{total[pattern]:>12}" for pattern in PATTERNS))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sentences"]:
        draw(sys.argv[2])
    elif sys.argv[1:] and sys.argv[1] != "--record":
        show(sys.argv[1].rstrip("/"))
    else:
        if sys.argv[1:]:
            record(counts())
        table(counts())
