"""Sums of deltas are exact: rationals agree with them, and neither the order nor a gateway changes them."""

from __future__ import annotations

import contextlib
import zlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote.errors import DataError
from gradmote.federated import DeltaSum
from gradmote.federated.delta_sum import MOST_WEIGHT
from gradmote.formats.delta import BIAS, Delta
from support.sampling import at_most

ELEMENTS = (3, 1)


@st.composite
def drawn_deltas(draw: st.DrawFn) -> list[tuple[Delta, int]]:
    """Return deltas of two parameters, some of them missing, with their weights."""
    found = []
    for _ in range(draw(st.integers(1, 8))):
        exponents = tuple(draw(st.sampled_from([0, 1, 100, 120, 126, 150, 209])) for _ in ELEMENTS)
        codes = tuple(
            np.array(draw(st.lists(st.integers(-127, 127), min_size=n, max_size=n)) if e else [], np.int8)
            for n, e in zip(ELEMENTS, exponents)
        )
        found.append((Delta(bytes(16), 0, 0, 8, 0, exponents, codes), draw(st.integers(1, 2**36))))
    return found


def sum_of(deltas: list[tuple[Delta, int]]) -> DeltaSum:
    """Return the sum of all of them."""
    total = DeltaSum(ELEMENTS)
    for delta, weight in deltas:
        total.add(delta, weight)
    return total


@settings(deadline=None)
@given(drawn_deltas(), st.randoms(use_true_random=False))
def test_order_and_gateways_do_not_show(deltas, random):
    means = [sum_of(deltas).mean(index).tobytes() for index in range(2)]
    random.shuffle(deltas)
    part = random.randint(0, len(deltas))
    gateway, other = sum_of(deltas[:part]), sum_of(deltas[part:])
    gateway.merge(other)
    assert [sum_of(deltas).mean(index).tobytes() for index in range(2)] == means
    assert [gateway.mean(index).tobytes() for index in range(2)] == means


@settings(deadline=None)
@given(drawn_deltas())
def test_the_mean_is_that_of_rationals(deltas):
    """The float64 additions of a few exact sums are within 2^-50 of the sum of their sizes."""
    total = sum_of(deltas)
    for index, n in enumerate(ELEMENTS):
        having = [
            (d.codes[index], Fraction(2) ** (d.exponents[index] - BIAS), w) for d, w in deltas if d.exponents[index]
        ]
        weight = sum(w for *_, w in having)
        for i in range(n):
            terms = [int(codes[i]) * unit * w / max(weight, 1) for codes, unit, w in having]
            assert abs(Fraction(float(total.mean(index)[i])) - sum(terms)) <= Fraction(1, 2**50) * sum(map(abs, terms))


@settings(deadline=None)
@given(drawn_deltas())
def test_many_at_once_have_the_sum_of_one_after_the_other(deltas):
    """Weights up to 2^36 times codes up to 127: sums beyond float32's exact integers."""
    at_once, one_by_one = DeltaSum(ELEMENTS), sum_of(deltas)
    at_once.add_all([delta for delta, _ in deltas], [weight for _, weight in deltas])
    assert at_once.weights == one_by_one.weights
    for index in range(len(ELEMENTS)):
        assert {e: s.tolist() for e, s in at_once.sums[index].items()} == {
            e: s.tolist() for e, s in one_by_one.sums[index].items()
        }


def parts_of(total: DeltaSum) -> list:
    """Return all integers of a sum."""
    return [total.weights, [{e: s.tolist() for e, s in sums.items()} for sums in total.sums]]


@settings(deadline=None)
@given(drawn_deltas())
def test_a_sum_comes_back_from_its_bytes(deltas):
    total = sum_of(deltas)
    assert parts_of(DeltaSum.unpack(total.pack(), ELEMENTS)) == parts_of(total)
    with pytest.raises(DataError):
        DeltaSum.unpack(total.pack(), (*ELEMENTS, 5))


@settings(deadline=None, max_examples=at_most(200))
@given(drawn_deltas(), st.data())
def test_hostile_bytes_are_no_sum_or_one_of_codes(deltas, data):
    """An attacker changes what is compressed, and compresses it again."""
    packed = sum_of(deltas).pack()
    inner = zlib.decompress(packed[8:])
    at, more = data.draw(st.integers(0, len(inner) - 1)), data.draw(st.binary(max_size=9))
    changed = inner[:at] + more + inner[at + data.draw(st.integers(0, 9)) :]
    for hostile in (packed[:8] + zlib.compress(changed), packed[:at] + more + packed[at + 1 :], data.draw(st.binary())):
        with contextlib.suppress(DataError):
            found = DeltaSum.unpack(hostile, ELEMENTS)
            for weight, sums in zip(found.weights, found.sums):
                assert weight <= MOST_WEIGHT
                assert all(abs(value) <= weight * 128 for own in sums.values() for value in own.tolist())


def test_a_sum_that_unpacks_to_more_than_any_is_refused_early():
    with pytest.raises(DataError, match="longer or shorter"):
        DeltaSum.unpack(b"GMSU0001" + zlib.compress(bytes(10**8)), ELEMENTS)


def test_a_sum_that_may_not_be_exact_is_refused():
    delta = Delta(bytes(16), 0, 0, 8, 0, (150, 0), (np.array([127, -127, 0], np.int8), np.zeros(0, np.int8)))
    total = DeltaSum(ELEMENTS)
    total.add(delta, MOST_WEIGHT)
    with pytest.raises(DataError, match="no exact sum"):
        total.add(delta, 1)
    assert total.mean(0).tolist() == [127.0, -127.0, 0.0]
