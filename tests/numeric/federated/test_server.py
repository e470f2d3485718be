"""A server and its devices come to one base, whatever the order, the profiles, the bits and the attackers."""

from __future__ import annotations

import itertools
import math
import re
import struct
import zlib
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numeric.spec.delta_file import layout, unpacked
from numeric.spec.execute import Machine
from numeric.spec.trained_models import quantized

from gradmote import Session
from gradmote.errors import DataError, RuntimeFault
from gradmote.federated import Server, fedadam, fedavg
from gradmote.federated.summary import is_summary
from gradmote.formats.delta import BIAS, read_delta
from gradmote.generated.records import DELTA_MAGIC, DELTA_VERSION
from support import federation
from support.sampling import at_most

DEVICES = 4


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_devices_come_to_the_base_of_the_server(bits):
    server = Server(federation.image())
    devices = federation.devices_of(federation.image(), DEVICES)
    for number in range(1, 4):
        federation.one_round(server, devices, bits)
        assert server.round == number
        for device in devices:
            assert device.session.round == number
            assert bytes(device.session.parameters().cast("B")) == server.base


def test_no_order_shows_in_the_next_base():
    devices = federation.devices_of(federation.image(), DEVICES)
    for device in devices:
        device.train()
    found = set()
    for order in itertools.permutations(devices):
        server = Server(federation.image())
        for device in order:
            server.add(str(device.number), device.delta(), len(device.labels))
        found.add((server.finish(), server.base))
    assert len(found) == 1


def test_the_next_base_is_the_mean_of_what_devices_learned():
    """Codes of 8 bits are within a code's unit of the difference, up and down."""
    server, devices = Server(federation.image(), clip=False), federation.devices_of(federation.image(), DEVICES)
    initial = np.frombuffer(server.base, np.float32)
    for device in devices:
        device.train()
        server.add(str(device.number), device.delta(8), len(device.labels))
    examples = np.array([len(device.labels) for device in devices])
    learned = np.array([np.array(device.session.parameters()) for device in devices], np.float64) - initial
    server.finish()
    found = np.frombuffer(server.base, np.float32) - initial
    assert np.abs(found - examples @ learned / examples.sum()).max() < 3 * np.abs(learned).max() / 64


def test_a_federation_learns_what_no_device_could_alone():
    server, devices = Server(federation.image()), federation.devices_of(federation.image(), 5)
    for _ in range(16):
        federation.one_round(server, devices)
    alone = federation.devices_of(federation.image(), 5)
    for device in alone:
        device.train(epochs=16)
    assert federation.accuracy(devices[0].session) > 0.8
    assert max(federation.accuracy(device.session) for device in alone) < 0.5


def test_an_int8_model_has_rounds():
    server, sessions = Server(quantized()), [Session(quantized()) for _ in range(3)]
    drawn = np.random.default_rng(0)
    for session in sessions:
        now = np.frombuffer(bytes(session.parameters().cast("B")), np.uint8).copy()
        machine = Machine(quantized(), "strict")
        for entry in (e for e in machine.image.state if e.role_name == "PARAMETER" and e.dtype_name == "I8"):
            codes = now[entry.offset : entry.offset + entry.size].view(np.int8)
            codes[:] = np.clip(codes.astype(int) + drawn.integers(-9, 10, len(codes)), -127, 127)
        session.set_parameters(now.tobytes())
        server.add(str(id(session)), session.round_delta(8, 1), 10)
    down = server.finish()
    for session in sessions:
        session.end_round(down)
        assert bytes(session.parameters().cast("B")) == server.base


def test_personal_parameters_stay_on_their_devices():
    server, devices = Server(federation.image()), federation.devices_of(federation.image(), DEVICES)
    federation.one_round(server, devices, shared="0.*")
    for name in devices[0].session.parameter_names():
        values = {bytes(device.session.parameter(name)) for device in devices}
        assert len(values) == (1 if name.startswith("0.") else DEVICES)


def test_a_device_that_joins_late_has_the_base_of_the_others():
    server, devices = Server(federation.image()), federation.devices_of(federation.image(), DEVICES)
    federation.one_round(server, devices)
    late = federation.Device(federation.image(), 9, 10)
    late.session.load(server.checkpoint())
    late.session.begin_round(server.round)
    federation.one_round(server, [*devices, late])
    assert bytes(late.session.parameters().cast("B")) == server.base


