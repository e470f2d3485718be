"""The conversion of typed models to ONNX's protobuf and to bytes; no other module does this."""

from __future__ import annotations

import onnx
import onnx_ir as ir


def to_proto(model: ir.Model) -> onnx.ModelProto:
    """Return the model as an object of the onnx package."""
    return ir.to_proto(model)


def to_bytes(model: ir.Model) -> bytes:
    """Return the model as the bytes of a file."""
    return proto_bytes(to_proto(model))


def proto_bytes(proto: onnx.ModelProto) -> bytes:
    """Return the bytes of a file; the same model gives the same bytes."""
    return proto.SerializeToString(deterministic=True)
