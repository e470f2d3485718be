"""Training with gradients of int16: as with float32 ones, the same bits in both profiles, and in less memory."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import Session, compile_model, losses, optimizers
from gradmote.compiler import Options
from gradmote.compiler.compile import Result
from gradmote.compiler.profiles import differing
from gradmote.errors import RuntimeFault
from gradmote.report.image_reports import describe_profiles
from support.quantized import by_onnxruntime, small_cnn

STEPS = 60


def compiled(gradients: str | None, batch: int = 4, rate: float = 0.1, **options: object) -> Result:
    """Return the small network's image."""
    chosen = Options(batch=batch, gradients=gradients, **options)  # type: ignore[arg-type]
    return compile_model(small_cnn.model(), losses.cross_entropy(), optimizers.sgd(rate), chosen)


def trained(image: bytes, profile: str, batch: int = 4, steps: int = STEPS) -> tuple[list[float], bytes]:
    """Return the losses of all steps, and the state after them."""
    with Session(image, profile) as session:
        found = [float(session.step(*data)) for data in small_cnn.batches(batch, steps)]
        return found, bytes(session.state())


def test_it_learns_as_with_float_gradients() -> None:
    images = {kind: compiled(kind, 16, 0.2).image for kind in ("float", "int16")}
    runs = {kind: trained(image, "strict", 16, 400)[0] for kind, image in images.items()}
    means = {kind: np.mean(found[-50:]) for kind, found in runs.items()}
    assert np.mean(runs["int16"][:20]) > 1.4 * means["int16"]
    assert means["int16"] == pytest.approx(means["float"], abs=0.15)


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("gradients", ["int16", "float"])
def test_both_profiles_reach_one_state(gradients: str, batch: int) -> None:
    made = compiled(gradients, batch)
    assert list(differing(made.compiled)) == []
    assert describe_profiles(made.compiled) == ["profiles  the state has the same bits on all boards"]
    assert trained(made.image, "fused", batch) == trained(made.image, "strict", batch)


def gradients_of(kind: str) -> dict[str, np.ndarray]:
    """Return the gradients of all parameters, added up over two micro-batches."""
    made = compiled(kind, accumulate=True)
    with Session(made.image, "strict") as session:
        for data in small_cnn.batches(4, 2):
            session.train_step(*data)
        return {p.name: np.array(session.gradient(k)) for k, p in enumerate(made.compiled.parameters)}


def test_gradients_are_those_of_float32() -> None:
    """Each parameter's gradient has the direction and the length of that of float32, within the rounding."""
    exact, found = gradients_of("float"), gradients_of("int16")
    for name, expected in exact.items():
        difference = np.linalg.norm((found[name] - expected).ravel())
        assert difference <= 2e-3 * np.linalg.norm(expected.ravel()), name


def test_a_restart_changes_no_bit() -> None:
    """Training goes on from a checkpoint as if there had been no restart, since gains are state."""
    image, data = compiled(None, 1).image, small_cnn.batches(1, STEPS)
    _, expected = trained(image, "strict", 1)
    with Session(image, "strict") as first:
        for x, labels in data[: STEPS // 2]:
            first.step(x, labels)
        kept = first.save()
    with Session(image, "strict") as second:
        second.load(kept)
        for x, labels in data[STEPS // 2 :]:
            second.step(x, labels)
        assert bytes(second.state()) == expected


def test_a_refused_step_leaves_the_gains() -> None:
    image, ((x, labels),) = compiled(None, 1).image, small_cnn.batches(1, 1)
    with Session(image, "strict") as session:
        session.step(x, labels)
        before = bytes(session.state())
        with pytest.raises(RuntimeFault, match="NOT_FINITE"):
            session.step(np.full_like(x, np.nan), labels)
        with pytest.raises(RuntimeFault, match="LABEL_OUT_OF_RANGE"):
            session.step(x, np.array([99], np.int32))
        skipped = np.flatnonzero(np.frombuffer(before, np.uint8) != np.frombuffer(bytes(session.state()), np.uint8))
        assert len(skipped) <= 4, "only the word that counts skipped steps changes"


def test_ds_cnn_trains_all_its_weights_in_125_kb() -> None:
    model = by_onnxruntime.network("ds_cnn")
    made = compile_model(model, losses.cross_entropy(), optimizers.sgd(0.01), Options(batch=1))
    assert made.layout.arena_size <= 125 * 1024
