"""A search counted four int8 weights as one number, and left out whatever has no integers of the types asked for: SGD
with moments in bfloat16, a float head alone with weights in int16."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradmote import Session, losses, optimizers
from gradmote.artifacts.artifact_options import ArtifactOptions
from gradmote.artifacts.export import trained_model
from gradmote.artifacts.schemes import Scheme
from gradmote.budget import Limits, Task, search
from gradmote.compiler import Options
from gradmote.errors import ModelError
from gradmote.optimizers import Optimizer
from support.quantized import reference, small_cnn

RAM = 4600


def task(optimizer: Optimizer, float_head: bool = False, **options: str) -> Task:
    more = ArtifactOptions(float_head=float_head)
    return Task(small_cnn.model(), losses.cross_entropy(), optimizer, Options(batch=1, **options), more=more)


def test_sparse_schemes_fit_train_and_are_exported() -> None:
    """The table counts numbers, not bytes."""
    found = search(task(optimizers.sgd(0.02)), Limits(ram=RAM))
    counts = {str(tried.choice.scheme): tried.trained for tried in found.tried}
    sparse = next(tried for tried in found.tried if tried.fits and "sparse" in str(tried.choice.scheme))
    assert counts["head"] == 170 and found.best.ram <= RAM
    made = task(optimizers.sgd(0.02)).compiled(sparse.choice)
    assert made.layout.arena_size == sparse.ram <= RAM
    with Session(made.image) as session:
        assert sum(np.array(session.parameter(name)).size for name in session.parameter_names()) == sparse.trained
        for x, labels in small_cnn.batches(1, 20):
            session.step(x, labels)
        expected = reference.infer(trained_model(small_cnn.model(), session.save()), {"x": x})[0]
        assert np.array_equal(np.array(session.infer(x)[0]), expected)


def test_a_rule_without_moments_is_tried_beside_short_ones() -> None:
    wanted = task(optimizers.adam(0.01), moments="bf16")
    plain = replace(wanted.wanted(), optimizer=optimizers.sgd(0.01))
    assert {slot.dtype for slot in wanted.compiled(wanted.wanted()).compiled.slots} == {"bf16", "f32"}
    assert wanted.compiled(plain).compiled.slots == []


def test_a_float_head_is_tried_beside_int16_weights() -> None:
    wanted = task(optimizers.sgd(0.01), float_head=True, weights="int16")
    head = wanted.compiled(replace(wanted.wanted(), scheme=Scheme.parse("head")))
    assert {p.dtype for p in head.compiled.parameters} == {"f32"}
    assert "i16" in {p.dtype for p in wanted.compiled(wanted.wanted()).compiled.parameters}


def test_types_of_what_the_model_has_not_are_refused() -> None:
    wanted = task(optimizers.sgd(0.01), moments="bf16")
    with pytest.raises(ModelError, match="moments of bf16"):
        wanted.compiled(wanted.wanted())
