"""A writer and reader of quantized deltas, from docs/SPEC.md ("Delta") and records.toml alone."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from .execute import Machine
from .numerics import Array
from .random_numbers import U32, mix
from .read_image import read_record
from .read_tables import constants, fields, size_of

HEADER = size_of("delta_header")
DTYPES = {"F32": "<f4", "I32": "<i4", "I8": "<i1", "U8": "<u1", "I16": "<i2"}
STREAM = 2**32 - 3
INTEGER = 150
#: bits -> values of a code, and codes in a byte.
FORMS = {2: (3, 5), 4: (16, 2), 8: (256, 1)}


def parameters(machine: Machine) -> list[object]:
    """Return the entries of the state table that are parameters."""
    return [entry for entry in machine.image.state if entry.role_name == "PARAMETER"]


def elements(data: Array, entry: object) -> Array:
    """Return one parameter's elements in the bytes of all parameters."""
    return np.frombuffer(bytes(data[entry.offset : entry.offset + entry.size]), DTYPES[entry.dtype_name])


def random_words(seed: int, step: int, first: int, n: int) -> Array:
    """Return n random words from index `first` on."""
    with np.errstate(over="ignore"):
        step_key = mix(mix(U32(seed)) + U32(step))
        stream_key = mix(step_key ^ mix(U32(STREAM) + U32(1)))
        return mix(mix(step_key + np.arange(first, first + n, dtype=U32)) ^ stream_key)


def difference_of_integers(now: Array, base: Array) -> Array:
    """Return now - base modulo 2^32, in -2^31 to 2^31 - 1."""
    d = (now.astype(np.int64) - base.astype(np.int64)) & 0xFFFFFFFF
    return np.where(d >= 2**31, d - 2**32, d)


def significands(now: Array, base: Array) -> tuple[list[int], list[int], Array]:
    """Return m and x of each |d| = m 2^(x - 150), and whether d is negative."""
    if now.dtype == np.float32:
        with np.errstate(over="ignore", invalid="ignore"):
            words = (now - base).view(np.uint32)
        stored = (words >> 23 & 255).astype(int)
        fraction = (words & 0x7FFFFF).astype(int)
        m, x = np.where(stored > 0, fraction | 1 << 23, fraction), np.maximum(stored, 1)
        return m.tolist(), x.tolist(), words >> 31 == 1
    d = difference_of_integers(now, base)
    return np.abs(d).tolist(), [INTEGER] * len(d), d < 0


