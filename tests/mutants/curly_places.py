"""Finds what can be mutated in C and in TypeScript, token by token."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from .mutant import Place

TOKEN = re.compile(
    r"""
    (?P<skipped> //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.)* | \s+ )
  | (?P<text> "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | `(?:[^`\\]|\\.)*` )
  | (?P<number> (?:0[xX][\da-fA-F]+ | \d+\.?\d*(?:[eE][-+]?\d+)?) [uUlLfFn]* )
  | (?P<word> [\w$\#]+ )
  | (?P<sign> >>>= | <<= | >>= | === | !== | \.\.\. | >>> | \*\* | => | -> | \+\+ | -- | && | \|\| | \?\? | \?\.
      | [-+*/%&|^<>=!]= | << | >> | . )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
#: Operator between two operands -> (kind of the mutation, what takes its place).
SWAPS = {
    **{sign: ("relation", other) for sign, other in (("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"))},
    **{sign: ("equality", other) for sign, other in (("==", "!="), ("!=", "=="), ("===", "!=="), ("!==", "==="))},
    **{sign: ("arithmetic", other) for sign, other in (("+", "-"), ("-", "+"), ("*", "/"), ("/", "*"), ("%", "*"))},
    **{sign: ("bits", other) for sign, other in (("<<", ">>"), (">>", "<<"), ("&", "|"), ("|", "&"))},
    **{sign: ("logic", other) for sign, other in (("&&", "||"), ("||", "&&"))},
    **{sign: ("assignment", other) for sign, other in (("+=", "-="), ("-=", "+="), ("*=", "+="), ("|=", "&="))},
}
#: Statements that begin with these words declare something, or change nothing that a program computes.
SKIPPED_STATEMENTS = {
    *("asm", "__asm", "__asm__", "_Static_assert", "typedef", "throw", "import", "interface", "type"),
    "gm_thread_pause",
}
#: Statements that begin with these are not removed: without them a function has another form, or a name is missing.
KEPT_STATEMENTS = {
    *("return", "break", "continue", "goto", "case", "default", "else", "do", "if", "for", "while", "switch", "export"),
    *("const", "static", "let", "var", "void", "int", "float", "double", "char", "struct", "unsigned", "export"),
}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text, without spaces, comments and lines of the preprocessor."""
    found = (Token(str(match.lastgroup), match.group(), match.start()) for match in TOKEN.finditer(text))
    return [token for token in found if token.kind != "skipped"]


def places(text: str) -> list[Place]:
    """Return all places in the functions of a text that an operator would replace."""
    found: list[Place] = []
    for statement in statements(tokens(text)):
        if statement[0].text not in SKIPPED_STATEMENTS:
            found += [*swapped(statement, text), *counted(statement), *negated(statement, text)]
            found += removed(statement, text)
    return found


def statements(found: list[Token]) -> Iterator[list[Token]]:
    """Yield the runs of tokens inside of functions up to each semicolon or brace, which is the run's last token."""
    round_depth, run, bodies = 0, list[Token](), list[bool]()
    for token in found:
        run.append(token)
        round_depth += {"(": 1, ")": -1}.get(token.text, 0)
        if token.text == "{":
            bodies.append(bool(bodies and bodies[-1]) or opens_body(run))
        if token.text in ("{", "}") or (token.text == ";" and round_depth == 0):
            if bodies and bodies[-1] and len(run) > 1:
                yield run
            run = []
        if token.text == "}" and bodies:
            bodies.pop()


def opens_body(run: list[Token]) -> bool:
    """Return whether the brace that ends a run begins the body of a function, and no list of values or members."""
    words = [token.text for token in run]
    return (")" in words and "=" not in words[: words.index(")")]) or "=>" in words


def swapped(statement: list[Token], text: str) -> Iterator[Place]:
    """Yield operators with a space on either side: in formatted sources these have two operands, and are not types."""
    for token in statement:
        end = token.start + len(token.text)
        if token.kind == "sign" and token.text in SWAPS and text[token.start - 1] in " \n" and text[end] in " \n":
            kind, other = SWAPS[token.text]
            yield Place(token.start, kind, token.text, other)


def counted(statement: list[Token]) -> Iterator[Place]:
    """Yield numbers, one larger, except the sizes of arrays that are declared."""
    for before, token in pairwise(statement):
        is_size = before.text == "[" and declares(statement)
        if token.kind == "number" and not is_size:
            yield Place(token.start, "constant", token.text, one_more(token.text))


def declares(statement: list[Token]) -> bool:
    """Return whether a statement begins with the name of a type and that of a variable."""
    kinds = [token.kind for token in statement[:2]]
    return kinds == ["word", "word"] or statement[0].text in KEPT_STATEMENTS


def one_more(number: str) -> str:
    digits = re.fullmatch(r"(0[xX][\da-fA-F]+|[\d.]+(?:[eE][-+]?\d+)?)(.*)", number)
    assert digits, number
    value, suffix = digits.groups()
    if value[:2] in ("0x", "0X"):
        return f"{int(value, 16) + 1:#x}{suffix}"
    if value.isdigit():
        return f"{int(value) + 1}{suffix}"
    return f"{float(value) + 1!r}{suffix}"


def negated(statement: list[Token], text: str) -> Iterator[Place]:
    """Yield the condition of an if, negated."""
    words = [token.text for token in statement]
    if "if" in words and words[-1] == "{" and words[words.index("if") + 1] == "(":
        first, last = statement[words.index("if") + 1], statement[-2]
        condition = text[first.start : last.start + 1]
        if last.text == ")":
            yield Place(first.start, "condition", condition, f"(!{condition})")


def removed(statement: list[Token], text: str) -> Iterator[Place]:
    """Yield assignments and calls, removed."""
    first, last = statement[0], statement[-1]
    acts = any(token.text in ("(", "=") or token.text in SWAPS for token in statement)
    if last.text == ";" and acts and first.kind == "word" and not declares(statement):
        yield Place(first.start, "statement", text[first.start : last.start + 1], ";")
