"""The types of tensors' elements, by their names in each language. The enum's names have kind and bits: I16.

The type that only moments have is left out, because no language needs it.
"""

from __future__ import annotations

from dataclasses import dataclass

from .spec import load

#: The kinds of numbers, by the first letter.
KINDS = {"F": "float", "I": "int", "U": "uint"}
OF_MOMENTS = "BF16"
#: Codes of Python's modules array and struct, which are the same in MicroPython.
TYPECODES = {"float32": "f", "int32": "i", "int8": "b", "uint8": "B", "int16": "h"}


@dataclass(frozen=True)
class Dtype:
    """title: for callers, such as "uint8". array: JavaScript's typed array."""

    name: str
    title: str
    bytes: int

    @property
    def array(self) -> str:
        return f"{self.title.capitalize()}Array"

    @property
    def typecode(self) -> str:
        return TYPECODES[self.title]


def dtypes() -> list[Dtype]:
    """Return the types in the order of their numbers."""
    names = [name for name in load("records")["enums"]["dtype"] if name != OF_MOMENTS]
    return [Dtype(name, f"{KINDS[name[0]]}{name[1:]}", int(name[1:]) // 8) for name in names]
