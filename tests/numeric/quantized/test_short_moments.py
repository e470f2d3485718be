"""Moments of bfloat16 (--moments bf16): right on average, never stalled, and kept as all state is."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gradmote import Session, compile_model, losses, optimizers
from gradmote.compiler import Options
from gradmote.compiler.compile import Result
from gradmote.compiler.profiles import differing
from gradmote.errors import ModelError, RuntimeFault
from gradmote.formats import carry_over, checkpoint, narrow_floats
from gradmote.formats.image import read_image
from gradmote.generated.records import MOMENTS_BF16
from support.program_image import SCRATCH, instruction, program_image
from support.quantized import small_cnn
from support.stored_update import DTYPES, StoredUpdate

#: How many moments are averaged.
MANY = 100_000
HYPER = {"beta1": 0.9, "one_minus_beta1": 0.1, "beta2": 0.999, "one_minus_beta2": 0.001, "eps": 1e-8}
RULES = {"momentum": {"momentum": 0.9}, "adam": HYPER, "adamw": HYPER, "adamw_ort": HYPER}
OPTIMIZERS = {
    "momentum": optimizers.sgd(0.01, momentum=0.9),
    "adam": optimizers.adam(0.001),
    "adamw": optimizers.adamw(0.001),
}


@cache
def compiled(rule: str, moments: str | None, weights: str = "int8", gradients: str = "int16") -> Result:
    options = Options(batch=4, moments=moments, weights=weights, gradients=gradients)
    return compile_model(small_cnn.model(), losses.cross_entropy(), OPTIMIZERS[rule], options)


def trained(image: bytes, steps: int, rate: float | None = None, profile: str = "strict") -> bytes:
    """Return the checkpoint after so many steps."""
    with Session(image, profile) as session:
        if rate is not None:
            session.learning_rate = rate
        for x, labels in small_cnn.batches(4, steps):
            session.step(x, labels)
        return session.save()


# ---- One instruction ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opcode", sorted(DTYPES))
@pytest.mark.parametrize("rule", RULES)
def test_the_mean_of_rounded_moments_is_the_moment(opcode: str, rule: str, profile: str) -> None:
    """Each is one of the two neighbours, and their mean is within 4 deviations."""
    g = np.full(MANY, 0.0123, np.float32)
    update = StoredUpdate(opcode, rule, RULES[rule], 0.01, low=-127, high=127, seed=3)
    exact = update.run_all(np.zeros(MANY), g, profile)[1:]
    short = StoredUpdate(**{**vars(update), "short": True}).run_all(np.zeros(MANY), g, profile)[1:]
    for one, bits in zip(exact, short, strict=True):
        x, found = float(one[0]), narrow_floats.from_bfloat16(bits).astype(np.float64)
        low = float(narrow_floats.from_bfloat16((one[:1].view(np.uint32) >> 16).astype(np.uint16))[0])
        high = low + 2.0 ** (np.floor(np.log2(low)) - 7)
        chance = (x - low) / (high - low)
        assert set(np.unique(found)) == {low, high}
        assert abs(found.mean() - x) <= 4 * (high - low) * np.sqrt(chance * (1 - chance) / MANY)


@pytest.mark.parametrize("rule", RULES)
def test_the_first_step_is_that_of_float32_moments(rule: str) -> None:
    """A moment is rounded after the step that it was computed for."""
    g = np.linspace(-1, 1, 100)
    update = StoredUpdate("UPDATE_S8", rule, RULES[rule], 0.5, low=-127, high=127)
    short = StoredUpdate(**{**vars(update), "short": True})
    assert np.array_equal(short.run(np.zeros(100), g), update.run(np.zeros(100), g))


@pytest.mark.parametrize(
    ("value", "expected"), [(np.nan, 0x7FC0), (np.inf, 0x7F80), (3.4e38, 0x7F7F), (-3.4e38, 0xFF7F)]
)
def test_numbers_at_the_end_of_the_range(value: float, expected: int) -> None:
    update = StoredUpdate("UPDATE_S8", "momentum", {"momentum": 0.5}, low=-127, high=127, short=True)
    assert set(update.run_all(np.zeros(50), np.full(50, value, np.float32))[1]) == {expected}


@pytest.mark.parametrize(
    ("opcode", "rule", "error"), [("UPDATE", 0, "BAD_OPERAND"), ("UPDATE_S8", 0, "BAD_OPERAND"), ("UPDATE_S8", 1, "")]
)
def test_short_moments_need_a_rule_with_moments(opcode: str, rule: int, error: str) -> None:
    words = np.zeros(8, np.uint32)
    words[0] = rule + MOMENTS_BF16
    constants = bytes(16) + words.tobytes()
    places = {name: 1 << 31 for name in ("g", "lr", "units", "counter") if name in ("g", "lr") or opcode != "UPDATE"}
    places |= {"p": SCRATCH, "rule": 1 << 31 | 16}
    places |= {"slot1": SCRATCH + 4} if rule else {}
    image = program_image([instruction(opcode, places, {})], SCRATCH + 16, constants)
    if error:
        with pytest.raises(RuntimeFault) as raised:
            Session(image)
        assert raised.value.name == error
    else:
        Session(image).close()


# ---- Whole networks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", OPTIMIZERS)
def test_moments_take_half_the_bytes(rule: str) -> None:
    long, short = (read_image(compiled(rule, moments).image) for moments in ("float32", "bf16"))
    sizes = [{e["name"]: e["size"] for e in image.state if e["role"] == "slot"} for image in (long, short)]
    assert {e["dtype"] for e in short.state if e["role"] == "slot"} - {"f32"} == {"bf16"}
    for name in sizes[0].keys() - {"bias_correction"}:
        assert sizes[1][name] * 2 == sizes[0][name]


@pytest.mark.parametrize(("weights", "gradients"), [("int8", "int16"), ("int16", "float")])
def test_learns_as_with_float32_moments(weights: str, gradients: str) -> None:
    lost = []
    for moments in ("float32", "bf16"):
        with Session(compiled("adam", moments, weights, gradients).image) as session:
            session.learning_rate = 0.005
            loss = [session.step(x, labels) for x, labels in small_cnn.batches(4, 160)]
        lost.append(np.mean(loss[-30:]))
    assert lost[0] < 2.1 and abs(lost[1] - lost[0]) < 0.15


def test_second_moments_do_not_stall() -> None:
    """At rate 0 only moments change, so their sums are those of float32; the nearest bfloat16 would stop."""
    sums = []
    for moments in ("float32", "bf16"):
        found = checkpoint.unpack(trained(compiled("adam", moments, gradients="float").image, 150, rate=0.0))
        sums.append(sum(float(a.sum()) for name, a in found.tensors.items() if name.endswith("moment2")))
    assert abs(sums[1] / sums[0] - 1) < 0.01


@pytest.mark.parametrize("rule", OPTIMIZERS)
def test_both_profiles_keep_the_same_moments(rule: str) -> None:
    """This includes bias corrections: an image that trains integers has no multiply-accumulate for them."""
    assert list(differing(compiled(rule, "bf16").compiled)) == []
    strict, fused = (checkpoint.unpack(trained(compiled(rule, "bf16").image, 30, None, p)) for p in ("strict", "fused"))
    assert all(np.array_equal(strict.tensors[name], fused.tensors[name]) for name in strict.tensors)


def test_checkpoints_keep_the_bits() -> None:
    image = compiled("adam", "bf16").image
    saved = trained(image, 20)
    with Session(image) as session:
        session.load(saved)
        assert session.save() == saved
        session.load(checkpoint.as_half(saved))
        kept, found = checkpoint.unpack(saved), checkpoint.unpack(session.save())
    short = {e["name"] for e in read_image(image).state if e["dtype"] == "bf16"}
    assert short and all(np.array_equal(kept.tensors[name], found.tensors[name]) for name in short)
    assert all(kept.tensors[name].dtype == np.float32 for name in short)


def test_moments_of_another_type_are_not_carried_over_and_it_says_so() -> None:
    long, short = (read_image(compiled("adam", moments).image).state for moments in ("float32", "bf16"))
    entries = [e for e in carry_over.compare(long, short) if e.role == "slot"]
    assert not any(e.carried for e in entries)
    assert any("the old one has elements of f32" in e.why for e in entries)
    assert all(e.carried for e in carry_over.compare(short, short) if e.role == "slot")


def test_a_rule_without_moments_is_refused() -> None:
    with pytest.raises(ModelError, match="the optimizer has no moments"):
        compile_model(small_cnn.model(), losses.cross_entropy(), optimizers.sgd(0.1), Options(moments="bf16"))


def test_a_float_head_has_short_moments_too() -> None:
    rule, options = optimizers.adam(), Options(moments="bf16")
    made = compile_model(small_cnn.model(), losses.cross_entropy(), rule, options, scheme="last:1", float_head=True)
    types = {e["name"]: e["dtype"] for e in read_image(made.image).state if e["role"] == "slot"}
    assert set(types.values()) == {"bf16", "f32"} and types["bias_correction"] == "f32"
