"""Groups of parameters with their own rate, weight decay, momentum and eps, against torch.optim in float64."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote import cli, losses, optimizers
from gradmote.artifacts.build import build_artifacts
from gradmote.compiler.compile import compile_image
from gradmote.compiler.options import Options
from gradmote.errors import ModelError
from gradmote.formats.image import read_image
from gradmote_runtime import Session
from support import digits
from support.oracle import host_profiles, poisoned

STEPS = 40
KINDS = {
    "sgd": (optimizers.sgd, torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.01}, ("momentum",)),
    "plain sgd": (optimizers.sgd, torch.optim.SGD, {"weight_decay": 0.01}, ()),
    "adam": (optimizers.adam, torch.optim.Adam, {"weight_decay": 0.01}, ("eps",)),
    "adamw": (optimizers.adamw, torch.optim.AdamW, {"weight_decay": 0.1}, ("eps",)),
}
RATES = {"sgd": 0.02, "plain sgd": 0.1, "adam": 1e-3, "adamw": 1e-3}


def curves(
    kind: str, groups: Mapping[str, Mapping[str, float]], accumulate: bool = False, schedule: bool = False
) -> Any:
    """Return PyTorch's losses, and those of an image in each profile. A group is named by a layer's number."""
    make, theirs, common, _ = KINDS[kind]
    rate, data = RATES[kind], digits.batches(8, STEPS)

    def optimizer(parameters: Any) -> Any:
        names = ("0.weight", "0.bias", "2.weight", "2.bias")
        own = [next((o for name, o in groups.items() if name in (full, full[0] + ".*")), {}) for full in names]
        own = [{("lr" if k == "learning_rate" else k): v for k, v in each.items()} for each in own]
        return theirs([{"params": [p], **each} for p, each in zip(parameters, own, strict=True)], rate, **common)

    def linear(rule: Any) -> Any:
        return torch.optim.lr_scheduler.LambdaLR(rule, lambda k: (STEPS - k) / STEPS)

    expected = list(digits.torch_losses(optimizer, data, schedule=linear if schedule else None))
    image = digits.image(make(rate, **common).with_groups(groups), 8, accumulate=accumulate)
    return expected, [
        losses_of(Session(image, p), data, accumulate, rate if schedule else None) for p in host_profiles()
    ]


def losses_of(session: Session, data: Any, accumulate: bool, falls_from: float | None) -> list[float]:
    if falls_from is not None:
        session.set_linear_schedule(falls_from, 0, STEPS)
    found = []
    for batch in data:
        found.append(poisoned(session, session.train_step if accumulate else session.step, *batch))
        if accumulate:
            poisoned(session, session.optimizer_step)
            session.lazy_reset_grad()
    return found


@st.composite
def drawn(draw: st.DrawFn) -> tuple[str, dict[str, dict[str, float]]]:
    kind = draw(st.sampled_from(sorted(KINDS)))
    values = {
        "learning_rate": st.sampled_from([0.0, 0.3, 1.0, 2.5]).map(lambda factor: factor * RATES[kind]),
        "weight_decay": st.sampled_from([0.0, 0.05]),
        "momentum": st.sampled_from([0.0, 0.5]),
        "eps": st.sampled_from([1e-8, 1e-4]),
    }
    names = ("learning_rate", "weight_decay", *KINDS[kind][3])
    own = st.fixed_dictionaries({}, optional={name: values[name] for name in names})
    patterns = draw(st.sampled_from([("2.*",), ("0.*", "2.bias"), ("0.weight", "0.bias", "2.weight")]))
    return kind, {pattern: draw(own) for pattern in patterns}


@settings(max_examples=12, deadline=None)
@given(drawn(), st.booleans(), st.booleans())
def test_each_group_learns_as_in_pytorch(
    found: tuple[str, dict[str, dict[str, float]]], accumulate: bool, schedule: bool
) -> None:
    expected, ours = curves(*found, accumulate, schedule)
    for curve in ours:
        np.testing.assert_allclose(curve, expected, rtol=1e-4)


def test_groups_matter() -> None:
    expected, _ = curves("adamw", {})
    _, ours = curves("adamw", {"2.*": {"learning_rate": 1e-4}})
    assert all(abs(curve[-1] - expected[-1]) > 0.01 for curve in ours)


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (
            {"3.*": {"weight_decay": 0.1}},
            r"a group of '3\.\*', and nothing of this name trains - what trains: 0.weight",
        ),
        ({"0.*": {}, "*.bias": {}}, r"'0.bias' is in the groups '0\.\*' and '\*.bias'"),
        (
            {"0.*": {"momentum": 0.9}},
            r"the group '0\.\*' with momentum, for the rule sgd - it may have learning_rate, weig",
        ),
        ({"0.*": {"beta1": 0.9}}, "with beta1"),
        ({"0.*": {"learning_rate": -1.0}}, r"learning_rate=-1.0 is not in \[0"),
        ({"0.*": {"weight_decay": float("nan")}}, "weight_decay=nan"),
    ],
)
def test_refused(groups: Any, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        build_artifacts(digits.model(), None, losses.cross_entropy(), optimizers.sgd(0.1).with_groups(groups))


def test_a_rate_of_0_has_no_multiples() -> None:
    with pytest.raises(ModelError, match="is 0 - give the optimizer a rate"):
        optimizers.sgd(0.0).with_groups({"a": {"learning_rate": 0.1}})


def test_the_largest_rate_is_that_of_the_fastest_group() -> None:
    """A decay of 0.5 allows rates below 1; a group with 8 times the rate, an eighth of them."""

    def largest(**own: float) -> float:
        update = optimizers.sgd(0.01, weight_decay=0.5).with_groups({"2.*": own})
        made = build_artifacts(digits.model(), None, losses.cross_entropy(), update)
        return read_image(compile_image(made, Options(batch=4)).image).largest_rate

    assert largest() == largest(learning_rate=0.001) == np.nextafter(np.float32(1), np.float32(0))
    assert 0.124 < largest(learning_rate=0.08) <= 0.125
    assert largest(learning_rate=2.0) == 0  # above the limit from the start: no promise


def test_the_command_line_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """One image by --group, by the API, and from artifacts."""
    monkeypatch.chdir(tmp_path)
    onnx.save(digits.model(), "m.onnx")
    options = ("--optimizer", "sgd", "--lr", "0.1", "--group", "2.*:lr=0.02,weight_decay=0.5")
    assert cli.main(["compile", "m.onnx", "-o", "a.mote", "--batch", "8", "--loss", "cross_entropy", *options]) == 0
    update = optimizers.sgd(0.1).with_groups({"2.*": {"learning_rate": 0.02, "weight_decay": 0.5}})
    assert Path("a.mote").read_bytes() == digits.image(update, 8)
    assert cli.main(["artifacts", "m.onnx", "-o", "made", "--loss", "cross_entropy", *options]) == 0
    assert cli.main(["compile", "--artifacts", "made", "-o", "b.mote", "--batch", "8"]) == 0
    assert Path("b.mote").read_bytes() == Path("a.mote").read_bytes()
    for text in ("2.*", ":lr=1", "2.*:lr", "2.*:lr=x", "2.*:eps=1,eps=2"):
        assert cli.main(["compile", "m.onnx", "-o", "c.mote", "--loss", "cross_entropy", "--group", text]) == 1
        assert f"--group {text} is not a pattern and settings - write it as" in capsys.readouterr().err.replace(
            "\n hint:", " -"
        )
    twice = ("--group", "2.*:lr=0.02", "--group", "2.*:weight_decay=0.5")
    assert cli.main(["compile", "m.onnx", "-o", "c.mote", "--loss", "cross_entropy", *twice]) == 1
    assert "--group gives '2.*' twice" in capsys.readouterr().err
