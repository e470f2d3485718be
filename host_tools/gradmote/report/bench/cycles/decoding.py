"""The machine instructions of a Cortex-M, parsed from objdump's text.

A timing needs little: the kind of the instruction, which registers it reads and writes, and how many
of them it moves to or from memory. It does not need the computation itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: The kind of instructions that objdump does not know, or of data between the code.
UNKNOWN = "unknown"
_PREDICATE = "vector_predicate"

_NAMED = {"sp": "r13", "lr": "r14", "pc": "r15", "ip": "r12", "fp": "r11", "sl": "r10", "sb": "r9"}
_REGISTER = re.compile(r"\b(sp|lr|pc|ip|fp|sl|sb|[rsdq]\d+)\b(?:\s*-\s*(sp|lr|pc|ip|fp|sl|sb|[rsdq]\d+)\b)?")
#: How many 32-bit registers are in each d register, and in each q register.
_PARTS = {"d": 2, "q": 4}
_ADDRESS = re.compile(r"\[([^\]]*)\](!|\s*,)?")
_TARGET = re.compile(r"(?:^|[\s,])([0-9a-f]+)\s*<")
#: Instructions with two operands that do not read the first one.
_REPLACES = re.compile(r"mov|mvn|neg|adr|clz|rbit|rev|[su]xt|cset|v")
_SHIFT = re.compile(r"\b(?:lsl|lsr|asr|ror)\s+#|\brrx\b")


@dataclass(frozen=True)
class Instruction:
    """One machine instruction.

    Attributes:
        address: Its address.
        size: Its bytes, 2 or 4.
        name: Its mnemonic, without the width suffix.
        kind: The key for its timing.
        reads: The registers whose values it needs to begin.
        stores: The registers that it stores to memory, which some cores need later.
        writes: The registers that it writes, except a base register that it advances.
        addend: The register to which a multiply-accumulate adds; "" if there is none. It is not in
            `reads`, because some cores need it later.
        count: The number of registers that it moves, of 32 bits each.
        base: The register of its memory address; "" if it has none.
        advances_base: Whether it writes the base register too.
        has_index: Whether its address is the sum of two registers.
        sets_flags: Whether it writes the core's flags.
        reads_flags: Whether it is a branch that depends on them.
        writes_pc: Whether it writes the program counter without being a branch.
        target: The address to which it branches; None if a register has it, or it is not a branch.
    """

    address: int
    size: int
    name: str
    kind: str
    reads: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    addend: str = ""
    count: int = 1
    base: str = ""
    advances_base: bool = False
    has_index: bool = False
    sets_flags: bool = False
    reads_flags: bool = False
    writes_pc: bool = False
    target: int | None = None

    @property
    def is_float(self) -> bool:
        """Whether it runs on the floating-point unit."""
        return self.kind.startswith("fp_")

    @property
    def unit(self) -> str:
        """The unit that runs it, if that can be busy; "" for all others."""
        if self.kind in ("vector_load", "vector_store", "vector_gather", "vector_scatter"):
            return "vector memory"
        if self.kind in ("vector_integer", "vector_from_core"):
            return "vector integer"
        return "float" if self.kind.startswith(("fp_", "vector_")) and self.kind != _PREDICATE else ""

    @property
    def may_pass(self) -> bool:
        """Whether it is a branch that may fall through."""
        return self.reads_flags or self.name.startswith(("cb", "le", "wls"))


def decode(address: int, size: int, mnemonic: str, text: str) -> Instruction:
    """Return the instruction with this mnemonic and these operands, both in objdump's syntax."""
    name = re.sub(r"\.[nw]$", "", mnemonic)
    operands = re.split(r"[@;]", text)[0].strip()
    for pattern, kind, read in _RULES:
        if pattern.fullmatch(name) and ("q" in operands or not kind.startswith("vector_") or kind == _PREDICATE):
            return Instruction(address, size, name, **{"kind": kind, **read(name, operands)})
    return Instruction(address, size, name, UNKNOWN)


