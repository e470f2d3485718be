"""QLookup, any function of one int8 number as a table of its 256 results.

y = table[x + 128]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..ir.copies import flat_copy
from ..ir.graph import DOMAIN
from .elementwise import flat_operand
from .operator import Operator
from .quantized import numbers

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one COPY_S8 with a table; the output has the layout of the input."""
    x, layout = flat_operand(low, node.inputs[0])
    y, table = node.outputs[0], low.constant(numbers(node, 1).astype(np.int8).tobytes())
    low.emit(node, flat_copy(x, low.output(y, layout, "i8"), low.elements(y), "i8", table))


BODY = """
QLookup (X, table) => (Y) {
  middle = Constant <value_int = 128> ()
  wide = Cast <to = 7> (X)
  index = Add (wide, middle)
  Y = Gather (table, index)
}"""

OPERATORS = [Operator("QLookup", None, lower, DOMAIN, BODY, any_width=True)]
