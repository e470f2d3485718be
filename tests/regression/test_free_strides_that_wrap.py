"""A stride whose dim is 1 could be anything, since no element is that far away; but kernels add it to an address once
before they stop, which wrapped round the memory of 32-bit processors. Strides are now at most as long as the memory
that they are in."""

import pytest

from gradmote import Session
from gradmote.errors import RuntimeFault
from gradmote.generated.opcodes import COUNTS, OPCODES
from support.program_image import SCRATCH, instruction, program_image

ROOM = 256
LARGEST = 2**31 - 1


#: Operand type -> bytes of an element, if they are not four.
SIZES = {"i8": 1, "i16": 2}


def axes_of(spec):
    """Return dim and stride of each axis of each operand."""
    return [axis for _, _, terms, _ in spec["operands"].values() for axis in terms]


def element_size(spec, stride):
    """Return the bytes of an element of the operands that have the stride: of the largest, which may step least."""
    found = [SIZES.get(operand[1], 4) for operand in spec["operands"].values() if stride in {s for _, s in operand[2]}]
    return max(found)


#: Opcode -> strides that are parameters, of dims that may be 1.
STRIDES = {
    opcode: sorted(
        {stride for _, stride in axes_of(spec) if spec["params"].get(stride, ("",))[0] == "stride"}
        - {stride for dim, stride in axes_of(spec) if dim in COUNTS}
    )
    for opcode, spec in OPCODES.items()
}


def image_of(opcode, stride, value):
    """Return an image of one instruction whose dims are 1; its operands follow each other."""
    operands = OPCODES[opcode]["operands"]
    size = SCRATCH + ROOM * len(operands)
    places = {name: SCRATCH + ROOM * i for i, name in enumerate(operands) if operands[name][1] != "rule"}
    optional = [name for name in ("slot1", "slot2", "aux") if name in places and "rule" in operands]
    places = {name: place for name, place in places.items() if name not in optional}
    rule = {"rule": 0x80000000} if "rule" in operands else {}
    words = instruction(opcode, places | rule, {stride: value(size) if callable(value) else value})
    return program_image([words], size, bytes(32))


@pytest.mark.parametrize("opcode", [opcode for opcode, strides in STRIDES.items() if strides])
def test_free_strides_stay_in_memory(opcode):
    for stride in STRIDES[opcode]:
        width = element_size(OPCODES[opcode], stride)
        Session(image_of(opcode, stride, lambda size, width=width: size // width)).close()
        for value in (lambda size, width=width: size // width + 1, 2**28, 2**30, LARGEST):
            with pytest.raises(RuntimeFault, match="BAD_OPERAND"):
                Session(image_of(opcode, stride, value))
