"""Cross-entropy over one class: the gradient's shape was lost in its function body."""

import numpy as np

from gradmote import losses, optimizers
from support.oracle import compiled, make_model, node, train, values


def test_one_class_costs_nothing_and_changes_nothing():
    image = compiled(
        make_model([node("Identity", "w", "y")], {"w": values(0, 3, 1)}),
        losses.cross_entropy(),
        optimizers.sgd(1.0),
        batch=3,
    )
    found, session = train(image, [(np.zeros(3, np.int64),)], "strict")
    assert found == [0.0]
    np.testing.assert_array_equal(np.array(session.parameter("w")), values(0, 3, 1))
