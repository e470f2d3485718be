"""One finite outlier moved the parameters so far that all later steps failed, and nothing limited it."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import Session, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.cli import main
from gradmote.compiler import Options, compile_image
from gradmote.errors import RuntimeFault
from support.oracle import make_model, node, read_parameters, values

RATE, LIMIT = 0.1, 0.5


def network():
    weights = {"v": values(1, 4, 6), "w": values(2, 6, 2)}
    return make_model(
        [node("MatMul", "x v", "h"), node("Relu", "h", "r"), node("MatMul", "r w", "y")], weights, {"x": ("N", 4)}
    )


def image(**clip) -> bytes:
    made = build_artifacts(network(), None, losses.mse(), optimizers.sgd(RATE, **clip))
    return compile_image(made, Options(batch=2)).image


def batch(outlier: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    x = values(3, 2, 4)
    x[0, 0] *= outlier
    return x, values(4, 2, 2)


@pytest.mark.parametrize("outlier", [1e3, 1e6, 1e9])
def test_a_limit_bounds_what_one_step_moves(outlier, profile):
    with Session(image(clip_value=LIMIT), profile) as session:
        before = read_parameters(session)
        session.step(*batch(outlier))
        after = read_parameters(session)
        moved = max(np.abs(after[name] - before[name]).max() for name in before)
        assert 0 < moved <= RATE * LIMIT * (1 + 1e-5)
        found = [session.step(*batch()) for _ in range(100)]
        assert all(np.isfinite(found)) and found[-1] < found[0]


@pytest.mark.parametrize("outlier", [1e20, 1e38])
def test_what_could_overflow_is_refused_with_and_without_a_limit(outlier, profile):
    for clip in ({}, {"clip_value": LIMIT}):
        with Session(image(**clip), profile) as session:
            before = session.parameters().tobytes()
            with pytest.raises(RuntimeFault, match="finite"):
                session.step(*batch(outlier))
            assert session.parameters().tobytes() == before and session.skipped_steps == 1
            assert np.isfinite(session.step(*batch()))


def test_the_state_saved_before_it_brings_everything_back(profile):
    with Session(image(), profile) as session:
        session.step(*batch())
        kept = session.save()
        digest = session.state_sha256()
        expected = [session.step(*batch()) for _ in range(3)]
        session.load(kept)
        session.step(*batch(1e6))
        session.load(kept)
        assert session.state_sha256() == digest
        assert [session.step(*batch()) for _ in range(3)] == expected


def test_the_option_is_the_setting(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.onnx").write_bytes(network().SerializeToString())
    for name, options in {"a": ["--max-update", "0.5"], "b": ["--set", "clip_value=0.5"], "c": []}.items():
        assert main(["compile", "model.onnx", "-o", f"{name}.mote", "--loss", "mse", *options]) == 0
    a, b, c = ((tmp_path / f"{name}.mote").read_bytes() for name in "abc")
    assert a == b != c
    assert main(["compile", "model.onnx", "-o", "d.mote", "--loss", "mse", "--max-update", "-1"]) == 1
    assert not (tmp_path / "d.mote").exists()
