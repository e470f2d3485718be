"""Artifacts that are compiled again, with other options, give what they would have given by themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.passes.test_recompute import artifacts as blocks

from gradmote import losses, optimizers
from gradmote.artifacts import Artifacts, build_artifacts
from gradmote.compiler import Options, compile_image
from support import digits
from support.quantized import small_cnn

MADE: dict[str, Callable[[], Artifacts]] = {
    "MLP": lambda: digits.artifacts(optimizers.adamw(0.01), dropout=0.3),
    "batch norms": lambda: blocks("batch"),
    "int8": lambda: build_artifacts(small_cnn.model(), loss=losses.cross_entropy(), optimizer=optimizers.sgd(0.05)),
}
OPTIONS = st.builds(
    Options,
    batch=st.sampled_from([1, 2, 4]),
    accumulate=st.booleans(),
    overwrite_inputs=st.booleans(),
    recompute=st.booleans(),
    stream_rows=st.sampled_from([None, True, False]),
)


@pytest.mark.parametrize("name", MADE)
@settings(max_examples=2)
@given(st.lists(OPTIONS, min_size=2, max_size=3))
def test_nothing_of_one_compile_is_in_the_next(name: str, options: list[Options]) -> None:
    made = MADE[name]()
    for each in options:
        assert compile_image(made, each).image == compile_image(MADE[name](), each).image, asdict(each)
