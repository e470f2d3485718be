"""Training on changed samples: the same bits on twin and board and after any break; samples to test on stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradmote import cli, compile_model, losses, optimizers
from gradmote.data import Dataset
from gradmote.data.augment import Augmentation, Augmenter
from gradmote.device import TwinTarget, evaluate, fit, fitting, open_target
from gradmote.errors import DataError
from support import digits
from support.oracle import make_model, node

ALL = Augmentation(noise=0.05, scale=0.1, shift=1, crop=2, flip=True)


@pytest.fixture(scope="module")
def image() -> bytes:
    weights = digits.weights()
    nodes = [node("Flatten", "x", "f"), node("Gemm", "f 0.weight 0.bias", "h", transB=1), node("Relu", "h", "a"),
             node("Gemm", "a 2.weight 2.bias", "y", transB=1)]  # fmt: skip
    model = make_model(nodes, weights, {"x": ("N", 1, 8, 8)})
    return compile_model(model, losses.cross_entropy(), optimizers.adam(0.01), batch=16, accumulate=True).image


def pictures(count: int) -> Dataset:
    """Return digits in bytes, and the next ones to test on."""
    pixels, labels = digits.samples()
    x = (pixels.reshape(-1, 1, 8, 8) * 16).astype(np.uint8)
    return Dataset(x[:count], labels[:count], x[count : count + 64], labels[count : count + 64], 1 / 16)


class Recorded(TwinTarget):
    """A twin that keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def write_u8(self, role: str, index: int, array: np.ndarray, scale: float = 1.0, zero: float = 0.0) -> None:
        if role == "input":
            self.sent.append(array.tobytes())
        super().write_u8(role, index, array, scale, zero)


def test_what_is_sent_is_the_changed_samples_and_the_test_as_it_is(image: bytes) -> None:
    data = pictures(64)
    with Recorded() as target:
        target.load_image(image)
        fit(target, data, 2, seed=5, micro_batches=2, augment=ALL)
    made = Augmenter(ALL, data, (16, 1, 8, 8), "float32", 5)
    wanted = []
    for epoch in (1, 2):
        order = np.random.default_rng((5, epoch)).permutation(64).reshape(-1, 16)
        wanted += [made(epoch, rows).tobytes() for rows in order]
        wanted += [data.x_test[k : k + 16].tobytes() for k in range(0, 64, 16)]
    assert target.sent == wanted


@pytest.mark.device
def test_an_emulated_board_equals_its_twin(image: bytes, firmware: Path) -> None:
    checkpoints = []
    for name in ("twin:strict", "qemu:mps2-an386"):
        with open_target(name) as target:
            target.load_image(image)
            result = fit(target, pictures(96), 2, seed=1, augment=ALL)
            checkpoints.append(target.save())
            assert result.epochs[-1].test == evaluate(target, pictures(96))
    assert checkpoints[0] == checkpoints[1]
    with open_target("twin:strict") as target:
        target.load_image(image)
        fit(target, pictures(96), 2, seed=1)
        assert target.save() != checkpoints[0]


class Died(Exception):
    """Stands for the end of a process."""


def test_what_goes_on_has_the_bits_of_a_run_without_a_break(
    image: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pictures(96)
    (tmp_path / "model.mote").write_bytes(image)
    np.savez(tmp_path / "data.npz", x=data.x, y=data.y, scale=1 / 16)

    def train(name: str, augment: str, *options: str, status: int = 0) -> None:
        fixed = ["--data", str(tmp_path / "data.npz"), "--checkpoint", str(tmp_path / name), "--save-every", "1"]
        words = ["train", str(tmp_path / "model.mote"), *fixed, "--epochs", "3", "--augment", augment, *options]
        assert cli.main(words) == status

    train("whole.gmck", "noise:0.1,shift:1,flip")
    assert "axis 2 as height and axis 3 as width (NCHW)" in capsys.readouterr().err
    step, left = fitting.train_once, [9]

    def dying(target: object) -> object:
        if not left[0]:
            raise Died
        left[0] -= 1
        return step(target)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(fitting, "train_once", dying)
        with pytest.raises(Died):
            train("cut.gmck", "noise:0.1,shift:1,flip")
    train("cut.gmck", "noise:0.1,shift:2,flip", "--continue", status=1)
    assert "another augment: noise:0.1,shift:1,flip, now noise:0.1,shift:2,flip" in capsys.readouterr().err
    train("cut.gmck", "flip,shift:1,noise:0.1", "--continue")  # in another order it is the same
    assert (tmp_path / "cut.gmck").read_bytes() == (tmp_path / "whole.gmck").read_bytes()


def test_a_model_of_no_pictures_is_refused_before_anything_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pixels, labels = digits.samples()
    (tmp_path / "model.mote").write_bytes(digits.image(optimizers.sgd(0.1), 16))
    np.savez(tmp_path / "data.npz", x=pixels[:32], y=labels[:32])
    words = ["train", str(tmp_path / "model.mote"), "--data", str(tmp_path / "data.npz"), "--augment"]
    assert cli.main([*words, "shift:2"]) == 1
    assert "is neither a picture" in capsys.readouterr().err
    assert cli.main([*words, "blur:2"]) == 1
    assert "'blur:2' is nothing it takes once" in capsys.readouterr().err
    assert cli.main([*words, "noise:0.1"]) == 0
    with open_target("twin") as target, pytest.raises(DataError, match="is neither a picture"):
        target.load_image((tmp_path / "model.mote").read_bytes())
        fit(target, Dataset(pixels[:32], labels[:32]), 1, augment=Augmentation(shift=1))
