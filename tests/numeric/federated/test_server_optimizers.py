"""The server's rules by their names: those of the settings, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote.errors import DataError
from gradmote.federated import fedadam, fedavg, optimizer_of


@pytest.mark.parametrize(
    ("named", "same"),
    [
        (("fedavg",), fedavg()),
        (("fedavg", 0.3, 0.9), fedavg(0.3, 0.9)),
        (("fedadam",), fedadam()),
        (("fedadam", 0.05), fedadam(0.05)),
    ],
)
def test_a_name_and_settings_are_the_rule_of_that_function(named, same) -> None:
    rule, drawn = optimizer_of(*named), np.random.default_rng(0)
    assert (rule.name, rule.slots) == (same.name, same.slots)
    slots = [np.zeros((rule.slots, 5)) for _ in range(2)]
    for mean in drawn.normal(size=(3, 5)):
        np.testing.assert_array_equal(rule.rule(slots[0], mean), same.rule(slots[1], mean))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (("fedsgd",), "no rule 'fedsgd' - take fedavg or fedadam"),
        (("fedavg", 0.0), "learning rate of 0.0"),
        (("fedadam", float("inf")), "learning rate of inf"),
        (("fedavg", None, 1.0), "momentum of 1.0"),
        (("fedavg", None, -0.1), "momentum of -0.1"),
        (("fedadam", None, 0.5), "momentum with fedadam"),
    ],
)
def test_settings_that_a_rule_does_not_have_are_refused(settings, words) -> None:
    with pytest.raises(DataError) as refused:
        optimizer_of(*settings)
    assert words in f"{refused.value.message} - {refused.value.hint}"
