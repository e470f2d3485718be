"""Read bindings/shared/spec/session.toml: the functions of gm_handle.h, shared by the renderers of C and C#."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .spec import SHARED_SPEC, Field, load, parse_field

#: Type -> in C, before the name, and in C#. A record is a uint[] there, and the caller pins an array.
TYPES = {
    "int": ("int ", "int"),
    "u32": ("uint32_t ", "uint"),
    "i64": ("int64_t ", "long"),
    "f32": ("float ", "float"),
    "size": ("size_t ", "UIntPtr"),
    "text": ("const char *", "byte[]"),
    "bytes": ("const void *", "byte[]"),
    "array": ("const void *", "IntPtr"),
    "bytes*": ("void *", "byte[]"),
    "array*": ("void *", "IntPtr"),
    "u32*": ("uint32_t *", "out uint"),
    "f32*": ("float *", "out float"),
    "gm_control*": ("gm_control *", "uint[]"),
    "gm_handle_tensor*": ("gm_handle_tensor *", "byte[]"),
    "gm_property*": ("gm_property *", "uint[]"),
    "gm_requirements*": ("gm_requirements *", "uint[]"),
    "gm_store_info*": ("gm_store_info *", "uint[]"),
}


@dataclass(frozen=True)
class Function:
    name: str
    section: str
    text: str
    arguments: tuple[Field, ...]  #: with the handle, unless the function is static
    returns: Field
    calls: str  #: the function that does it with a gm_session; "" if gm_handle.c has the whole function


def function(name: str, section: str, entry: dict[str, Any]) -> Function:
    """Return the function of an entry."""
    is_static, returns = entry.get("static", False), parse_field(entry.get("returns", "status: int"))
    arguments = [*([] if is_static else ["handle: i64"]), *entry.get("takes", ())]
    calls = "" if is_static or returns.type != "int" else entry.get("calls", f"gm_{name}")
    return Function(name, section, entry.get("text", ""), tuple(map(parse_field, arguments)), returns, calls)


def functions() -> list[Function]:
    """Return all functions in the order of the table of functions."""
    sections = load("session", SHARED_SPEC).items()
    return [function(name, section, entry) for section, entries in sections for name, entry in entries.items()]
