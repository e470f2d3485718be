"""gm_handle_functions.h and gm_handle_calls.h: the functions of gm_handle.h, their table, and the bodies of most."""

from __future__ import annotations

import textwrap
from itertools import groupby

from .session_spec import TYPES, Function, functions

HEADER = """\
#ifndef GM_HANDLE_FUNCTIONS_H
#define GM_HANDLE_FUNCTIONS_H

{sections}

/* ---- The table of functions -------------------------------------------------------------------- */

/* The functions above, in the same order, for callers that load the library of a profile by its
 * name. New ones are appended. */
typedef struct gm_handle_calls {{
{pointers}
}} gm_handle_calls;

/* Returns the functions of this library. */
GM_EXPORT const gm_handle_calls *gm_handle_table(void);

#endif
"""
BODY = """\
{prototype}
{{
    ENTER(handle);
    LEAVE(handle, {calls}({arguments}));
}}
"""
TABLE = """\
const gm_handle_calls *gm_handle_table(void)
{{
    static const gm_handle_calls calls = {{
{entries}
    }};
    return &calls;
}}
"""


def prototype(f: Function, name: str) -> str:
    """Return a function's prototype, with this form of its name: gm_handle_{} or (*{})."""
    arguments = ", ".join(TYPES[a.type][0] + a.name for a in f.arguments) or "void"
    return f"{TYPES[f.returns.type][0]}{name.format(f.name)}({arguments})"


def comment(f: Function) -> str:
    meanings = [f"{a.name}: {a.comment}." for a in f.arguments if a.comment]
    result = f"Returns {f.returns.comment}." if f.returns.comment else ""
    lines = textwrap.wrap(" ".join(filter(None, [f.text, *meanings, result])), 96)
    return "/* " + "\n * ".join(lines) + " */\n" if lines else ""


def declaration(f: Function) -> str:
    """Return a declaration with its comment, in lines that end after an argument."""
    words = f"GM_EXPORT {prototype(f, 'gm_handle_{}')};".replace(" ", "\0").replace(",\0", ", ")
    return comment(f) + textwrap.fill(words, 120, subsequent_indent=" " * 4).replace("\0", " ")


def body(f: Function) -> str:
    arguments = ", ".join(["session", *(a.name for a in f.arguments[1:])])
    return BODY.format(prototype=prototype(f, "gm_handle_{}"), calls=f.calls, arguments=arguments)


def render() -> dict[str, str]:
    """Return the text of each file."""
    every = functions()
    sections: list[str] = []
    for section, some in groupby(every, lambda f: f.section):
        sections += [f"/* ---- {section} ".ljust(99, "-") + " */", *map(declaration, some)]
    pointers = "\n".join(f"    {prototype(f, '(*{})')};" for f in every)
    table = TABLE.format(entries="\n".join(f"        .{f.name} = gm_handle_{f.name}," for f in every))
    return {
        "gm_handle_functions.h": HEADER.format(sections="\n\n".join(sections), pointers=pointers),
        "gm_handle_calls.h": "\n".join([*(body(f) for f in every if f.calls), table]),
    }