def registers(text: str) -> tuple[str, ...]:
    """Return the registers in a text: r0 to r15, and s0 to s31 for all floating-point registers."""
    found: list[str] = []
    for begin, end in _REGISTER.findall(text):
        first = _NAMED.get(begin, begin)
        last = _NAMED.get(end, end) if end else first
        bank, parts = ("r" if first[0] == "r" else "s"), _PARTS.get(first[0], 1)
        found += [f"{bank}{n}" for n in range(parts * int(first[1:]), parts * (int(last[1:]) + 1))]
    return tuple(found)


# ---- Operands

Fields = dict[str, Any]


def _computes(name: str, operands: str) -> Fields:
    """Parse a computation, whose first operand is the result.

    With one other operand or none, it also reads the first operand, unless it is a move.
    """
    destination, *others = operands.split(",")
    result, rest = registers(destination), registers(",".join(others))
    reads = rest if len(others) > 1 or _REPLACES.match(name) else result + rest
    return {"writes": result, "reads": reads, "writes_pc": "r15" in result}


def _integer(name: str, operands: str) -> Fields:
    """Parse like _computes(); a shifted last operand is a separate kind."""
    sets_flags = re.fullmatch(f"(?:{_SET_FLAGS})s", name) is not None
    kind = "shifted" if _SHIFT.search(operands) else "integer"
    return {**_computes(name, operands), "kind": kind, "sets_flags": sets_flags}


def _accumulates(name: str, operands: str) -> Fields:
    """Parse a multiply-accumulate: the first operand is the sum."""
    destination, _, others = operands.partition(",")
    result = registers(destination)
    return {"writes": result, "addend": result[0], "reads": registers(others)}


def _multiplies(name: str, operands: str) -> Fields:
    """Parse a multiplication with one or two results; the addend is the last operand, or both results."""
    found = registers(operands)
    if re.match(r"[us]mlal|smlsld|umaal", name):
        return {"kind": "multiply_add_long", "writes": found[:2], "addend": found[0], "reads": found[1:]}
    if re.match(r"[us]mull", name):
        return {"kind": "multiply_long", "writes": found[:2], "reads": found[2:]}
    if re.match(r"ml[as]|sml[as]|smml[as]", name):
        return {"kind": "multiply_add", "writes": found[:1], "addend": found[3], "reads": found[1:3]}
    kind = "multiply_flags" if name == "muls" else "multiply"
    return {"kind": kind, "writes": found[:1], "reads": found[1:] if len(found) > 2 else found}


def _compares(name: str, operands: str) -> Fields:
    return {"reads": registers(operands), "sets_flags": True}


def _address(operands: str) -> Fields:
    """Return the registers of an address in brackets; the program counter without brackets."""
    found = _ADDRESS.search(operands)
    inside = registers(found[1]) if found else ("r15",)
    return {"base": inside[0], "reads": inside, "has_index": len(inside) > 1, "advances_base": bool(found and found[2])}


def _loads(name: str, operands: str) -> Fields:
    written = registers(operands.partition("[")[0])
    return {**_address(operands), "writes": written, "count": len(written), "writes_pc": "r15" in written}


def _stores(name: str, operands: str) -> Fields:
    stored, found = registers(operands.partition("[")[0]), _address(operands)
    return {**found, "stores": stored, "count": len(stored)}


def _moves_many(name: str, operands: str) -> Fields:
    """Parse registers in braces, at an address before them or on the stack."""
    before, _, braces = operands.partition("{")
    listed, base = registers(braces), (*registers(before), "r13")[0]
    found = {"base": base, "count": len(listed), "advances_base": "!" in before or not before}
    if "ld" in name or "pop" in name:
        return {**found, "reads": (base,), "writes": listed, "writes_pc": "r15" in listed}
    return {**found, "reads": (base,), "stores": listed}


