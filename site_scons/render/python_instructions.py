"""The instructions as typed Python classes: one for each opcode, its operands and parameters as fields."""

from .spec import Opcode, Operand, Param, opcodes

HEAD = '''"""The instructions of runtime_c/spec/opcodes.toml as typed classes.

Each is named after its opcode. Operands and parameters are fields, in the order of the specification.
Opcodes that differ only in what they compute share a base class, named after the first of them.
"""

from __future__ import annotations

from typing import Literal

from ..instruction import Instruction, Ref

'''
TYPES = {"dim": "int", "stride": "int", "i32": "int", "u32": "int", "f32": "float", "flag": "bool"}


def render() -> dict[str, str]:
    found = opcodes()
    alike = {o.like for o in found if o.like}
    parts = [text for o in found for text in classes(o, shares=o.name in alike)]
    table = "".join(f"    {camel(o.name)},\n" for o in found)
    by_name = "\n#: opcode -> its class\nINSTRUCTIONS: dict[str, type[Instruction]] = {i.opcode: i for i in (\n"
    return {"instructions.py": HEAD + "\n".join(parts) + by_name + table + ")}\n"}


def camel(opcode: str) -> str:
    """Return an opcode's name as a class name: SOFTMAX_GRAD -> SoftmaxGrad."""
    return "".join(part.title() for part in opcode.split("_"))


def classes(op: Opcode, shares: bool) -> list[str]:
    """Return the class of an opcode, after its base class if it is the first of several that share one."""
    if op.like:
        return [opcode_class(op, f"{camel(op.like)}Like", [])]
    if shares:
        base, meaning = f"{camel(op.name)}Like", f"An instruction with the fields of {op.name}."
        return [class_text(base, "Instruction", meaning, fields(op)), opcode_class(op, base, [])]
    return [opcode_class(op, "Instruction", fields(op))]


def opcode_class(op: Opcode, base: str, lines: list[str]) -> str:
    return class_text(camel(op.name), base, op.meaning, [f'opcode = "{op.name}"', *lines])


def class_text(name: str, base: str, meaning: str, body: list[str]) -> str:
    return "\n".join([f"\nclass {name}({base}):", f'    """{meaning}"""', "", *(f"    {line}" for line in body), ""])


def fields(op: Opcode) -> list[str]:
    return [*map(operand, op.operands), *map(parameter, op.params)]


def operand(o: Operand) -> str:
    return f"{o.name}: Ref | None = None" if o.optional else f"{o.name}: Ref"


def parameter(p: Param) -> str:
    kind = f"Literal[{', '.join(repr(c) for c in p.choices)}]" if p.kind == "enum" else TYPES[p.kind]
    return f"{p.name}: {kind}"
