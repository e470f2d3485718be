"""A model whose scores are int8 or uint8 has a class too: they are compared as they are, since one positive scale
multiplies them all. gm_classify() and gm_score() refused such models with NOT_FOUND, and a board named no class."""

from __future__ import annotations

import numpy as np
import pytest

from bindings import narrow
from gradmote import Session
from gradmote.compiler.sample_store import StoreOptions

DTYPES = ("int8", "uint8")


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_largest_integer_names_the_class(dtype: str) -> None:
    rng, found = np.random.default_rng(0), set()
    with Session(narrow.image(dtype, batch=2)) as session:
        for _ in range(40):
            scores = np.array(session.infer(narrow.samples(rng, dtype, 2))[0])
            for row in range(2):
                best = int(scores[row].argmax())
                assert session.classify(row) == (best, float(scores[row, best]))
                found.add(best)
    assert len(found) > 3


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_store_counts_what_is_recognised(dtype: str) -> None:
    rng = np.random.default_rng(1)
    with Session(narrow.image(dtype, store=StoreOptions(10))) as session:
        x = narrow.samples(rng, dtype, 1)
        session.infer(x)
        best = session.classify()[0]
        session.learn(best, x)
        assert session.score(best) == (1, 1)
