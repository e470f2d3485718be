"""Moments of bfloat16 of float32 parameters (--moments bf16): to the bit, right on average, and half as large."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numeric.spec.execute import Machine

from gradmote import Session, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.resume import going_on
from gradmote.compiler import Options, compile_image
from gradmote.errors import ModelError, RuntimeFault
from gradmote.formats import carry_over, checkpoint, narrow_floats
from gradmote.formats.image import read_image
from gradmote.generated.optimizers import RULES
from gradmote.generated.records import MOMENTS_BF16
from support import digits
from support.oracle import train
from support.program_image import SCRATCH, instruction, program_image

HYPER = {"momentum": 0.9, "beta1": 0.9, "one_minus_beta1": 0.1, "beta2": 0.999, "one_minus_beta2": 0.001, "eps": 1e-8}
WITH_MOMENTS = [name for name, rule in RULES.items() if rule["slots"]]
OPTIMIZERS = {
    "momentum": optimizers.sgd(0.05, momentum=0.9),
    "nesterov": optimizers.sgd(0.05, momentum=0.9, nesterov=True, weight_decay=0.01),
    "adam": optimizers.adam(0.003, weight_decay=0.01),
    "adamw": optimizers.adamw(0.003),
    "adamw_ort": optimizers.adamw_ort(0.003),
    "clipped": optimizers.adamw(0.003, clip_norm=0.1),
}
#: The bit of an operand in the constants, and the offset of the rule there.
CONSTANT, RULE = 1 << 31, 16
#: How many moments are averaged.
MANY = 60_000
#: The largest number that no rounding may make infinite.
LARGEST = 3.4e38


def moments_of(image: bytes) -> dict[str, dict]:
    """Return the entries of the state that are moments, by name."""
    return {e["name"]: e for e in read_image(image).state if e["role"] == "slot" and e["name"] != "bias_correction"}


@cache
def compiled(rule: str, moments: str, accumulate: bool = False, batch: int = 4) -> bytes:
    made = build_artifacts(digits.model(), None, losses.cross_entropy(), OPTIMIZERS[rule])
    return compile_image(made, Options(batch=batch, accumulate=accumulate, moments=moments)).image


# ---- One instruction ------------------------------------------------------------------------------------------------


def update(rule: str, g: np.ndarray, first: int, decay: float = 0.0) -> bytes:
    """Return an image of one UPDATE whose moments are in the arena from `first` on, the first ones in front."""
    spec, n = RULES[rule], g.size
    hyper = np.float32([{**HYPER, "weight_decay": decay, "nesterov": 1.0}[name] for name in spec["hyper"]])
    words = np.zeros(8, np.uint32)
    words[0] = spec["kind"] + MOMENTS_BF16
    words[1 : 1 + hyper.size] = hyper.view(np.uint32)
    constants = np.float32([0.1, 0.01, 0.03, 0]).tobytes() + words.tobytes() + g.astype(np.float32).tobytes()
    places = {"aux": CONSTANT} if spec["aux"] else {}
    places |= {"lr": CONSTANT | 8, "rule": CONSTANT | RULE, "g": CONSTANT | RULE + 32, "p": SCRATCH}
    places |= {f"slot{i + 1}": first + 2 * n * i for i in range(spec["slots"])}
    return program_image([instruction("UPDATE", places, {"n": n})], first + 4 * n + first % 4, constants)


def moments_after(rule: str, g: np.ndarray, profile: str = "strict") -> list[np.ndarray]:
    """Return the bits of the moments after one UPDATE from zeros."""
    n, first = g.size, SCRATCH + 4 * g.size
    with Session(update(rule, g, first), profile) as session:
        session.run_program("infer")
        memory = bytes(session._memory)
    return [np.frombuffer(memory, np.uint16, n, first + 2 * n * i) for i in range(RULES[rule]["slots"])]


@pytest.mark.parametrize("rule", WITH_MOMENTS)
@pytest.mark.parametrize("n", [1, 2, 7, 31, 32, 33, 64, 97])
@pytest.mark.parametrize("odd", [0, 2])
def test_an_update_has_the_bits_of_the_specification(rule: str, n: int, odd: int, profile: str) -> None:
    """Moments may also begin in the middle of a word."""
    rng, first = np.random.default_rng(n), SCRATCH + 4 * n + odd
    image = update(rule, rng.normal(size=n), first, decay=float(rng.choice([0, 0.01])))
    machine = Machine(image, profile)
    machine.arena[SCRATCH : SCRATCH + 4 * n] = rng.normal(size=n).astype("<f4").view(np.uint8)
    machine.arena[first : first + 4 * n] = narrow_floats.to_bfloat16(np.abs(rng.normal(size=2 * n))).view(np.uint8)
    machine.set("seed", 7)
    machine.set("optimizer_steps", 5)
    with Session(image, profile) as session:
        session._memory[: machine.arena.size] = machine.arena.tobytes()
        session.run_program("infer")
        assert machine.run("INFER") == "OK"
        assert bytes(session._memory[: machine.arena.size]) == machine.arena.tobytes()


@pytest.mark.parametrize("rule", WITH_MOMENTS)
def test_the_mean_of_rounded_moments_is_the_moment(rule: str, profile: str) -> None:
    """Each is one of the two neighbours, and their mean is within 4 deviations."""
    g = 0.0123
    exact = [g] if rule == "momentum" else [0.1 * g, 0.001 * g * g]
    for x, bits in zip(exact, moments_after(rule, np.full(MANY, g), profile), strict=True):
        found = narrow_floats.from_bfloat16(bits).astype(np.float64)
        low = float(narrow_floats.from_bfloat16((np.float32([x]).view(np.uint32) >> 16).astype(np.uint16))[0])
        high = low + 2.0 ** (np.floor(np.log2(low)) - 7)
        chance = (x - low) / (high - low)
        assert set(np.unique(found)) == {low, high}
        assert abs(found.mean() - x) <= 4 * (high - low) * np.sqrt(chance * (1 - chance) / MANY) + 1e-6 * x


@pytest.mark.parametrize(
    ("value", "expected"), [(np.nan, 0x7FC0), (np.inf, 0x7F80), (LARGEST, 0x7F7F), (-LARGEST, 0xFF7F)]
)
def test_numbers_at_the_end_of_the_range(value: float, expected: int) -> None:
    assert set(moments_after("momentum", np.full(50, value, np.float32))[0]) == {expected}


@pytest.mark.parametrize(
    ("first", "end", "error"),
    [(12, 20, ""), (14, 20, ""), (16, 20, "BAD_OPERAND"), (13, 20, "BAD_OPERAND"), (10, 20, "BAD_OPERAND")],
)
def test_moments_lie_apart_in_the_arena_from_two_bytes_on(first: int, end: int, error: str) -> None:
    """first: the offset of the moments of three parameters, which end at 12; end: of the arena."""
    words = np.array([RULES["momentum"]["kind"] + MOMENTS_BF16, *[0] * 7], np.uint32)
    places = {"lr": CONSTANT, "rule": CONSTANT | RULE, "g": CONSTANT, "p": SCRATCH, "slot1": SCRATCH + first}
    image = program_image([instruction("UPDATE", places, {"n": 3})], SCRATCH + end, bytes(RULE) + words.tobytes())
    if not error:
        Session(image).close()
        return
    with pytest.raises(RuntimeFault) as raised:
        Session(image)
    assert raised.value.name == error


# ---- Whole networks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", OPTIMIZERS)
def test_moments_take_half_the_bytes_and_parameters_all(rule: str) -> None:
    long, short = compiled(rule, "float32"), compiled(rule, "bf16")
    sizes = [{name: e["size"] for name, e in moments_of(image).items()} for image in (long, short)]
    assert sizes[1] == {name: size // 2 for name, size in sizes[0].items()}
    assert {e["dtype"] for e in moments_of(short).values()} == {"bf16"}
    kept = [[e for e in read_image(image).state if e["role"] == "parameter"] for image in (long, short)]
    assert kept[0] == kept[1]
    spared = read_image(long).header["state_size"] - read_image(short).header["state_size"]
    assert abs(spared - sum(sizes[1].values())) < 16


@pytest.mark.parametrize("rule", OPTIMIZERS)
@pytest.mark.parametrize("batch", [1, 8])
def test_fused_step_equals_train_and_optimizer(rule: str, batch: int, profile: str) -> None:
    data = digits.batches(batch, 12)
    apart_losses, apart = train(compiled(rule, "bf16", True, batch), data, profile, accumulate=True)
    fused_losses, fused = train(compiled(rule, "bf16", False, batch), data, profile)
    assert fused_losses == apart_losses
    assert fused.state_sha256() == apart.state_sha256()


@pytest.mark.parametrize("rule", ["momentum", "adamw"])
def test_learns_as_with_float32_moments(rule: str) -> None:
    lost = []
    for moments in ("float32", "bf16"):
        with Session(compiled(rule, moments)) as session:
            session.learning_rate = 0.01 if rule == "momentum" else 0.003
            lost.append(np.mean([session.step(x, y) for x, y in digits.batches(4, 440)][-60:]))
    assert lost[0] < 0.6 and abs(lost[1] - lost[0]) < 0.02


def test_second_moments_do_not_stall() -> None:
    """At rate 0 only moments change, so their sums are those of float32; the nearest bfloat16 would stop."""
    sums = []
    for moments in ("float32", "bf16"):
        with Session(compiled("adamw", moments)) as session:
            session.learning_rate = 0.0
            for x, y in digits.batches(4, 150):
                session.step(x, y)
            found = checkpoint.unpack(session.save())
        sums.append(sum(float(a.sum()) for name, a in found.tensors.items() if name.endswith("moment2")))
    assert abs(sums[1] / sums[0] - 1) < 0.01


def test_the_seed_and_the_number_of_the_update_choose_the_rounding() -> None:
    states = []
    for seed in (0, 0, 1):
        session = Session(compiled("adamw", "bf16"))
        session.set_seed(seed)
        for x, y in digits.batches(4, 3):
            session.step(x, y)
        states.append(bytes(session.state())[read_image(compiled("adamw", "bf16")).header["parameters_size"] + 48 :])
        session.close()
    assert states[0] == states[1] != states[2]


def test_training_goes_on_from_a_checkpoint(profile: str) -> None:
    image, data = compiled("adamw", "bf16"), digits.batches(4, 10)
    _, whole = train(image, data, profile)
    _, first = train(image, data[:4], profile)
    with Session(image, profile) as second:
        second.load(first.save())
        for x, y in data[4:]:
            second.step(x, y)
        assert second.state_sha256() == whole.state_sha256()


def test_packed_checkpoints_keep_the_bits_of_moments() -> None:
    image = compiled("adamw", "bf16")
    _, session = train(image, digits.batches(4, 10))
    saved = session.save()
    session.load(checkpoint.as_half(saved))
    before, after = checkpoint.unpack(saved), checkpoint.unpack(session.save())
    for name in moments_of(image):
        assert before.tensors[name].dtype == np.float32
        assert np.array_equal(before.tensors[name], after.tensors[name])


def test_a_moment_that_is_no_mean_of_squares_is_not_trained_on() -> None:
    """A state that comes from elsewhere is checked, whatever its moments are."""
    image = compiled("adamw", "bf16")
    at = next(e["offset"] for name, e in moments_of(image).items() if name.endswith("moment2"))
    x, y = digits.batches(4, 1)[0]
    with Session(image) as session:
        session.state()[at : at + 2] = b"\x80\xbf"  # -1
        with pytest.raises(RuntimeFault) as raised:
            session.step(x, y)
        assert raised.value.name == "NOT_FINITE"


def test_moments_of_another_type_are_not_carried_over_and_it_says_so() -> None:
    long, short = (read_image(compiled("adamw", moments)).state for moments in ("float32", "bf16"))
    entries = [e for e in carry_over.compare(long, short) if e.role == "slot"]
    assert not any(e.carried for e in entries)
    assert any("the old one has elements of f32" in e.why for e in entries)
    assert all(e.carried for e in carry_over.compare(short, short) if e.role == "slot")


def test_a_compilation_goes_on_from_moments_of_bfloat16() -> None:
    """The image begins with the moments of a checkpoint, whichever type they have there."""
    image = compiled("adamw", "bf16")
    _, session = train(image, digits.batches(4, 10))
    saved = session.save()
    made = build_artifacts(digits.model(), None, losses.cross_entropy(), OPTIMIZERS["adamw"])
    again = compile_image(going_on(made, checkpoint.unpack(saved)), Options(batch=4, moments="bf16")).image
    with Session(again) as session:
        kept, found = checkpoint.unpack(saved), checkpoint.unpack(session.save())
    for name in moments_of(image):
        assert np.array_equal(kept.tensors[name], found.tensors[name])


def test_a_rule_without_moments_is_refused() -> None:
    made = build_artifacts(digits.model(), None, losses.cross_entropy(), optimizers.sgd(0.1))
    with pytest.raises(ModelError, match="moments of bf16, but the optimizer has no moments"):
        compile_image(made, Options(moments="bf16"))
