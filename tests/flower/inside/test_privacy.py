"""DeltaStrategy with noise: each device is drawn on its own, by a secret that outlives the server."""

from __future__ import annotations

import numpy as np
import pytest
from flower.inside.small import NAMES, HereGrid, image

from gradmote.errors import DataError
from gradmote.federated import GaussianNoise
from gradmote.federated.privacy import poisson_sample
from gradmote.flower import DeltaStrategy

NOISE = GaussianNoise(clipping_norm=1.0, noise_multiplier=0.5, devices_per_round=2)
#: A key that draws none of the four devices in one of the rounds, and all of them in another one.
KEY, ROUNDS = b"j" * 32, 6


def counted(strategy: DeltaStrategy) -> list[list[str]]:
    return [sorted(record.counted) for record in strategy.coordinator.history]


def test_devices_take_part_by_the_secret_key(tmp_path):
    """Rounds without a device end too."""
    strategy = DeltaStrategy(image(), fraction=0.5, minimum=3, privacy=NOISE, folder=tmp_path)
    strategy.coordinator.sampling_key = KEY
    strategy.start(HereGrid(), num_rounds=ROUNDS)
    sampled = [poisson_sample(NAMES, 0.5, KEY, number) for number in range(ROUNDS)]
    assert counted(strategy) == sampled
    assert {0, 4} <= {len(names) for names in sampled}
    again = DeltaStrategy(image(), fraction=0.5, minimum=3, privacy=NOISE, folder=tmp_path)
    assert again.coordinator.sampling_key == KEY
    assert (counted(again), again.coordinator.server.base) == (sampled, strategy.coordinator.server.base)


def test_no_two_runs_have_the_same_noise():
    bases = []
    for _ in range(2):
        strategy = DeltaStrategy(image(), privacy=NOISE)
        strategy.start(HereGrid(), num_rounds=1)
        bases.append(np.frombuffer(strategy.coordinator.server.base, np.float32))
    deviation = np.std(bases[0] - bases[1]) / (2**0.5 * 0.5 / 2)
    assert 0.9 < deviation < 1.1


def test_personal_parameters_are_refused():
    with pytest.raises(DataError, match="shared with privacy"):
        DeltaStrategy(image(), privacy=NOISE, shared=["0.*"])