def test_the_code_of_the_page_runs():
    page = (Path(__file__).parents[3] / "docs" / "FEDERATED.md").read_text()
    data, names = federation.image(), [str(number) for number in range(DEVICES)]
    devices = [federation.Device(data, number, DEVICES) for number in range(DEVICES)]
    samples = {n: [(d.x[:4], d.labels[:4]), (d.x[4:8], d.labels[4:8])] for n, d in zip(names, devices)}
    known = {"image": data, "samples": samples, "hash_of": int}
    for code in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(code, known)
    assert known["number"] == 2
    assert known["better"] != Server(data).checkpoint()


def test_the_page_has_the_size_of_a_delta():
    page = (Path(__file__).parents[3] / "docs" / "FEDERATED.md").read_text()
    assert f"sends {len(trained_delta()):,} bytes" in page


# ---- What the server's optimizers do


def change_of(optimizer, rounds: int) -> np.ndarray:
    """Return how far the first parameter moves if each round's delta is 1/4 of each number."""
    server, session = Server(federation.image(), optimizer), Session(federation.image())
    first = np.array(session.parameters())[0]
    for _ in range(rounds):
        parameters = np.array(session.parameters())
        session.set_parameters(parameters + np.float32(0.25))
        server.add("only", session.round_delta(8), 1)
        session.set_parameters(parameters)
        session.end_round(server.finish())
    return np.array(session.parameters())[0] - first


def test_server_optimizers_follow_their_formulas():
    """The loss of a delta of 8 bits is added to the next one, so errors do not add up."""
    assert change_of(fedavg(), 4) == pytest.approx(1.0, abs=0.01)
    assert change_of(fedavg(0.5), 4) == pytest.approx(0.5, abs=0.01)
    assert change_of(fedavg(1.0, momentum=0.5), 3) == pytest.approx(0.25 * (1 + 1.5 + 1.75), abs=0.02)
    m1, v1 = 0.1 * 0.25, 0.01 * 0.25**2
    assert change_of(fedadam(0.1), 1) == pytest.approx(0.1 * m1 / (v1**0.5 + 1e-3), rel=0.05)


# ---- What is refused, and attackers


def trained_device(scale: float = 1.0) -> federation.Device:
    """Return a device that trained, and then made its difference from the base longer."""
    device = federation.Device(federation.image(), 0, DEVICES)
    base = np.array(device.session.parameters())
    device.train()
    device.session.set_parameters(base + np.float32(scale) * (np.array(device.session.parameters()) - base))
    return device


def test_a_device_counts_once():
    server, device = Server(federation.image()), trained_device()
    server.add("a", device.delta(), 5)
    server.add("a", device.delta(), 5)
    assert server.devices == ["a"]
    with pytest.raises(DataError, match="two deltas in round 0"):
        server.add("a", device.delta(2), 5)


def test_a_replayed_delta_is_refused():
    server, devices = Server(federation.image()), federation.devices_of(federation.image(), DEVICES)
    devices[0].train()
    old = devices[0].delta()
    federation.one_round(server, devices)
    with pytest.raises(RuntimeFault, match="OTHER_BASE"):
        server.add("0", old, 5)
    assert server.devices == []


@pytest.mark.parametrize("examples", [0, -1, 2**20 + 1])
def test_an_impossible_number_of_examples_is_refused(examples):
    server = Server(federation.image())
    with pytest.raises(DataError, match="examples"):
        server.add("a", trained_device().delta(), examples)
    assert server.devices == []


def test_a_round_without_deltas_goes_on():
    server = Server(federation.image())
    with pytest.raises(DataError, match="no device"):
        server.finish()
    assert server.round == 0


@settings(deadline=None, max_examples=at_most(60))
@given(st.binary(max_size=200), st.integers(0, 2**32 - 1))
def test_any_bytes_are_refused(data, flip):
    server, good = Server(federation.image()), bytearray(trained_delta())
    good[flip % len(good)] ^= 1 + flip // len(good) % 255
    for delta in (data, bytes(good)):
        base = server.base
        with pytest.raises(DataError if is_summary(delta) else RuntimeFault):
            server.add("a", delta, 1)
        assert (server.base, server.devices) == (base, [])


@cache
def trained_delta() -> bytes:
    """Return the delta of a device that trained."""
    return trained_device().delta()


