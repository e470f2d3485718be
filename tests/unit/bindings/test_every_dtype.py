"""Every type of elements that a tensor can have is known to every language, with its bytes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from gradmote.generated.records import DTYPE, STORE_DTYPE
from gradmote_runtime.arrays import DTYPE_NAME, ITEM_CODE, ITEM_SIZE
from support.firmware import ROOT

BINDINGS = ROOT / "bindings"
#: The types of tensors; those of moments alone are never seen.
TENSORS = {name: number for name, number in DTYPE.items() if name != "bf16"}
#: Names as in the spec, with their bits: "i16".
Table = dict[str, int]
#: The name of a language's type -> that of the spec.
SHORT = {"float": "f32", "sbyte": "i8", "byte": "u8", "short": "i16", "int": "i32"}


def text(path: str) -> str:
    return (BINDINGS / path).read_text()


def found(pattern: str, path: str) -> str:
    match = re.search(pattern, text(path), re.DOTALL)
    assert match, pattern
    return match[1]


def short(title: str) -> str:
    """Return the spec's name of "uint8" or "UInt8"."""
    kind, bits = re.fullmatch(r"([a-z]+)(\d*)", title.lower()).groups()  # type: ignore[union-attr]
    return {"float": "f", "int": "i", "uint": "u"}[kind] + (bits or "32")


def of_python() -> Table:
    assert list(ITEM_CODE) == list(DTYPE_NAME) == list(ITEM_SIZE) == sorted(TENSORS.values())
    return {short(DTYPE_NAME[dtype]): 8 * ITEM_SIZE[dtype] for dtype in ITEM_SIZE}


def of_javascript() -> Table:
    names = re.findall(r"\w+", found(r"const DTYPE = \[(.*?)\]", "js/src/generated/records.ts"))
    arrays = re.findall(r"(\w+)Array", found(r"ARRAYS = \[(.*?)\]", "js/src/generated/records.ts"))
    assert [name.lower() for name in arrays] == names
    return {short(name): int(re.sub(r"\D", "", name)) for name in arrays}


def of_micropython() -> Table:
    names = re.findall(r"\w+", found(r"DTYPES = \((.*?)\)", "micropython/generated/gradmote_frames.py"))
    codes = found(r"TYPECODES = '(\w+)'", "micropython/generated/gradmote_frames.py")
    rows = re.findall(r"'(\w)', (\d), \"(\w+)\"", text("micropython/generated/dtypes.h"))
    assert [(name, code) for code, _, name in rows] == list(zip(names, codes, strict=True))
    return {short(name): 8 * int(width) for _, width, name in rows}


def of_java() -> Table:
    names = re.findall(r"\w+", found(r"enum DType \{(.*?);", "java/src/main/java/gradmote/Tensor.java"))
    return {name.lower(): int(name[1:]) for name in names}


def of_csharp() -> Table:
    names = re.findall(r"\w+", found(r"enum DType \{(.*?)\}", "csharp/src/Tensor.cs"))
    types = re.findall(r"typeof\((\w+)\)", found(r"Types = \{(.*?)\}", "csharp/src/Tensor.cs"))
    assert [SHORT[name] for name in types] == [name.lower() for name in names]
    return {name.lower(): int(name[1:]) for name in names}


def of_swift() -> Table:
    rows = re.findall(r'\("(\w+)", (\d)\)', found(r"let numbers[^=]*= \[(.*?)\]", "swift/Gradmote/Session.swift"))
    known = re.findall(r"extension (\w+): TensorNumber .*?GM_DTYPE_(\w+)\.", text("swift/Gradmote/Session.swift"))
    assert [(name, short(name).upper()) for name, _ in rows] == known
    return {short(name): 8 * int(width) for name, width in rows}


def of_objective_c() -> Table:
    rows = re.findall(r"\[GM_DTYPE_(\w+)\] = \{(\d),", text("objc/src/GMSession.m"))
    names = re.findall(r"GMDType(\w+),", found(r"GMDType\) \{(.*?)\}", "objc/include/GMSession.h"))
    cases = re.findall(r"case GMDType(\w+):", text("objc/src/ORTValue.m"))
    assert names == cases == [name for name, _ in rows]
    return {name.lower(): 8 * int(width) for name, width in rows}


@pytest.mark.parametrize(
    "table", [of_python, of_javascript, of_micropython, of_java, of_csharp, of_swift, of_objective_c]
)
def test_a_language_knows_every_dtype(table: Callable[[], Table]) -> None:
    """The table is in the order of the spec's numbers."""
    assert list(table().items()) == [(name, int(name[1:])) for name in TENSORS]


def test_micropython_knows_all_that_a_store_keeps() -> None:
    names = re.findall(r"\w+", found(r"STORE_DTYPES = \((.*?)\)", "micropython/generated/gradmote_frames.py"))
    assert names == list(STORE_DTYPE)
    assert re.findall(r'return "(\w+)"', text("micropython/generated/dtypes.h")) == names
