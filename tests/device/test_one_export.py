"""Forms of the runtime write the trained models that `gradmote export` writes, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from device import one_export

from gradmote import Session
from gradmote.formats.export_table import put, unpack

pytestmark = pytest.mark.device

#: .ci/nightly takes all: `python -m device.one_export`.
NAMES = ["convolutions 2", "opset 13"]
WANTED = [one_export.cases()[name] for name in NAMES]
FORMS = [form for form in one_export.forms() if not form[0].startswith("twin")]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form[0])
def test_one_export(form: tuple[str, str, Callable[[], Any]]) -> None:
    _, profile, opened = form
    found = one_export.column(opened, profile, WANTED)
    if any(said.startswith("no ") for said in found.values()):
        pytest.skip(str(found))
    assert set(found.values()) == {"yes"}


def test_forty_models_of_every_kind() -> None:
    assert len(one_export.cases()) == 40


@pytest.mark.parametrize("name, types", [("QDQ 6", {np.float32, np.int8}), ("int16 channels", {np.int8, np.int32})])
def test_integers_are_trained(name: str, types: set[type]) -> None:
    """Otherwise their ranges would show nothing. The host's reader of tables writes the same."""
    case = one_export.cases()[name]
    ranges, before = unpack(case.table, case.image)
    with Session(case.image, "strict") as session:
        for x, y in case.samples:
            session.step(x, y)
        trained = session.export_model(case.table)
        assert put(ranges, before, bytes(session.state())) == trained
    old, new = (onnx.load_from_string(file).graph.initializer for file in (before, trained))
    pairs = [(onnx.numpy_helper.to_array(a), onnx.numpy_helper.to_array(b)) for a, b in zip(old, new, strict=True)]
    assert {a.dtype for a, b in pairs if (a != b).any()} >= {np.dtype(each) for each in types}