@pytest.mark.parametrize("scale", [-20.0, 1e15])
def test_one_attacker_in_ten_does_little(scale):
    reached = []
    for attacked in (False, True):
        server, devices = Server(federation.image()), federation.devices_of(federation.image(), 10)
        for _ in range(6):
            for device in devices:
                base = np.array(device.session.parameters())
                device.train(epochs=4)
                if attacked and device.number == 3:
                    learned = np.array(device.session.parameters()) - base
                    device.session.set_parameters(base + np.float32(scale) * learned)
                server.add(str(device.number), device.delta(), len(device.labels))
            down = server.finish()
            for device in devices:
                device.session.end_round(down)
        reached.append(federation.accuracy(devices[0].session))
    assert reached[1] > reached[0] - 0.08


def accuracy_after(rounds: int, scale: float, refuse_above: float | None) -> float:
    """Return the accuracy of ten devices if device 3 sends what it learned times scale."""
    server = Server(federation.image(), refuse_above=refuse_above)
    devices = federation.devices_of(federation.image(), 10)
    for _ in range(rounds):
        for device in devices:
            base = np.array(device.session.parameters())
            device.train(epochs=4)
            if device.number == 3:
                learned = np.array(device.session.parameters()) - base
                device.session.set_parameters(base + np.float32(scale) * learned)
            server.add(str(device.number), device.delta(), len(device.labels))
        down = server.finish()
        assert server.left_out == (["3"] if refuse_above and abs(scale) > 3 else [])
        for device in devices:
            device.session.end_round(down)
    return federation.accuracy(devices[0].session)


def test_an_attacker_with_a_long_delta_takes_less_than_four_points_where_it_is_refused():
    honest, clipped, refused = (accuracy_after(24, *case) for case in ((1.0, 3.0), (-20.0, None), (-20.0, 3.0)))
    assert honest == accuracy_after(24, 1.0, None)
    assert refused > honest - 0.04 > clipped


