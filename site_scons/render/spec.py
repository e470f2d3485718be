"""Read the spec files into plain objects, which every renderer starts from."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib  # type: ignore[no-redef]

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "runtime_c" / "spec"
SHARED_SPEC = ROOT / "bindings" / "shared" / "spec"
C_OUT = ROOT / "runtime_c" / "generated"
SHARED_OUT = ROOT / "bindings" / "shared" / "generated"
CSHARP_OUT = ROOT / "bindings" / "csharp" / "generated"
FIRMWARE_OUT = ROOT / "firmware" / "generated"
PYTHON_OUT = ROOT / "host_tools" / "gradmote" / "generated"
IR_OUT = ROOT / "host_tools" / "gradmote" / "ir" / "generated"
JS_OUT = ROOT / "bindings" / "js" / "src" / "generated"
MICROPYTHON_OUT = ROOT / "bindings" / "micropython" / "generated"
RUST_OUT = ROOT / "bindings" / "rust" / "src" / "generated"
DOCS_OUT = ROOT / "docs"

#: Element counts that an extent may name, besides parameters.
COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "sixteen": 16}


def load(name: str, folder: Path = SPEC) -> dict[str, Any]:
    """Return the parsed <folder>/<name>.toml."""
    return tomllib.loads((folder / f"{name}.toml").read_text())


#: (dim, stride) names of a strided extent, or (dim, None) of a product.
Terms = tuple[tuple[str, "str | None"], ...]
#: Operands with elements that kernels use as indices.
INDICES = ("indices", "labels")
#: Parameters from which kernels compute the position of a window.
WINDOW = re.compile(r"(in|out|kernel|stride|dilation|pad)_[hw]")


#: Reserved words of C and C++, whose compilers read the headers.
C_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """
        auto break case char const continue default do double else enum extern float for goto if inline int long
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm
        bool catch class delete explicit export false friend mutable namespace new operator private protected public
        template this throw true try typename using virtual wchar_t and or not xor
        """,
    )
)


@dataclass(frozen=True)
class Operand:
    """One operand word."""

    name: str
    access: str
    dtype: str
    terms: Terms
    optional: bool

    @property
    def strided(self) -> bool:
        return self.terms[0][1] is not None


@dataclass(frozen=True)
class Param:
    name: str
    kind: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Opcode:
    name: str
    code: int
    meaning: str
    exact: str  # Markdown; "" if docs/NUMERICS.md has it by hand
    operands: tuple[Operand, ...]
    params: tuple[Param, ...]
    windows: tuple[Terms, ...]
    work: tuple[str, ...]
    refuses: str | None
    inplace: tuple[str, ...]
    folds: tuple[str, ...]
    split: tuple[tuple[str, int], ...]  # a dim, and the number that its ranges are multiples of
    ranges: tuple[tuple[str, int], ...]  # the same, for a dim whose range the kernel itself handles
    own: tuple[str, ...]
    like: str | None  # the opcode whose operands and parameters it shares
    group: str  # "int8" if builds may leave all of these out; else ""
    calls: tuple[str, ...]  # opcodes whose kernels this one calls

    @property
    def cut(self) -> tuple[tuple[str, int], ...]:
        """The dims along which parts can run at the same time, in either way."""
        return self.split or self.ranges

    @property
    def words(self) -> int:
        return 1 + len(self.operands) + len(self.params)


@dataclass(frozen=True)
class Field:
    name: str
    type: str
    count: int
    comment: str


@dataclass(frozen=True)
class Record:
    name: str
    meaning: str
    fields: tuple[Field, ...] = field(default_factory=tuple)


def parse_operand(text: str) -> Operand:
    match = re.fullmatch(r"(\w+): (r|w|rw) (\w+) ([^?]+?)( \?)?", text)
    if not match:
        raise ValueError(f"operand {text!r} is not 'name: access type extent'")
    name, access, dtype, extent, optional = match.groups()
    return Operand(name, access, dtype, parse_terms(extent), optional is not None)


def parse_terms(extent: str) -> Terms:
    """Return the terms of an extent, strided ("m@s, n@t") or a product ("m*n")."""
    if "@" not in extent:
        return tuple((dim, None) for dim in extent.split("*"))
    pairs = (term.strip().partition("@") for term in extent.split(","))
    return tuple((dim, stride) for dim, _, stride in pairs)


def parse_param(text: str) -> Param:
    name, kind = text.split(": ", 1)
    match = re.fullmatch(r"enum\((.+)\)", kind)
    if match:
        return Param(name, "enum", tuple(c.strip() for c in match[1].split(",")))
    return Param(name, kind)


def parse_split(text: str) -> tuple[str, int]:
    name, _, grain = text.partition(": ")
    return name, int(grain or 1)


def opcodes() -> list[Opcode]:
    """Return all opcodes in ascending order of code; `like` copies operands and parameters of an earlier one."""
    entries = {e["name"]: e for e in load("opcodes")["opcode"]}
    parsed = []
    for entry in entries.values():
        shape = {**entries[entry["like"]], **entry} if "like" in entry else entry
        parsed.append(
            Opcode(
                name=entry["name"],
                code=entry["code"],
                meaning=entry["meaning"],
                exact=entry.get("exact", ""),
                operands=tuple(parse_operand(o) for o in shape["operands"]),
                params=tuple(parse_param(p) for p in shape["params"]),
                windows=tuple(map(parse_terms, shape.get("windows", ()))),
                work=tuple(shape["work"].split("*")),
                refuses=shape.get("refuses"),
                inplace=tuple(shape.get("inplace", ())),
                folds=tuple(shape.get("folds", ())),
                split=tuple(map(parse_split, shape.get("split", ()))),
                ranges=tuple(map(parse_split, shape.get("ranges", ()))),
                own=tuple(shape.get("own", ())),
                like=entry.get("like"),
                group=entry.get("group", ""),
                calls=tuple(entry.get("calls", ())),
            )
        )
        check_names(parsed[-1].name, [part.name for part in (*parsed[-1].operands, *parsed[-1].params)])
        check_windows(parsed[-1])
        check_folds(parsed[-1])
        check_indices(parsed[-1])
        check_refusal(parsed[-1])
    return sorted(parsed, key=lambda o: o.code)


def check_names(what: str, names: list[str]) -> None:
    """Raise ValueError for a name that C, C++ or Python reserves, or that occurs twice."""
    for name in names:
        if not re.fullmatch(r"[a-z]\w*", name, re.ASCII) or keyword.iskeyword(name) or name in C_KEYWORDS:
            raise ValueError(f"{what}: '{name}' is no name in C, C++ and Python alike: call it otherwise")
        if names.count(name) > 1:
            raise ValueError(f"{what}: '{name}' stands twice")


def check_windows(op: Opcode) -> None:
    """Raise ValueError if an instruction with a kernel has window parameters that no sum in `windows` has."""
    names = {p.name for p in op.params}
    if not any(name.startswith("kernel_") for name in names):
        return
    summed = {name for terms in op.windows for pair in terms for name in pair}
    missing = sorted(name for name in names - summed if WINDOW.fullmatch(name))
    if missing:
        raise ValueError(f"{op.name}: `windows` leaves out {', '.join(missing)}, so that sums of them could wrap")


def check_folds(op: Opcode) -> None:
    """Raise ValueError if parts of an instruction could write the same element at the same time."""
    params = {p.name: p.kind for p in op.params}
    dims = {dim for dim, _ in op.cut}
    for operand in (o for o in op.operands if o.name in op.folds):
        strides = {dim: stride for dim, stride in operand.terms if dim in dims}
        if any(params.get(stride or "") == "stride" for stride in strides.values()) or strides.keys() != dims:
            raise ValueError(f"{op.name}: parts could write one element of {operand.name}: it may have no such `split`")


def check_indices(op: Opcode) -> None:
    """Raise ValueError if parts would read other indices than the whole.

    An index out of range would stop only one part, and the others would write.
    """
    cut = {dim for dim, _ in op.cut}
    for operand in op.operands:
        shared = cut.intersection(dim for dim, _ in operand.terms)
        if operand.name in INDICES and operand.access == "r" and shared:
            dims = ", ".join(sorted(shared))
            raise ValueError(f"{op.name}: parts along {dims} would not check all of {operand.name}")


def check_refusal(op: Opcode) -> None:
    """Raise ValueError if the error of an instruction has no code, or if it reads indices that nothing refuses."""
    if op.refuses is not None and op.refuses not in {error["name"] for error in load("errors")["error"]}:
        raise ValueError(f"{op.name}: it refuses with {op.refuses}, which errors.toml does not have")
    if op.refuses is None and any(o.name in INDICES and o.access == "r" for o in op.operands):
        raise ValueError(f"{op.name}: it reads indices, and `refuses` does not say what becomes of those out of range")


def parse_field(text: str) -> Field:
    declaration, _, comment = text.partition("#")
    name, _, kind = declaration.partition(":")
    words = kind.split()
    return Field(name.strip(), words[0], int(words[1]) if len(words) > 1 else 1, comment.strip())


def records() -> list[Record]:
    found = [
        Record(r["name"], r["meaning"], tuple(parse_field(f) for f in r["fields"])) for r in load("records")["record"]
    ]
    for record in found:
        check_names(record.name, [part.name for part in record.fields])
    return found


def record_words(record: Record, every: list[Record]) -> int:
    """Return the size of a record in 32-bit words."""
    by_name = {r.name: r for r in every}
    return sum(f.count * (record_words(by_name[f.type], every) if f.type in by_name else 1) for f in record.fields)
