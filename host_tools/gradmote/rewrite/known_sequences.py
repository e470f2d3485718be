"""The pass that replaces sequences of tensors whose length is known, as an unrolled loop leaves, with the tensors."""

from __future__ import annotations

import onnx_ir as ir

from ..ir.graph import Builder, attribute, constant_array
from .inline_branches import replace_outputs


def run(graph: ir.Graph) -> bool:
    """Replace what reads sequences of known elements; return whether anything did."""
    readers = [node for node in graph if node.op_type in READERS and not node.domain]
    known = [(node, found) for node in readers if (found := elements(node.inputs[0])) is not None]
    made = [READERS[node.op_type](Builder(graph), node, found) for node, found in known]
    pairs = [(node, value) for (node, _), value in zip(known, made, strict=True) if value is not None]
    for node, value in pairs:
        replace_outputs(graph, node, [value])
    return bool(pairs)


def elements(sequence: ir.Value | None) -> list[ir.Value] | None:
    """Return the tensors of a sequence; None if they are not known."""
    inserted: list[ir.Node] = []
    while sequence is not None and (node := sequence.producer()) is not None and node.op_type == "SequenceInsert":
        inserted.append(node)
        sequence = node.inputs[0]
    maker = sequence.producer() if sequence is not None else None
    if maker is None or maker.op_type not in ("SequenceEmpty", "SequenceConstruct"):
        return None
    found = [value for value in maker.inputs if value is not None]
    for node in reversed(inserted):
        at = position(node, len(found))
        if at is None:
            return None
        found.insert(at, node.inputs[1])
    return found


def position(node: ir.Node, length: int) -> int | None:
    """Return the index that a SequenceInsert or SequenceAt names, from 0; None if it is computed.

    Negative ones count from the end. The end itself is a place to insert.
    """
    if len(node.inputs) < (3 if node.op_type == "SequenceInsert" else 2):
        return length
    array = constant_array(node.inputs[-1])
    at = None if array is None else int(array.reshape(-1)[0])
    return at + length if at is not None and at < 0 else at


def joined(builder: Builder, node: ir.Node, found: list[ir.Value]) -> ir.Value | None:
    """Return the tensors side by side, or stacked along an axis of their own."""
    axis, name = attribute(node, "axis"), str(node.outputs[0].name)
    if attribute(node, "new_axis", 0):
        at = builder.constant([axis], f"{name}.axis")
        found = [builder.op("Unsqueeze", value, at, name=f"{name}.part") for value in found]
    return builder.op("Concat", *found, name=f"{name}.joined", axis=axis) if found else None


def element(builder: Builder, node: ir.Node, found: list[ir.Value]) -> ir.Value | None:
    """Return the tensor at a constant position."""
    at = position(node, len(found))
    return found[at] if at is not None and 0 <= at < len(found) else None


#: Operators that read a sequence -> what makes their result from its tensors.
READERS = {
    "ConcatFromSequence": joined,
    "SequenceAt": element,
    "SequenceLength": lambda builder, node, found: builder.constant(len(found), f"{node.outputs[0].name}.length"),
}