def _moves_between(name: str, operands: str) -> Fields:
    """Parse a move between core and floating-point registers, or among the latter."""
    found = registers(operands)
    core, floats = tuple(r for r in found if r[0] == "r"), tuple(r for r in found if r[0] == "s")
    unit = "vector" if "q" in operands else "fp"
    if not core:
        return {**_computes(name, operands), "kind": "fp_move" if unit == "fp" else "vector_integer"}
    if found[0] in core:
        return {"kind": f"{unit}_to_core", "writes": core, "reads": floats, "count": len(core)}
    return {"kind": f"{unit}_from_core", "writes": floats, "reads": core, "count": len(core)}


def _branches(name: str, operands: str) -> Fields:
    found = _TARGET.search(operands)
    target = int(found[1], 16) if found else None
    return {
        "reads": registers(operands) if target is None or name.startswith("cb") else (),
        "writes": ("r14",) if name.startswith(("bl", "le", "wls")) and not re.fullmatch("bl[est]", name) else (),
        "target": target,
        "reads_flags": re.fullmatch(f"(?:b|bx|bl|blx){_CONDITION}", name) is not None,
    }


def _loads_vector(name: str, operands: str) -> Fields:
    """Parse a vector load; it gathers if the address is a vector, or has a vector of offsets."""
    found = _loads(name, operands)
    return {**found, "kind": "vector_gather" if _has_float(found["reads"]) else "vector_load"}


def _stores_vector(name: str, operands: str) -> Fields:
    """Parse a vector store; it scatters if the address is a vector, or has a vector of offsets."""
    found = _stores(name, operands)
    return {**found, "kind": "vector_scatter" if _has_float(found["reads"]) else "vector_store"}


def _has_float(found: tuple[str, ...]) -> bool:
    return any(register[0] == "s" for register in found)


def _reads(name: str, operands: str) -> Fields:
    return {"reads": registers(operands)}


def _status(name: str, operands: str) -> Fields:
    return {"sets_flags": name.startswith("vmrs")}


def _nothing(name: str, operands: str) -> Fields:
    return {}


# ---- Mnemonics

_CONDITION = "(?:eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)"
#: The suffix of a computing instruction: the condition of an IT block, or a vector predicate.
_IF = f"(?:{_CONDITION}|t|e)?"
_INTEGERS = (
    "adc|add|addw|adr|and|asr|bfc|bfi|bic|clz|csel|cset|csetm|csinc|csinv|csneg|cinc|cinv|cneg|eor|lsl|lsr|mov|movt|movw|"
    "mvn|neg|orn|orr|pkhbt|pkhtb|qdadd|qdsub|rbit|rev|rev16|revsh|ror|rrx|rsb|sbc|sbfx|sel|ssat|ssat16|sub|subw|sxtab|"
    "sxtab16|sxtah|sxtb|sxtb16|sxth|ubfx|usad8|usada8|usat|usat16|uxtab|uxtab16|uxtah|uxtb|uxtb16|uxth"
)
_SET_FLAGS = "adc|add|and|asr|bic|eor|lsl|lsr|mov|mvn|neg|orn|orr|ror|rrx|rsb|sbc|sub"
_MULTIPLIES = (
    "mla|mls|mul|smla\\w+|smls\\w+|smmul\\w?|smmla|smmls|smuad|smusd|smul\\w*|smull|umaal|umlal|umull|smlal\\w*|smlsld"
)

