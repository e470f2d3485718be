"""Deltas that the second implementation writes and reads are those of the product, and so are its refusals."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from fuzz import seeds
from hypothesis import given, settings
from hypothesis import strategies as st
from numeric.spec.delta_file import DTYPES, HEADER, error_of, layout, parameters, read, sealed, written
from numeric.spec.execute import Machine
from numeric.spec.trained_models import image, quantized

from gradmote import Session, optimizers
from gradmote.errors import DataError, RuntimeFault
from support.sampling import at_most

BITS = (2, 4, 8)


@cache
def data_of(name: str) -> bytes:
    """Return an image of f32, of int8 weights with f32 biases, or of int16 masters."""
    if name == "masters":
        return seeds.image_of("quantized_block", optimizers.sgd(0.1), weights="int16", accumulate=True)
    return image("mlp", "sgd") if name == "mlp" else quantized()


IMAGES = ("mlp", "int8", "masters")


def drawn_parameters(machine: Machine, base: np.ndarray, drawn: np.random.Generator, low: int, high: int) -> bytes:
    """Return parameters that differ from a base by numbers of every size from 2^low to 2^high."""
    new = bytearray(base.tobytes())
    for entry in parameters(machine):
        place, dtype = slice(entry.offset, entry.offset + entry.size), np.dtype(DTYPES[entry.dtype_name])
        old = np.frombuffer(bytes(new[place]), dtype)
        if dtype == np.float32:
            step = (
                drawn.normal(size=len(old))
                * np.exp2(drawn.uniform(low, high, len(old)))
                * drawn.integers(0, 2, len(old))
            )
            new[place] = (old + step.astype(np.float32)).tobytes()
        else:
            limits = np.iinfo(dtype)
            new[place] = drawn.integers(limits.min, limits.max, len(old), dtype, True).tobytes()
    return bytes(new)


def both(
    name: str, number: int, drawn: np.random.Generator, low: int = -30, high: int = 3
) -> tuple[Session, Machine, np.ndarray]:
    """Return both implementations in the same round, with the same base and parameters."""
    data = data_of(name)
    session, machine = Session(data, "strict"), Machine(data, "strict")
    size = machine.image.header.parameters_size
    initial = machine.arena[:size].copy()
    base = drawn_parameters(machine, initial, drawn, -10, 0) if number else initial.tobytes()
    session.set_parameters(base)
    session.begin_round(number)
    now = drawn_parameters(machine, np.frombuffer(base, np.uint8), drawn, low, high)
    session.set_parameters(now)
    machine.arena[:size] = np.frombuffer(now, np.uint8)
    return session, machine, np.frombuffer(base, np.uint8)


def outcome(session: Session, delta: bytes, **own: int) -> str:
    """End the round of the product, and return the name of its error, or OK."""
    try:
        session.end_round(delta, **own)
    except RuntimeFault as fault:
        return fault.name
    return "OK"


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("name", IMAGES)
def test_both_write_the_same_file(name: str, bits: int) -> None:
    drawn = np.random.default_rng(bits)
    for number, low, high in ((0, -30, 3), (7, -149, -120), (2**32 - 1, -3, 60), (5, 0, 0)):
        session, machine, base = both(name, number, drawn, low, high)
        chosen = [True] * len(parameters(machine))
        assert session.round_delta(bits, 12345) == written(machine, base, number, bits, 12345, chosen)


@settings(max_examples=at_most(60), deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(IMAGES), st.sampled_from(BITS), st.integers(0, 2**32 - 1))
def test_both_go_on_to_the_same_base(draw: int, name: str, bits: int, seed: int) -> None:
    drawn = np.random.default_rng(draw)
    number = int(drawn.integers(0, 3))
    session, machine, base = both(name, number, drawn, *sorted(drawn.integers(-150, 10, 2)))
    names = session.parameter_names()
    chosen = [bool(x) for x in drawn.integers(0, 2, len(names))]
    shared = [n for n, is_in in zip(names, chosen) if is_in]
    delta = session.round_delta(bits, seed, shared)
    assert delta == written(machine, base, number, bits, seed, chosen)
    own = {} if drawn.integers(2) else {"bits": int(drawn.choice(BITS)), "seed": int(drawn.integers(100))}
    new_base, new = read(machine, base, delta, **own)
    assert outcome(session, delta, **own) == error_of(machine, base, number, delta) == "OK"
    assert bytes(session.parameters().cast("B")) == new
    assert session.round == number + 1
    session.set_parameters(new_base)
    zeros = layout(machine, session.round_delta(8, 1))[:-1]
    assert all(not any(codes) for entry, _, codes in zeros if chosen[names.index(_name(machine, entry))])


def _name(machine: Machine, entry: object) -> str:
    names = machine.image.section("NAMES")
    return names[entry.name : names.index(0, entry.name)].decode()


@pytest.mark.parametrize("bits", BITS)
def test_the_mean_of_many_roundings_is_the_difference(bits: int) -> None:
    session, machine, base = both("mlp", 1, np.random.default_rng(3), -12, -4)
    entry = parameters(machine)[0]
    d = np.frombuffer(machine.arena[: entry.size].tobytes(), "<f4").astype(float)
    d -= np.frombuffer(base[: entry.size].tobytes(), "<f4")
    total, draws = np.zeros(len(d)), 400
    for seed in range(draws):
        session.set_parameters(machine.arena[: len(base)].tobytes())
        new_base, _ = read(machine, base, session.round_delta(bits, seed))
        total += np.frombuffer(new_base[: entry.size], "<f4").astype(float) - np.frombuffer(
            base[: entry.size].tobytes(), "<f4"
        )
    unit = np.abs(d).max() / (2 ** (bits - 1) - 1) * 2
    assert np.abs(total / draws - d).max() < 5 * unit / 2 / draws**0.5
    assert abs((total / draws - d).mean()) < 5 * unit / 2 / (draws * len(d)) ** 0.5


def test_parts_of_a_file_are_the_file() -> None:
    session, _, _ = both("int8", 3, np.random.default_rng(4))
    lib, ffi = session._lib, session._ffi
    whole = session.round_delta(2, 9)
    record = session._round_record(2, 9, b"")
    for size in (1, 3, 7, 16, 49, len(whole)):
        parts = b""
        for at in range(0, len(whole), size):
            out = ffi.new("uint8_t[]", min(size, len(whole) - at))
            assert lib.gm_round_delta_part(session._session, record, at, out, len(out)) == 0
            parts += bytes(ffi.buffer(out))
        assert parts == whole
    out = ffi.new("uint8_t[]", 8)
    for at, size in ((len(whole), 1), (len(whole) - 7, 8), (2**32 - 1, 8), (4, 2**32 - 4)):
        assert lib.gm_round_delta_part(session._session, record, at, out, size) == lib.GM_ERR_INVALID_ARGUMENT


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2.0**61, -(2.0**100)])
def test_a_difference_that_is_not_finite_stays_on_the_device(value: float) -> None:
    session, _, _ = both("mlp", 1, np.random.default_rng(5))
    session.parameters()[40] = value
    with pytest.raises(RuntimeFault) as fault:
        session.round_delta(4)
    assert fault.value.name == "NOT_FINITE"


def test_both_refuse_the_same_files() -> None:
    """Fields, exponents and codes from the whole range, with the right checksum; a refusal changes nothing."""
    draw, seen = random.Random(6), set()
    for turn in range(1500):
        name = IMAGES[turn % 3]
        session, machine, base = both(name, turn % 2, np.random.default_rng(turn % 6))
        good = session.round_delta(BITS[turn % 5 % 3], turn)
        bad = hostile(bytearray(good), draw, len(parameters(machine)))
        before = bytes(session.state())
        expected = error_of(machine, base, turn % 2, bad)
        assert outcome(session, bad) == expected
        assert expected == "OK" or (bytes(session.state()) == before and session.round == turn % 2)
        seen.add(expected)
    assert seen >= {"OK", "BAD_MAGIC", "BAD_VERSION", "TRUNCATED", "BAD_CRC", "WRONG_MODEL", "OTHER_BASE", "NOT_FINITE"}


def hostile(data: bytearray, draw: random.Random, count: int) -> bytes:
    """Return a delta in which something is of the whole range."""
    word = draw.choice([0, 1, 4, 2**31, 2**32 - 1, draw.getrandbits(32), draw.getrandbits(9)])
    kind = draw.randrange(6)
    if kind < 2:
        at = draw.randrange(12) * 4
        data[at : at + 4] = word.to_bytes(4, "little")
    elif kind < 4:
        data[HEADER + draw.randrange(count)] = draw.choice([0, 1, 149, 150, 181, 182, 220, 255, draw.randrange(256)])
    elif kind < 5:
        at = draw.randrange(HEADER, len(data))
        data[at:] = draw.randbytes(len(data) - at)
    else:
        return bytes(data[: draw.randrange(len(data))])
    size = int.from_bytes(data[8:12], "little")
    return sealed(bytes(data)) if size <= len(data) and draw.randrange(8) else bytes(data)


def test_arguments() -> None:
    session = Session(data_of("mlp"), "strict")
    for wrong in (lambda: session.round_delta(3), lambda: session.round_delta(4, -1),
                  lambda: session.round_delta(4, 0, "none*"),
                  lambda: session.begin_round(2**32), lambda: session.end_round(b"", 5)):  # fmt: skip
        with pytest.raises(DataError):
            wrong()
    assert len(session.round_delta(4, shared="0.*")) < len(session.round_delta(4, shared=["0.*", "2.weight"]))
    assert session.round == 0