@pytest.mark.parametrize("name", ["refuse_above", "cap_examples"])
@pytest.mark.parametrize("bound", [0.0, 0.99, -1.0, float("nan"), float("inf")])
def test_a_bound_that_would_refuse_all_or_none_is_no_bound(name, bound):
    with pytest.raises(DataError, match=name):
        Server(federation.image(), **{name: bound})


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.sampled_from([1, 3, 8, 100, 2**20]), min_size=1, max_size=6),
    st.sampled_from([1.0, 1.5, 4.0, 1e9]),
    st.randoms(use_true_random=False),
)
def test_claimed_examples_count_up_to_the_cap_in_any_order(claimed, cap, random):
    """The next base is that of a server whose devices say what they count for, in parts of an example."""
    deltas = [delta_of_scale(scale, 4) for scale in (0.5, -1.0, 1.0, 1.5, 4.0, -20.0)]
    sent = list(zip(map(str, range(6)), deltas, claimed))
    ordered = sorted(claimed)
    median = Fraction(ordered[(len(claimed) - 1) // 2] + ordered[len(claimed) // 2], 2)
    counted = [min(Fraction(number), Fraction(cap) * median) for number in claimed]
    whole = math.lcm(*(number.denominator for number in counted))
    assume(all(number * whole <= 2**20 for number in counted))
    found = set()
    for order in (sent, random.sample(sent, len(sent))):
        server = Server(federation.image(), clip=False, cap_examples=cap)
        for name, delta, number in order:
            server.add(name, delta, number)
        found.add((server.finish(), server.base))
    honest = Server(federation.image(), clip=False, cap_examples=None)
    for (name, delta, _), number in zip(sent, counted):
        honest.add(name, delta, int(number * whole))
    assert found == {(honest.finish(), honest.base)}


# ---- Late deltas


def waiting_delta(server: Server, number: int, rounds: int, **settings) -> bytes:
    """Return what a device learned from the server's base, after the server has gone on by so many rounds."""
    slow = federation.devices_of(federation.image(), DEVICES)[number]
    slow.session.load(server.checkpoint())
    slow.session.begin_round(server.round)
    slow.train()
    delta = slow.delta(**settings)
    for _ in range(rounds):
        go_on(server)
    return delta


def go_on(server: Server) -> bytes:
    """End a round to which one device sends a delta."""
    device = federation.devices_of(federation.image(), DEVICES)[0]
    device.session.load(server.checkpoint())
    device.session.begin_round(server.round)
    device.train()
    server.add("fast", device.delta(), 10)
    return server.finish()


@pytest.mark.parametrize("age", [1, 2])
@pytest.mark.parametrize("shared", [None, "*weight*"])
def test_a_late_delta_counts_as_often_as_its_age_says(age, shared):
    """The numbers of a late delta are added to the newer base: the mean weighs it 1 / sqrt(1 + age)."""
    server = Server(federation.image(), clip=False, late=2)
    go_on(server)
    late = waiting_delta(server, 2, age, shared=shared)
    device = federation.devices_of(federation.image(), DEVICES)[1]
    device.session.load(server.checkpoint())
    device.session.begin_round(server.round)
    device.train()
    fresh, old, lost = device.delta(), np.frombuffer(server.base, np.float32), np.concatenate(server._lost)
    assert server.add("fresh", fresh, 8) and server.add("late", late, 8)
    server.finish()
    weights = np.array([(8 * 2**16), int(8 / math.sqrt(1 + age) * 2**16)])
    parts = [values_of(delta, server.elements) for delta in (fresh, late)]
    there = [~np.isnan(part) for part in parts]
    total = sum(np.where(has, part, 0) * weight for has, part, weight in zip(there, parts, weights))
    wanted = old + total / sum(has * weight for has, weight in zip(there, weights)) + lost
    reached = np.frombuffer(server.base, np.float32) + np.concatenate(server._lost)
    np.testing.assert_allclose(reached, wanted, rtol=1e-6, atol=1e-9)


def values_of(delta: bytes, elements: list[int]) -> np.ndarray:
    """Return all numbers of a delta, float64; NaN for those of parameters that it lacks."""
    read = read_delta(delta, elements)
    parts = zip(read.exponents, read.codes, elements)
    return np.concatenate([np.ldexp(c.astype(float), e - BIAS) if e else np.full(n, np.nan) for e, c, n in parts])


def test_late_deltas_end_in_one_base_whatever_the_order_and_after_a_restart():
    found, deltas = set(), {}
    for order in itertools.permutations(["late", "later", "fresh"]):
        server = Server(federation.image(), late=2)
        deltas["later"] = waiting_delta(server, 3, 1)
        deltas["late"] = waiting_delta(server, 2, 1)
        deltas["fresh"] = waiting_delta(server, 1, 0)
        again = Server(federation.image(), late=2)
        again.restore(server.snapshot())
        for one in (server, again):
            for name in order:
                one.add(name, deltas[name], 8)
            assert [one.age_of(name) for name in ("fresh", "late", "later")] == [0, 1, 2]
            found.add((one.finish(), one.base))
    assert len(found) == 1


def test_no_delta_counts_in_two_rounds_and_the_newest_of_a_device_counts():
    server = Server(federation.image(), late=2)
    first = waiting_delta(server, 1, 0)
    assert server.add("slow", first, 8)
    go_on(server)
    with pytest.raises(DataError, match="two deltas in round 0"):
        server.add("slow", first, 8)
    second = waiting_delta(server, 1, 1)
    assert server.add("slow", second, 8) and server.age_of("slow") == 1
    third = waiting_delta(server, 1, 0)
    assert server.add("slow", third, 8) and server.age_of("slow") == 0
    assert not server.add("slow", third, 8)
    with pytest.raises(DataError, match="two deltas in round 1"):
        server.add("slow", second, 8)
    alone = Server(federation.image(), late=2)
    alone.restore(server.snapshot())
    with pytest.raises(DataError, match="two deltas in round 0"):
        alone.add("slow", first, 8)
    alone.add("slow", third, 8)
    assert (server.finish(), server.base) == (alone.finish(), alone.base)


def test_a_delta_that_is_too_late_forged_or_damaged_is_refused():
    server = Server(federation.image(), late=1)
    too_late = waiting_delta(server, 1, 1)
    go_on(server)
    with pytest.raises(RuntimeFault, match="OTHER_BASE"):
        server.add("slow", too_late, 8)
    late = waiting_delta(server, 1, 1)
    fields = struct.unpack_from("<4I4I4I", late)
    for round_of_it in {0, 1, server.round, server.round + 1, 2**32 - 1} - {fields[8]}:
        body = struct.pack("<4I4I", *fields[4:8], round_of_it, *fields[9:]) + late[48:]
        with pytest.raises(RuntimeFault, match="OTHER_BASE"):
            server.add("slow", late[:12] + struct.pack("<I", zlib.crc32(body)) + body, 8)
    for at in range(0, len(late), 97):
        with pytest.raises((RuntimeFault, DataError)):
            server.add("slow", late[:at] + bytes([late[at] ^ 64]) + late[at + 1 :], 8)
    assert server.devices == []
    assert server.add("slow", late, 8)


@pytest.mark.parametrize("late", [-1, 101])
def test_an_impossible_lateness_is_refused(late):
    with pytest.raises(DataError, match="rounds late"):
        Server(federation.image(), late=late)


@cache
def delta_of_scale(scale: float, bits: int) -> bytes:
    """Return a delta that is `scale` times as long as what a device learned."""
    return trained_device(scale).delta(bits)


@settings(deadline=None, max_examples=20)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.5, -1.0, 1.0, 1.5, 4.0, -20.0, 1e15]), st.sampled_from([2, 4, 8])),
        min_size=1, max_size=7,
    ),
    st.sampled_from([1.0, 1.5, 3.0, 30.0]),
    st.booleans(),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_what_is_left_out_is_as_if_it_had_not_come_in_any_order(sent, most, clip, random):
    """The median is of all deltas: rationals say which are too long, and a server that clips none sums the rest."""
    deltas = {str(number): delta_of_scale(*made) for number, made in enumerate(sent)}
    norms = {name: norm_of(delta) for name, delta in deltas.items()}
    above = sorted(norm for norm in norms.values() if norm) or [Fraction(0)]
    median = (above[(len(above) - 1) // 2] + above[len(above) // 2]) / 2
    # Norms that are as good as on the bound are left to rounding.
    assume(all(abs(norm - Fraction(most) * median) > norm / 10**9 for norm in norms.values() if norm and median))
    left_out = sorted(name for name, norm in norms.items() if norm > Fraction(most) * median)
    found = set()
    for order in (sorted(deltas), random.sample(sorted(deltas), len(deltas))):
        server = Server(federation.image(), clip=clip, refuse_above=most)
        found.add((finished(server, {name: deltas[name] for name in order}), server.base))
        assert server.left_out == left_out
    assert len(found) == 1
    if not clip:
        rest = Server(federation.image(), clip=False, refuse_above=None)
        kept = {name: delta for name, delta in deltas.items() if name not in left_out}
        assert found == {(finished(rest, kept), rest.base)}


def finished(server: Server, deltas: dict[str, bytes]) -> bytes:
    """Give the deltas to a server in their order, and return what ends its round."""
    for name, delta in deltas.items():
        server.add(name, delta, 5 + int(name))
    return server.finish()


def norm_of(data: bytes) -> Fraction:
    """Return the norm of a delta within 2^-60 of it, from integers alone."""
    delta = read_delta(data, Server(federation.image()).elements)
    units = [
        sum(int(code) ** 2 for code in codes) << 2 * exponent for codes, exponent in zip(delta.codes, delta.exponents)
    ]
    return Fraction(math.isqrt(sum(units) << 120), 1 << 60) / 2**BIAS


def test_devices_that_learn_nothing_stop_no_round():
    """Three of four have a norm of 0, which is the median of all, but no limit for the fourth."""
    server, before = Server(federation.image()), Server(federation.image()).base
    server.add("trained", trained_device().delta(), 5)
    for name in ("a", "b", "c"):
        server.add(name, trained_device(0.0).delta(), 5)
    server.finish()
    assert server.base != before


def test_a_delta_that_is_not_finite_does_not_leave_its_device():
    device = trained_device(float("nan"))
    with pytest.raises(RuntimeFault, match="NOT_FINITE"):
        device.delta()


# ---- The reader


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_the_reader_agrees_with_the_second_implementation(bits):
    device = trained_device()
    data = device.delta(bits, "0.*")
    found = read_delta(data, Server(federation.image()).elements)
    entries = layout(Machine(federation.image(), "strict"), data)[:-1]
    assert found.exponents == tuple(exponent for _, exponent, _ in entries)
    for codes, (entry, exponent, packed) in zip(found.codes, entries):
        assert codes.tolist() == (unpacked(packed, bits, entry.size // 4).tolist() if exponent else [])


@settings(deadline=None)
@given(st.binary(max_size=400), st.integers(48, 400))
def test_the_reader_refuses_any_bytes(data, size):
    """Any bytes with a sound header and checksum are refused too."""
    body = (data + bytes(400))[16:size]
    sound = struct.pack("<4I", DELTA_MAGIC, DELTA_VERSION, size, zlib.crc32(body)) + body
    for hostile in (data, sound):
        try:
            found = read_delta(hostile, (7, 30, 1))
        except DataError:
            continue
        assert [len(codes) for codes in found.codes] == [n if e else 0 for n, e in zip((7, 30, 1), found.exponents)]