#: (mnemonic, kind, function that parses the operands and may return another kind); the first matching
#: rule applies. Vector kinds require a vector among the operands.
_RULES: list[tuple[re.Pattern[str], str, Callable[[str, str], Fields]]] = [
    (re.compile(pattern), kind, read)
    for pattern, kind, read in (
        (rf"v\w+{_IF}\.\w*f64(\.\w+)?", "fp_double", _computes),
        (r"vpst\w*|vctp\.\w+|vpnot", _PREDICATE, _reads),
        (rf"v(?:ld[24]\d|ldr[bhwd]{_IF})\.\w+", "vector_load", _loads_vector),
        (rf"v(?:st[24]\d|str[bhwd]{_IF})\.\w+", "vector_store", _stores_vector),
        (rf"vdup{_IF}\.\w+", "vector_from_core", _moves_between),
        (rf"v(?:fma|fms|mla|mls)s?{_IF}\.f32", "vector_fused", _accumulates),
        (rf"vn?mul{_IF}\.f32", "vector_multiply", _computes),
        (rf"v(?:add|sub|abd|cvt\w?|rint\w|caddi?){_IF}\.f\w+(?:\.\w+)?", "vector_add", _computes),
        (r"vcmp\w*\.\w+|vpt\w*\.\w+", "vector_compare", _compares),
        (r"v(?:ml[as]|ml[as]l?d?av?a?x?|ml[as]va?)[te]?\.\w+", "vector_integer_multiply", _accumulates),
        (r"v(?:mul\w*|q?r?dmul\w+|rmul\w+|ml\w+)\.\w+", "vector_integer_multiply", _computes),
        (rf"vmov{_IF}(?:\.\w+)?", "fp_move", _moves_between),
        (r"v\w+(?:\.\w+)*", "vector_integer", _computes),
        (rf"v(?:fma|fms|fnma|fnms){_IF}\.f32", "fp_fused", _accumulates),
        (rf"v(?:mla|mls|nmla|nmls){_IF}\.f32", "fp_chained", _accumulates),
        (rf"v(?:add|sub){_IF}\.f32", "fp_add", _computes),
        (rf"vn?mul{_IF}\.f32", "fp_multiply", _computes),
        (rf"v(?:cvt\w?|rint\w){_IF}\.\w+(?:\.\w+)?", "fp_convert", _computes),
        (rf"v(?:div|sqrt){_IF}\.f32", "fp_divide", _computes),
        (rf"v(?:abs|neg){_IF}\.f32|v(?:maxnm|minnm|sel{_CONDITION})\.f32", "fp_move", _computes),
        (rf"vcmpe?{_IF}\.f32", "fp_compare", _compares),
        (rf"v(?:mrs|msr){_IF}", "fp_status", _status),
        (rf"vldr{_IF}(?:\.\w+)?", "fp_load", _loads),
        (rf"vstr{_IF}(?:\.\w+)?", "fp_store", _stores),
        (rf"v(?:ldm\w*|pop){_IF}(?:\.\w+)?", "fp_load_many", _moves_many),
        (rf"v(?:stm\w*|push){_IF}(?:\.\w+)?", "fp_store_many", _moves_many),
        (rf"(?:ldm(?:ia|db|fd|ea)?|pop){_IF}", "load_many", _moves_many),
        (rf"(?:stm(?:ia|db|fd|ea)?|push){_IF}", "store_many", _moves_many),
        (rf"ldrd{_IF}", "load_double", _loads),
        (rf"strd{_IF}", "store_double", _stores),
        (rf"(?:ldr|ldrex|lda|ldrt){_IF}", "load", _loads),
        (rf"(?:ldr|ldrex|lda)s?[bh]t?{_IF}", "load_narrow", _loads),
        (rf"(?:str|strex|stl)[bh]?t?{_IF}", "store", _stores),
        (rf"(?:b|bl|bx|blx|blxns|bxns){_CONDITION}?|cbn?z", "branch", _branches),
        (r"(?:le|letp|wls|wlstp)(?:\.\d+)?", "loop", _branches),
        (r"(?:dls|dlstp|lctp)(?:\.\d+)?", "loop_start", _computes),
        (r"tb[bh]", "table_branch", _reads),
        (r"it[te]*", "it", _nothing),
        (rf"nop{_IF}", "nop", _nothing),
        (rf"[us]div{_CONDITION}?", "divide", _computes),
        (rf"(?:{_MULTIPLIES})s?{_CONDITION}?", "multiply", _multiplies),
        (rf"(?:cmp|cmn|tst|teq){_CONDITION}?", "integer", _compares),
        (r"mrs|msr|dsb|dmb|isb|cps\w*|bkpt|wf[ie]|svc|sev|yield|tt[at]*|udf", "system", _computes),
        (rf"(?:{_INTEGERS})s?{_CONDITION}?", "integer", _integer),
        (rf"(?:[sqhu]|uh|uq|sh)(?:add|sub|asx|sax)(?:8|16)?{_CONDITION}?", "integer", _computes),
    )
]
