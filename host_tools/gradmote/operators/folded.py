"""What follows from shapes or from constants: it is known when the batch is, and becomes a constant then."""

from .operator import Operator

OPERATORS = [
    Operator("Shape"),
    Operator("Size"),
    Operator("ConstantOfShape", constants=(0,)),
    Operator("Range", constants=(0, 1, 2)),
    Operator("NonZero", constants=(0,)),
]
