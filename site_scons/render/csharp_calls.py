"""Calls.cs: the functions of gm_handle.h for C#, with a delegate for each signature."""

from __future__ import annotations

from .js_tables import camel
from .python_instructions import camel as pascal
from .session_spec import TYPES, Function, functions
from .spec import Field

SOURCE = """\
using System;
using System.Runtime.InteropServices;

namespace Gradmote
{{
    /// <summary>The functions of gm_handle.h, in the order of its struct gm_handle_calls.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal partial struct Native
    {{
{fields}

        private const CallingConvention C = CallingConvention.Cdecl;

{delegates}
    }}
}}
"""


def argument(a: Field) -> str:
    return f"{TYPES[a.type][1]} {'@out' if a.name == 'out' else camel(a.name)}"


def delegate(f: Function) -> str:
    result = "IntPtr" if f.returns.type == "text" else TYPES[f.returns.type][1]
    declared = f"{result} {pascal(f.name)}Call({', '.join(map(argument, f.arguments))})"
    return f"        [UnmanagedFunctionPointer(C)] internal delegate {declared};"


def render() -> dict[str, str]:
    """Return the text of the file. The first function with a signature gives the delegate its name."""
    of_signature: dict[tuple[str, ...], Function] = {}
    fields = []
    for f in functions():
        first = of_signature.setdefault((f.returns.type, *(argument(a).rpartition(" ")[0] for a in f.arguments)), f)
        fields.append(f"        internal {pascal(first.name)}Call {pascal(f.name)};")
    delegates = "\n".join(map(delegate, of_signature.values()))
    return {"Calls.cs": SOURCE.format(fields="\n".join(fields), delegates=delegates)}
