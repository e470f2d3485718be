"""Reading ONNX files, in this module only: a file is checked, and becomes onnx_ir's typed model."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import onnx
import onnx_ir as ir

from ..errors import ModelError, UnsupportedOperator
from ..generated.records import CHECKPOINT_MAGIC, IMAGE_MAGIC
from .limits import check_external_data, check_limits

#: A source of a model: a path, the bytes of a file, or a model of the onnx package.
Source = str | os.PathLike[str] | bytes | onnx.ModelProto

OLDEST_OPSET = 6  # the oldest that onnx's converter takes
_EXPORT_AGAIN = "export the model again"
_DEPRECATED = "gradmote.deprecated"
#: What onnx's checker says of an operator that the opset does not have.
_UNKNOWN = re.compile(r"No Op registered for (\w+) with domain_version of (\d+)")


def read_model(source: Source) -> onnx.ModelProto:
    """Return a valid ModelProto within the limits of frontend.limits.

    Raises ModelError.
    """
    proto = read(source)
    check(proto)
    check_limits(proto)
    return proto


def to_ir(proto: onnx.ModelProto) -> ir.Model:
    """Return the model as onnx_ir's.

    Raises ModelError for a model that onnx's checker accepts but that cannot be serialized, such as one
    with names that are not UTF-8.
    """
    try:
        model = ir.from_proto(proto)
        ir.to_proto(model)
    except Exception as error:  # onnx_ir has no common base for its errors
        raise ModelError(f"the model is malformed: {error.__cause__ or error}", _EXPORT_AGAIN) from error
    return model


def read(source: Source) -> onnx.ModelProto:
    """Return a ModelProto from a path or from bytes, or a copy of a given one."""
    if isinstance(source, onnx.ModelProto):
        copy = onnx.ModelProto()
        copy.CopyFrom(source)
        return copy
    try:
        return onnx.load_model_from_string(source) if isinstance(source, bytes) else load(os.fspath(source))
    except ModelError:
        raise
    except FileNotFoundError:
        raise ModelError(f"there is no file {source!r}", "check the path") from None
    except Exception as error:  # protobuf's DecodeError has no public name
        refuse_own_file(source)
        raise ModelError(f"this is not an ONNX model: {error}", _EXPORT_AGAIN) from error


def refuse_own_file(source: bytes | str | os.PathLike[str]) -> None:
    """Raise ModelError for an image or a checkpoint of ours."""
    if not isinstance(source, bytes):
        source = Path(source).read_bytes() if Path(source).is_file() else b""
    kinds = {IMAGE_MAGIC: "a compiled image (.mote)", CHECKPOINT_MAGIC: "a checkpoint (.gmck)"}
    found = kinds.get(int.from_bytes(source[:4], "little"))
    if found is not None:
        raise ModelError(f"this is {found}, not an ONNX model", "give the .onnx file that the image was compiled from")


def load(path: str) -> onnx.ModelProto:
    """Return the model of a file, including data in other files. Raises ModelError, or what onnx raises."""
    proto, folder = onnx.load(path, load_external_data=False), os.path.dirname(path)
    check_external_data(proto, folder)
    onnx.load_external_data_for_model(proto, folder)
    return proto


def check(proto: onnx.ModelProto) -> None:
    """Raise ModelError for a model that Gradmote cannot read.

    It violates the ONNX specification, has an unsupported opset, or has inputs or outputs that are not
    tensors. Raises UnsupportedOperator for a name that its opset lacks.
    """
    check_opset({o.domain: o.version for o in proto.opset_import}.get("", 13))
    try:
        with deprecated_hidden(proto):
            onnx.checker.check_model(proto)
    except Exception as error:  # ValidationError, and whatever else hostile bytes provoke in the checker
        unknown = _UNKNOWN.search(str(error))
        if unknown:
            raise UnsupportedOperator(
                f"ONNX operator {unknown[1]} has no kernel: opset {unknown[2]} of ONNX has none of that name",
                "`gradmote ops` lists what is supported; if onnxruntime optimized the model, pass the one before",
            ) from error
        raise ModelError(f"the model is malformed: {str(error).strip()}", _EXPORT_AGAIN) from error
    for value in (*proto.graph.input, *proto.graph.output):
        if value.type.WhichOneof("value") not in (None, "tensor_type"):
            raise ModelError(f"'{value.name}' is not a tensor", "with skl2onnx, export with options={'zipmap': False}")


@contextmanager
def deprecated_hidden(proto: onnx.ModelProto) -> Iterator[None]:
    """Move the GroupNormalizations of opsets 18 to 20 to a foreign domain during a check.

    onnx's checker refuses them as deprecated, although exporters write them and Gradmote supports
    them. It accepts any node of a foreign domain.
    """
    nodes = [n for n in proto.graph.node if n.op_type == "GroupNormalization" and not n.domain]
    domain = proto.opset_import.add(domain=_DEPRECATED, version=1)
    for node in nodes:
        node.domain = _DEPRECATED
    try:
        yield
    finally:
        proto.opset_import.remove(domain)
        for node in nodes:
            node.domain = ""


def check_opset(version: int) -> None:
    """Raise ModelError for an opset that is too old to convert, or newer than the onnx package."""
    newest = onnx.defs.onnx_opset_version()
    if version < OLDEST_OPSET:
        raise ModelError(f"the model uses opset {version}", "export it with opset 13 or newer")
    if version > newest:
        raise ModelError(
            f"the model uses opset {version}, the onnx package here knows {newest}",
            "install a newer onnx, or export with an older opset",
        )
