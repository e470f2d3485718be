"""Layers that run row by row have the bits of layers that run at once, in less memory."""

import numpy as np
import pytest

from gradmote import Session, compile_model, losses, optimizers
from gradmote.compiler.options import Options
from support.drawn_cnn import CLASSES, DrawnNetwork

CASES = range(24)


def compiled(seed, batch, streams, **options):
    """A drawn network, of which the classifier alone is trained."""
    drawn = DrawnNetwork(seed)
    model = drawn.make(layers=2 + seed % 5)
    made = compile_model(
        model, losses.cross_entropy(), optimizers.sgd(0.1), Options(batch=batch, stream_rows=streams, **options),
        scheme="head",
    )  # fmt: skip
    return made, drawn.shape


def trained(made, shape, batch, profile, threads=1):
    """All that comes of some runs of each program, on an arena full of NaN."""
    rng, session, found = np.random.default_rng(1), Session(made.image, profile, threads), []
    for _ in range(2):
        x = rng.standard_normal((batch, *shape)).astype(np.float32)
        labels = rng.integers(0, CLASSES, batch).astype(np.int32)
        for run in (lambda x=x: np.array(session.infer(x)).tobytes(), lambda x=x, y=labels: session.step(x, y)):
            session.poison()
            found.append(run())
    return [*found, session.save()]


def peak(made):
    return max(placement.peak for placement in made.layout.placements.values())


@pytest.mark.parametrize("seed", CASES)
def test_drawn_networks_keep_their_bits(seed):
    batch = 1 + seed % 3 // 2
    whole, shape = compiled(seed, batch, False)
    rows, _ = compiled(seed, batch, True)
    for profile in ("fused", "strict"):
        assert trained(rows, shape, batch, profile) == trained(whole, shape, batch, profile)
    assert peak(rows) <= peak(whole)


def test_most_drawn_networks_take_less():
    smaller = [peak(compiled(seed, 1, True)[0]) < peak(compiled(seed, 1, False)[0]) for seed in CASES]
    assert sum(smaller) >= len(CASES) // 2
