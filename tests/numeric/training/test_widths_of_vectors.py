"""Vectors of 256 and of 512 bits, and none at all, train to the same bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import losses, optimizers
from gradmote.errors import GradmoteError
from gradmote_runtime.library import limit_vectors
from support.oracle import compiled, examples, host_profiles, make_model, node, seeds, train, values

WIDEST = 512
CLASSES = 5


each_profile = pytest.mark.parametrize("profile", host_profiles())


@pytest.fixture(autouse=True)
def no_limit() -> Iterator[None]:
    """After each test all vectors are used again."""
    yield
    for profile in host_profiles():
        limit_vectors(profile, WIDEST)


def skip_without(profile: str, width: int) -> None:
    """Skip if this processor lacks vectors of so many bits."""
    if limit_vectors(profile, width) != width:
        pytest.skip(f"this processor has no kernels with vectors of {width} bits")


def network(first: int, second: int, kernel: int, size: int, seed: int) -> onnx.ModelProto:
    """Two convolutions of `kernel` and of 1x1, with `first` channels of 3 and `second` of these, and a Linear."""
    shapes = {"a": (first, 3, kernel, kernel), "b": (second, first, 1, 1), "c": (CLASSES, second * size * size)}
    weights = {name: values(seed, *shape) / np.float32(4) for name, shape in shapes.items()}
    pads = [(kernel - 1) // 2, (kernel - 1) // 2, kernel // 2, kernel // 2]
    nodes = [
        node("Conv", "x a", "h1", pads=pads),
        node("Relu", "h1", "h2"),
        node("Conv", "h2 b", "h3"),
        node("Flatten", "h3", "h4"),
        node("Gemm", "h4 c", "y", transB=1),
    ]
    return make_model(nodes, weights, {"x": ["N", 3, size, size]})


def states(
    image: bytes, batches: list[tuple[np.ndarray, np.ndarray]], profile: str, widths: tuple[int, ...]
) -> list[str]:
    """Return the digest of the trained state with vectors of each width."""
    found = []
    for width in widths:
        assert limit_vectors(profile, width) == width
        found.append(train(image, batches, profile)[1].state_sha256())
    return found


@each_profile
@given(
    first=st.integers(1, 40), second=st.integers(1, 40), kernel=st.integers(1, 4), size=st.integers(2, 15),
    batch=st.sampled_from([1, 3, 8]), seed=seeds,
)  # fmt: skip
@examples(40)
def test_drawn_convolutions(
    profile: str, first: int, second: int, kernel: int, size: int, batch: int, seed: int
) -> None:
    skip_without(profile, WIDEST)
    image = compiled(
        network(first, second, kernel, size, seed), losses.cross_entropy(), optimizers.adamw(), batch=batch
    )
    rng = np.random.default_rng(seed)
    batches = [(values(seed + i, batch, 3, size, size), rng.integers(0, CLASSES, batch)) for i in range(2)]
    none, narrow, wide = states(image, batches, profile, (0, 256, 512))
    assert none == narrow == wide


@each_profile
@given(rows=st.integers(1, 40), inputs=st.integers(1, 70), outputs=st.integers(2, 70), seed=seeds)
@examples(40)
def test_drawn_matrix_products(profile: str, rows: int, inputs: int, outputs: int, seed: int) -> None:
    skip_without(profile, WIDEST)
    model = make_model([node("Gemm", "x w", "y", transB=1)], {"w": values(seed, outputs, inputs)}, {"x": ["N", inputs]})
    image = compiled(model, losses.mse(), optimizers.sgd(0.01), batch=rows)
    batches = [(values(seed + i, rows, inputs), values(seed + 7 + i, rows, outputs)) for i in range(1, 3)]
    none, narrow, wide = states(image, batches, profile, (0, 256, 512))
    assert none == narrow == wide


@each_profile
def test_a_limit_is_kept_to(profile: str) -> None:
    """Check that no wider vectors are used than allowed; a processor that has no choice says so."""
    found = [limit_vectors(profile, width) for width in (0, 256, WIDEST)]
    assert found == [-1] * 3 or found in ([0, 0, 0], [0, 256, 256], [0, 256, 512])


@each_profile
def test_other_widths_are_refused(profile: str) -> None:
    with pytest.raises(GradmoteError, match="there are no vectors of 128 bits"):
        limit_vectors(profile, 128)