def exponent_of(now: Array, base: Array, bits: int) -> int:
    """Return the exponent of one parameter's delta. Raise FloatingPointError if there is none."""
    m, x, _ = significands(now, base)
    largest = max(zip(x, m))
    if now.dtype == np.float32 and largest[0] >= 127 + 61:
        raise FloatingPointError("NOT_FINITE")
    e, rest = largest
    while rest > 2 ** (bits - 1) - 1:
        e, rest = e + 1, -(-rest // 2)
    return e


def codes_of(now: Array, base: Array, exponent: int, bits: int, words: Array) -> Array:
    """Return the codes of one parameter, rounded by random words."""
    m, x, negative = significands(now, base)
    codes = []
    for mi, xi, r in zip(m, x, words.tolist()):
        s = exponent - xi
        if s < 32:
            codes.append((mi + (r * 2**s >> 32)) >> s)
        else:
            codes.append(int(mi >> (s - 32) > r))
    return np.where(negative, -np.array(codes), codes)


def packed(codes: Array, bits: int) -> bytes:
    """Return codes as bytes; each has the lowest digit first."""
    base, each = FORMS[bits]
    digits = np.zeros(-(-len(codes) // each) * each, np.int64)
    digits[: len(codes)] = codes % base
    return bytes((digits.reshape(-1, each) * base ** np.arange(each)).sum(axis=1).astype(np.uint8))


def unpacked(data: bytes, bits: int, n: int) -> Array:
    """Return n codes of a parameter."""
    base, each = FORMS[bits]
    found = []
    for byte in data:
        for _ in range(each):
            found.append(byte % base)
            byte //= base
    values = np.array(found[:n], int)
    return np.where(values >= base / 2, values - base, values)


def base_crc(machine: Machine, base: Array, chosen: list[bool]) -> int:
    """Return the checksum of the base's elements of the chosen parameters."""
    crc = 0
    for entry, is_in in zip(parameters(machine), chosen):
        crc = zlib.crc32(elements(base, entry).tobytes(), crc) if is_in else crc
    return crc


def written(machine: Machine, base: Array, number: int, bits: int, seed: int, chosen: list[bool]) -> bytes:
    """Return the delta of a machine's parameters from a base. Raises FloatingPointError."""
    exponents, body = [], b""
    for entry, is_in in zip(parameters(machine), chosen):
        now, old = elements(machine.arena, entry), elements(base, entry)
        exponents.append(exponent_of(now, old, bits) if is_in else 0)
        if is_in:
            words = random_words(seed, number, entry.offset, len(now))
            body += packed(codes_of(now, old, exponents[-1], bits, words), bits)
    table = bytes(exponents) + bytes(-len(exponents) % 4)
    return assembled(machine, table + body, number, base_crc(machine, base, chosen), bits, seed)


def assembled(machine: Machine, body: bytes, number: int, crc: int, bits: int, seed: int) -> bytes:
    """Return the file of exponents and codes, with its header."""
    values = {"magic": constants()["DELTA_MAGIC"], "version": constants()["DELTA_VERSION"], "bits": bits,
              "size": HEADER + len(body), "model_id": machine.image.header.model_id, "round": number,
              "base_crc": crc, "seed": seed}  # fmt: skip
    words: list[object] = []
    for name, _, count, _ in fields("delta_header"):
        value = values.get(name, 0)
        words += value if count > 1 else [value]  # type: ignore[arg-type, operator]
    return sealed(struct.pack(f"<{len(words)}I", *words) + body)


def sealed(data: bytes) -> bytes:
    """Return a delta with the CRC of its bytes."""
    size = struct.unpack_from("<I", data, 8)[0]
    return data[:12] + struct.pack("<I", zlib.crc32(data[16:size])) + data[16:]


def layout(machine: Machine, data: bytes) -> list[tuple[object, int, bytes]]:
    """Return of each parameter its entry, its exponent and the bytes of its codes."""
    header, entries = read_record("delta_header", data, 0), parameters(machine)
    exponents = data[HEADER : HEADER + len(entries)]
    at, found = HEADER + -(-len(entries) // 4) * 4, []
    for entry, exponent in zip(entries, exponents):
        n = entry.size // np.dtype(DTYPES[entry.dtype_name]).itemsize
        size = -(-n // FORMS[header.bits][1]) if exponent else 0
        found.append((entry, exponent, data[at : at + size]))
        at += size
    return [*found, (None, 0, data[at : header.size])]


def new_elements(base: Array, lost: Array | None, codes: Array, exponent: int) -> Array:
    """Return a parameter's new numbers; lost: what quantization lost, or None."""
    if base.dtype == np.float32:
        change = np.array([np.ldexp(float(code), exponent - INTEGER) for code in codes], np.float32)
        total = base + change
        return total if lost is None else total + lost
    wide = [int(b) + int(c) * 2 ** (exponent - INTEGER) for b, c in zip(base, codes)]
    wide = wide if lost is None else [w + int(part) for w, part in zip(wide, lost)]
    wrapped, limits = [(w + 2**31) % 2**32 - 2**31 for w in wide], np.iinfo(base.dtype)
    return np.array([min(max(w, limits.min), limits.max) for w in wrapped], base.dtype)


def lost_of(now: Array, base: Array, bits: int, words: Array) -> Array:
    """Return what a device's own codes lose of its difference."""
    exponent = exponent_of(now, base, bits)
    codes = codes_of(now, base, exponent, bits, words)
    if base.dtype == np.float32:
        own = np.array([np.ldexp(float(code), exponent - INTEGER) for code in codes], np.float32)
        return (now - base) - own
    own = np.array([int(code) * 2 ** (exponent - INTEGER) for code in codes], object)
    return difference_of_integers(now, base) - own


def read(machine: Machine, base: Array, data: bytes, bits: int = 0, seed: int = 0) -> tuple[bytes, bytes]:
    """Return the new base and the new parameters. bits, seed: of the device's own delta, whose loss is kept."""
    size = machine.image.header.parameters_size
    new_base, new = bytearray(machine.arena[:size]), bytearray(machine.arena[:size])
    header = read_record("delta_header", data, 0)
    for entry, exponent, codes in layout(machine, data)[:-1]:
        if exponent:
            now, old = elements(machine.arena, entry), elements(base, entry)
            values = unpacked(codes, header.bits, len(now))
            words = random_words(seed, header.round, entry.offset, len(now))
            lost = lost_of(now, old, bits, words) if bits else None
            place = slice(entry.offset, entry.offset + entry.size)
            new_base[place] = new_elements(old, None, values, exponent).tobytes()
            new[place] = new_elements(old, lost, values, exponent).tobytes()
    return bytes(new_base), bytes(new)


def error_of(machine: Machine, base: Array, number: int, data: bytes) -> str:
    """Return the name of the error that a delta is refused with, or OK."""
    if len(data) < HEADER:
        return "TRUNCATED"
    header = read_record("delta_header", data, 0)
    checks = [
        (header.magic == constants()["DELTA_MAGIC"], "BAD_MAGIC"),
        (header.version == constants()["DELTA_VERSION"], "BAD_VERSION"),
        (HEADER <= header.size <= len(data), "TRUNCATED"),
    ]
    checks += [(zlib.crc32(data[16 : header.size]) == header.crc, "BAD_CRC"), (header.bits in (2, 4, 8), "BAD_VERSION")]
    for is_right, name in checks:
        if not is_right:
            return name
    return _error_of_content(machine, base, number, data)


def _error_of_content(machine: Machine, base: Array, number: int, data: bytes) -> str:
    header, entries = read_record("delta_header", data, 0), parameters(machine)
    if header.model_id != machine.image.header.model_id or header.size < HEADER + -(-len(entries) // 4) * 4:
        return "WRONG_MODEL"
    *found, (_, _, rest) = layout(machine, data)
    sizes = HEADER + -(-len(entries) // 4) * 4
    sizes += sum(
        -(-(e.size // np.dtype(DTYPES[e.dtype_name]).itemsize) // FORMS[header.bits][1]) for e, x, _ in found if x
    )
    integers = [x for e, x, _ in found if e.dtype_name != "F32" and x]
    if rest or header.size != sizes or not all(150 <= x <= 181 for x in integers):
        return "WRONG_MODEL"
    if header.round != number or header.base_crc != base_crc(machine, base, [x != 0 for _, x, _ in found]):
        return "OTHER_BASE"
    with np.errstate(over="ignore", invalid="ignore"):
        new_base, _ = read(machine, base, data)
        new = np.frombuffer(new_base, np.uint8)
        floats = [np.abs(elements(new, e)) for e, x, _ in found if x and e.dtype_name == "F32"]
        return "OK" if all((values < 2.0**60).all() for values in floats) else "NOT_FINITE"
