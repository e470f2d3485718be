"""MaxPool's gradient has the layout of its input. An input that is a view with gaps, or that repeats elements, has no
such layout: the gradient was written past its buffer, and gm_open refused the image."""

import numpy as np

from support.oracle import Case, check_case, make_model, node, values


def test_strided_slice():
    weights = {"w": values(1, 1, 2, 8, 8)}
    constants = {"starts": [0, 0], "ends": [8, 8], "axes": [2, 3], "steps": [2, 2]}
    arrays = weights | {name: np.array(value, np.int64) for name, value in constants.items()}
    nodes = [node("Slice", "w starts ends axes steps", "s"), node("MaxPool", "s", "y", kernel_shape=[2, 2])]
    check_case(Case(make_model(nodes, arrays), train=["w"], reference=False))


def test_expanded():
    arrays = {"w": values(1, 1, 1, 4, 4), "shape": np.array([1, 3, 4, 4], np.int64)}
    nodes = [node("Expand", "w shape", "e"), node("MaxPool", "e", "y", kernel_shape=[2, 2])]
    check_case(Case(make_model(nodes, arrays), train=["w"], reference=False))
