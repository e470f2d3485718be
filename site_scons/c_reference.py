"""Turn a C header into a page, with the text of each comment above its declarations.

Headers are written for readers: a comment that begins with dashes is a heading, and every other one is about the
declarations below it, up to the next comment or empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

HEADING = re.compile(r"/\* -{2,} (.+?) -{2,} \*/")
#: Text that no reader needs: the guard, includes, and linkage for C++.
SKIPPED = re.compile(
    r"^#ifndef (\w+_H)\n#define \1\n|^#include[^\n]*\n|^#ifdef __cplusplus.*?#endif\n|#endif\s*\Z", re.M | re.S
)
#: Patterns of the declared name; the first match counts.
NAMES = (
    re.compile(r"#define (\w+)"),
    re.compile(r"^\} *(\w+);", re.M),
    re.compile(r"\(\*(\w+)\)\("),
    re.compile(r"^enum (\w+)"),
    re.compile(r"\b(\w+)\("),
)
CODE_WORD = re.compile(r"`[^`]*`|\b(?:gm_\w+|GM_\w+|splitter|NULL)\b(?:\(\))?|\b\w+\[[^\]]*\]")


@dataclass
class Group:
    """A heading, or a comment and its declarations."""

    heading: str = ""
    comment: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    only_with: str = ""


def page(header: str) -> str:
    """Return the header as Markdown, without its first heading."""
    return "\n\n".join(text for group in groups(SKIPPED.sub("", header).split("\n")) for text in sections(group)) + "\n"


def groups(lines: list[str]) -> Iterator[Group]:
    """Yield the header's headings, and its comments with their declarations."""
    conditions: list[str] = []
    group = Group()
    in_comment = False
    for line in lines:
        begins = not in_comment and line.startswith("/*")
        divides = not in_comment and condition(line, conditions)
        ends = (begins or divides or not line) and balanced(group.code) if group.code else not in_comment and not line
        if ends and (group.code or group.comment):
            yield group
            group = Group()
        if begins and (found := HEADING.match(line)):
            yield Group(heading=found[1])
        elif begins or in_comment:
            group.comment.append(line)
            in_comment = "*/" not in line
        elif line and not divides:
            group.code.append(line)
            group.only_with = "".join(conditions[:1])


def condition(line: str, conditions: list[str]) -> bool:
    """Return whether a line begins or ends a part for some builds only; `conditions` holds the open ones."""
    if line.startswith("#if"):
        conditions.append(line[4:] if line.startswith("#if GM_") else "")
        return conditions[-1] != ""
    return line.startswith("#endif") and conditions.pop() != ""


def balanced(code: list[str]) -> bool:
    text = "\n".join(code)
    opened = text.count("{") == text.count("}") and len(re.findall(r"^#if", text, re.M)) == text.count("#endif")
    return opened and not text.endswith(("\\", ","))


def sections(group: Group) -> Iterator[str]:
    """Yield the sections of the page for a group."""
    if group.heading:
        yield f"## {group.heading}"
    if names := declared(group.code):
        yield f"### {', '.join(names)}"
    if group.only_with:
        yield f"Only where `{group.only_with}` is 1."
    if group.comment:
        yield prose(group.comment)
    if group.code:
        yield "```c\n" + "\n".join(group.code) + "\n```"


def declared(code: list[str]) -> list[str]:
    """Return the names that some declarations declare, each once."""
    found = []
    for declaration in re.findall(r"^#define.*|^enum .*|^typedef.*?^\}.*?;|^\w[^;{]*;", "\n".join(code), re.M | re.S):
        match = next((match for pattern in NAMES if (match := pattern.search(declaration))), None)
        found += [match[1]] if match else []
    return list(dict.fromkeys(found))


def prose(comment: list[str]) -> str:
    """Return a comment as Markdown: paragraphs, and examples that are indented in it."""
    lines = [re.sub(r"^(/\*| \*(?!/)) ?", "", re.sub(r"\s*\*/$", "", line)) for line in comment]
    text = "\n".join(line if line.startswith("    ") else marked(line) for line in lines)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def marked(line: str) -> str:
    """Return a line with C names as code, and the names of pages as links."""
    line = re.sub(r"[*<>]", lambda found: f"\\{found[0]}", CODE_WORD.sub(as_code, line))
    return re.sub(r"\bdocs/(\w+\.md)", r"[\1](\1)", line)


def as_code(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("`") else f"`{found[0]}`"
