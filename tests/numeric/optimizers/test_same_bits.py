"""Ways to the same state, bit for bit: fused or apart, whole or in slices, one seed, any arena contents."""

import numpy as np
import pytest

from gradmote import optimizers
from gradmote_runtime import Session
from support import digits
from support.oracle import poisoned, train

OPTIMIZERS = {
    "sgd": optimizers.sgd(0.1),
    "sgd, decay": optimizers.sgd(0.1, weight_decay=0.01),
    "momentum": optimizers.sgd(0.02, momentum=0.9),
    "nesterov": optimizers.sgd(0.02, momentum=0.9, nesterov=True, weight_decay=0.01),
    "adam": optimizers.adam(),
    "adam, decay": optimizers.adam(weight_decay=0.01),
    "adamw": optimizers.adamw(),
    "adamw_ort": optimizers.adamw_ort(),
    "clipped": optimizers.adamw(clip_norm=0.1),
    "sgd clipped": optimizers.sgd(0.1, clip_norm=0.1),
    "clipped by value": optimizers.adamw(clip_value=0.01),
}
each_optimizer = pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)


@each_optimizer
@pytest.mark.parametrize("batch", [1, 8])
def test_fused_step_equals_train_and_optimizer(optimizer, batch, profile):
    data = digits.batches(batch, 12)
    apart_losses, apart = train(digits.image(optimizer, batch, accumulate=True), data, profile, accumulate=True)
    fused_losses, fused = train(digits.image(optimizer, batch), data, profile)
    assert fused_losses == apart_losses
    assert fused.state_sha256() == apart.state_sha256()


@each_optimizer
@pytest.mark.parametrize("slice_size", [1, 3])
def test_slices_equal_whole_calls(optimizer, slice_size, profile):
    data = digits.batches(4, 5)
    image = digits.image(optimizer, 4)
    whole_losses, whole = train(image, data, profile)
    sliced, losses = Session(image, profile), []
    for batch in data:
        sliced.poison()
        sliced.set_input(0, batch[0])
        sliced.set_label(0, batch[1])
        sliced.begin("step")
        slices = 1
        while not sliced.run(slice_size):
            slices += 1
        assert slices > 1
        losses.append(sliced.loss("step"))
    assert losses == whole_losses
    assert sliced.state_sha256() == whole.state_sha256()


def test_slices_of_train_and_optimizer(profile):
    data = digits.batches(4, 4)
    image = digits.image(optimizers.adamw(), 4, accumulate=True)
    _, whole = train(image, data, profile, accumulate=True)
    sliced = Session(image, profile)
    for batch in data:
        sliced.set_input(0, batch[0])
        sliced.set_label(0, batch[1])
        for program in ("train", "optimizer"):
            sliced.begin(program)
            while not sliced.run(1):
                pass
        sliced.lazy_reset_grad()
    assert sliced.state_sha256() == whole.state_sha256()


def test_what_lies_in_the_scratch_does_not_matter(profile):
    """The arena begins as NaN, or as the last program left it."""
    data = digits.batches(8, 10)
    image = digits.image(optimizers.adamw(), 8)
    _, poisoned_session = train(image, data, profile)
    plain = Session(image, profile)
    for batch in data:
        plain.step(*batch)
        plain.infer(batch[0])
    assert plain.state_sha256() == poisoned_session.state_sha256()


def test_dropout_with_one_seed_gives_one_state(profile):
    data = digits.batches(8, 10)
    image = digits.image(optimizers.sgd(0.1), 8, dropout=0.3)
    runs = []
    for seed in (5, 5, 6):
        session = Session(image, profile)
        session.set_seed(seed)
        runs.append([poisoned(session, session.step, *b) for b in data] + [session.state_sha256()])
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[2][0] and runs[0][-1] != runs[2][-1]


def test_dropout_continues_from_a_checkpoint(profile):
    """The generator's counter is state: interrupted training draws the same numbers as uninterrupted training."""
    data = digits.batches(8, 10)
    image = digits.image(optimizers.adamw(), 8, dropout=0.3)
    _, whole = train(image, data, profile)
    _, first = train(image, data[:4], profile)
    second = Session(image, profile)
    second.load(first.save())
    for batch in data[4:]:
        poisoned(second, second.step, *batch)
    assert second.state_sha256() == whole.state_sha256()


def test_dropout_in_the_fused_step_is_that_of_train(profile):
    data = digits.batches(8, 6)
    apart_losses, apart = train(
        digits.image(optimizers.sgd(0.1), 8, accumulate=True, dropout=0.4), data, profile, accumulate=True
    )
    fused_losses, fused = train(digits.image(optimizers.sgd(0.1), 8, dropout=0.4), data, profile)
    assert fused_losses == apart_losses
    assert bytes(fused.parameters()) == bytes(apart.parameters())


def test_profiles_differ_but_little():
    """Check that fused and strict round apart, which is why both exist, and agree to 1e-5, so that either serves."""
    from gradmote_runtime.library import cpu_has_fma

    if not cpu_has_fma():
        pytest.skip("this CPU has no fused multiply-add")
    data = digits.batches(8, 20)
    image = digits.image(optimizers.sgd(0.1), 8)
    (fused_losses, fused), (strict_losses, strict) = (train(image, data, p) for p in ("fused", "strict"))
    assert fused.state_sha256() != strict.state_sha256()
    np.testing.assert_allclose(fused_losses, strict_losses, rtol=1e-5)
