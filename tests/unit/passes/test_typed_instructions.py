"""mypy finds an error in an instruction at the line that has it, and the classes are those of the specification."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gradmote.generated.opcodes import OPCODES
from gradmote.ir.generated.instructions import INSTRUCTIONS, Gemm, Relu
from gradmote.ir.instruction import Buffer, Instruction, Ref

ROOT = Path(__file__).resolve().parents[3]

SNIPPET = """
from gradmote.ir.instruction import Instruction, Ref
from gradmote.ir.generated.instructions import CheckBound, Conv, MaxPool, Normalize, Relu


def width(i: Instruction) -> int:
    return i.stride_w if isinstance(i, Conv | MaxPool) else 1


def right(x: Ref) -> None:
    CheckBound(x=x, rows=2, n=3, step=3, limit=1.0)
    Normalize(x=x, inv_std=x, scale=x, y=x, outer=1, channels=2, inner=3, activation="relu")


def wrong(x: Ref, i: Instruction) -> None:
    CheckBound(x=x, rows=2, n=3, stepp=3, limit=1.0)
    CheckBound(x=x, rows=2, n=3, limit=1.0)
    CheckBound(rows=2, n=3, step=3, limit=1.0)
    CheckBound(x=x, rows=2, n=3, step="3", limit=1.0)
    Normalize(x=x, inv_std=x, scale=x, y=x, outer=1, channels=2, inner=3, activation="tanh")
    Relu(x=None, y=x, n=1)
    i.stride_w
    if isinstance(i, Conv):
        i.stide_w
"""
#: line of wrong() -> what mypy says of it
FOUND = {
    1: 'Unexpected keyword argument "stepp" for "CheckBound"',
    2: 'Missing named argument "step" for "CheckBound"',
    3: 'Missing named argument "x" for "CheckBound"',
    4: 'Argument "step" to "CheckBound" has incompatible type "str"; expected "int"',
    5: 'Argument "activation" to "Normalize" has incompatible type',
    6: 'Argument "x" to "Relu" has incompatible type "None"; expected "Ref"',
    7: '"Instruction" has no attribute "stride_w"',
    9: '"Conv" has no attribute "stide_w"',
}


#: What the classes are made of; mypy looks at these modules alone, which is quicker.
MODULES = (
    "ir/instruction.py",
    "errors.py",
    "generated/errors.py",
    "ir/generated/instructions.py",
    "generated/opcodes.py",
)


def test_mypy_finds_wrong_strides_and_missing_operands(tmp_path):
    for module in MODULES:
        copy = tmp_path / "gradmote" / module
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "host_tools" / "gradmote" / module, copy)
        (copy.parent / "__init__.py").touch()
    (tmp_path / "snippet.py").write_text(SNIPPET)
    command = [sys.executable, "-m", "mypy", "--config-file=", "--python-version=3.11", "--cache-dir=/dev/null"]
    said = subprocess.run([*command, "snippet.py"], cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    begin = SNIPPET.split("\n").index("def wrong(x: Ref, i: Instruction) -> None:") + 1
    found = {int(line) - begin: text for line, text in re.findall(r"^snippet\.py:(\d+): error: (.*)", said, re.M)}
    assert found.keys() == FOUND.keys(), said
    assert [found[line] for line in FOUND if FOUND[line] not in found[line]] == []


@pytest.mark.parametrize("opcode", OPCODES)
def test_fields_are_those_of_the_specification(opcode):
    kind, spec = INSTRUCTIONS[opcode], OPCODES[opcode]
    fields = [name for base in kind.__mro__[1::-1] for name in base.__annotations__ if base is not Instruction]
    assert fields == [*spec["operands"], *spec["params"]]
    assert kind.opcode == opcode and kind.__name__.lower() == opcode.replace("_", "").lower()


def test_an_operand_is_redirected_at_its_offset():
    old, new = Buffer("old", 24, "scratch"), Buffer("new", 24, "scratch")
    relu = Relu(x=Ref(old, 4), y=Ref(new), n=2)
    relu.redirect(old, new)
    assert relu.x == Ref(new, 4) and relu.reads == [Ref(new, 4)] and relu.writes == [Ref(new)]
    assert issubclass(Gemm, Instruction) and relu.work == 2
