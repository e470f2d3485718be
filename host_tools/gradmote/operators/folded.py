"""Operators whose results follow from shapes or constants.

The results are known when the batch is, and become constants then.
"""

from .operator import Operator

OPERATORS = [
    Operator("Shape"),
    Operator("Size"),
    Operator("ConstantOfShape", constants=(0,)),
    Operator("Range", constants=(0, 1, 2)),
    Operator("NonZero", constants=(0,)),
]
