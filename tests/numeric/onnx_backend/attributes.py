"""The files in which the code deals with an attribute of ONNX: the operator's file, a pass that names the operator, and
the files with rules that these import."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path

import onnx
from structure import PACKAGE, imports_of, modules

from gradmote import operators

#: The oldest opset that rules see: models of older ones are converted to it.
RULES_OPSET = 13
#: Folders whose files hold rules.
RULES = ("operators", "rewrite", "batch_norm")
#: Attributes that no rule needs to read, and why.
NOT_READ = {
    ("Flatten", "axis"): "onnx infers the shape, and only that changes",
    ("Reshape", "allowzero"): "onnx infers the shape, and only that changes",
    ("Split", "num_outputs"): "onnx infers the sizes of the parts",
    ("MaxPool", "storage_order"): "it orders the indices, which are refused where they are used",
    ("ArgMax", "keepdims"): "onnx infers the shape, and only that changes",
    ("ArgMin", "keepdims"): "onnx infers the shape, and only that changes",
    ("ConstantOfShape", "value"): "onnx's own implementation folds it",
    ("Range", "stash_type"): "onnx's own implementation folds it",
    ("TopK", "sorted"): "what is not asked to be sorted may be",
    **{(f"Random{kind}", "shape"): "onnx infers the shape" for kind in ("Uniform", "Normal")},
    **{
        (f"Random{kind}", name): reason
        for kind in ("Uniform", "UniformLike", "Normal", "NormalLike")
        for name, reason in (
            ("seed", "the image has the seed"),
            ("dtype", "onnx infers the type, and others than float32 are refused"),
        )
    },
    ("Dropout", "seed"): "the image has the seed, and the state counts on from it",
    ("Resize", "extrapolation_value"): "regions outside of the input are refused",
    **{(op, "hidden_size"): "the weights have it" for op in ("LSTM", "GRU", "RNN")},
    **{
        (op, f"activation_{factor}"): "activations that have it are refused"
        for op in ("LSTM", "GRU", "RNN")
        for factor in ("alpha", "beta")
    },
    **{(f"{kind}Linear", "block_size"): "ir/affine.py refuses blocks" for kind in ("Quantize", "Dequantize")},
    ("QuantizeLinear", "precision"): "ir/affine.py refuses others than float32",
    ("QuantizeLinear", "saturate"): "it is for floating-point types of 8 bits, which are refused",
    ("Cast", "saturate"): "it is for types of 8 bits, which are refused",
    ("Cast", "round_mode"): "it is for types of 8 bits, which are refused",
}


def schemas() -> dict[str, list[onnx.defs.OpSchema]]:
    """Return, by operator, the versions that rules can meet, oldest first."""
    found: dict[str, list[onnx.defs.OpSchema]] = {}
    ours = {op_type for domain, op_type in operators.OPERATORS if not domain}
    for schema in onnx.defs.get_all_schemas_with_history():
        if not schema.domain and schema.name in ours and not schema.deprecated:
            found.setdefault(schema.name, []).append(schema)
    return {name: accepted(versions) for name, versions in sorted(found.items())}


def accepted(versions: list[onnx.defs.OpSchema]) -> list[onnx.defs.OpSchema]:
    """The one that was current in RULES_OPSET, and all after it."""
    ordered = sorted(versions, key=lambda schema: schema.since_version)
    first = max(i for i, schema in enumerate(ordered) if i == 0 or schema.since_version <= RULES_OPSET)
    return ordered[first:]


def is_mentioned(op_type: str, attribute: str) -> bool:
    return any(attribute in strings_of(path) for path in sources(op_type))


@cache
def sources(op_type: str) -> frozenset[Path]:
    passes = (PACKAGE / "rewrite").rglob("*.py")
    files = {file_of(op_type)} | {path for path in passes if is_about(path, op_type)}
    return frozenset(files | {imported for path in files for imported in rules_imported(path)})


def rules_imported(path: Path) -> list[Path]:
    """The files with rules that a file imports from."""
    module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    imported = [modules()[name] for name in imports_of(module)]
    return [p for p in imported if p.parent.name in RULES and p.name != "__init__.py"]


def is_about(path: Path, op_type: str) -> bool:
    """A pass that is a folder is about what any of its files names."""
    files = [path] if path.parent.name == "rewrite" else path.parent.glob("*.py")
    return any(op_type in strings_of(file) for file in files)


def file_of(op_type: str) -> Path:
    """The file of the operators' folder that registers it."""
    for name in operators.FILES:
        module = import_module(f"gradmote.operators.{name}")
        if any(operator.op_type == op_type and not operator.domain for operator in module.OPERATORS):
            return Path(str(module.__file__))
    raise KeyError(op_type)


@cache
def strings_of(path: Path) -> frozenset[str]:
    """Return string literals, and names of keyword arguments, which are attributes if a table makes a rule."""
    tree = ast.walk(ast.parse(path.read_text()))
    return frozenset(
        node.value if isinstance(node, ast.Constant) else str(node.arg)
        for node in tree
        if (isinstance(node, ast.Constant) and isinstance(node.value, str)) or isinstance(node, ast.keyword)
    )
