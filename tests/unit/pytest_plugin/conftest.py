"""A folder with a model, its data and tests, as a user has it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import gradmote.testing  # noqa: F401  what a run of pytester's imports it would also forget again
from gradmote.device.toolchains import find
from support.classifier_image import CLASSES, FEATURES, classifier_image

CENTRES = np.array([[3, 0, 0], [0, 3, 0], [0, 0, 3], [-3, -3, -3]], np.float32)

Run = Callable[..., pytest.RunResult]


def samples(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points around one centre a class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, count)
    return (CENTRES[y] + rng.normal(size=(count, FEATURES))).astype(np.float32), y


@pytest.fixture
def image() -> bytes:
    return classifier_image()


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, image: bytes) -> Run:
    """run(tests, *options): runs these tests beside model.mote and data.npz, with no plugin but this one."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("GRADMOTE_BOARD", raising=False)
    (pytester.path / "model.mote").write_bytes(image)
    (x, y), (x_test, y_test) = samples(61, seed=0), samples(31, seed=1)
    np.savez(pytester.path / "data.npz", x=x, y=y, x_test=x_test, y_test=y_test)

    def run(tests: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(f"import pytest\nfrom gradmote.testing import *\n{tests}")
        return pytester.runpytest_inprocess(
            "-p", "gradmote.pytest_plugin", "--strict-markers", "-rs", "-p", "no:cacheprovider", *options
        )

    return run


@pytest.fixture
def no_emulator(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """A computer without QEMU."""
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def no_firmware(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """A computer with QEMU, without firmware and without a compiler for it."""
    monkeypatch.setattr(find, "zig_toolchain", lambda board: None)
    monkeypatch.setenv("PLATFORMIO_CORE_DIR", str(tmp_path))
    (tmp_path / "qemu-system-arm").write_text("")
    (tmp_path / "qemu-system-arm").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GRADMOTE_BUILD", str(tmp_path))
