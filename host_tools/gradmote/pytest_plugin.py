"""A pytest plugin for tests of your own models, which pytest finds by itself.

See docs/TESTING_YOUR_MODEL.md. pytest loads this module in every run if Gradmote is installed, so
heavy modules are imported only when a test needs them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .device.target import Target
    from .device.twin_target import TwinTarget
    from .testing.models import Model

MARKER = "gradmote_emulator"
PORT, BAUDRATE = "gradmote_board", "gradmote_baudrate"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for a real board. Called by pytest."""
    group = parser.getgroup("gradmote", "models on microcontrollers")
    group.addoption(
        "--gradmote-board", dest=PORT, metavar="PORT", default=os.environ.get("GRADMOTE_BOARD"),
        help="the board that gradmote_board opens instead of an emulated one: /dev/ttyACM0, COM3, socket://host:port "
        "(default: the environment's GRADMOTE_BOARD)",
    )  # fmt: skip
    group.addoption(
        "--gradmote-baudrate", dest=BAUDRATE, metavar="BAUD", type=int, default=115200, help="of its port (115200)"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker. Called by pytest."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(*boards): skips if these boards, or those that the test asks for, cannot be emulated and no real "
        "one is given",
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    """Return a line with the real board's port. Called by pytest."""
    port = config.getoption(PORT)
    return f"gradmote: boards are the one at {port}" if port else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose boards cannot be emulated, before its fixtures take time."""
    boards = [board for marker in item.iter_markers(MARKER) for board in marker.args]
    if not boards or item.config.getoption(PORT):
        return
    from .device.emulator import missing

    for board in boards:
        if reason := missing(board):
            pytest.skip(reason)


@pytest.fixture
def gradmote_twin() -> Iterator[Callable[..., TwinTarget]]:
    """Return a function that opens the C runtime in this process, with a model loaded.

        twin = gradmote_twin(model, profile="fused", **options)

    `model` is a .mote file, an image's bytes, or a result of compile_model(); or it is an ONNX model to
    compile with the `options` of compile_model(). `profile`, of the numerics, is "fused" or "strict".
    The twin is closed after the test.
    """
    from .device.twin_target import TwinTarget
    from .testing.models import image_of

    with ExitStack() as opened:

        def open_twin(model: Model, profile: str = "fused", **options: Any) -> TwinTarget:
            twin = opened.enter_context(TwinTarget(profile))
            twin.load_image(image_of(model, **options))
            return twin

        yield open_twin


@pytest.fixture
def gradmote_board(request: pytest.FixtureRequest) -> Iterator[Callable[..., Target]]:
    """Return a function that opens an emulated board with a model loaded.

        board = gradmote_board(name, model, firmware=None, icount=False, **options)

    The name is one of `gradmote boards`. With --gradmote-board it is the real board at that port,
    whatever its name. `model` and `options` are those of gradmote_twin. `firmware` is the board's .elf,
    by default one is built for the board if there is none yet. With `icount` the board's clock counts instructions.
    The board is closed after the test. A board that cannot be emulated fails the test, or skips it if
    it is marked gradmote_emulator.
    """
    from .testing.models import image_of

    with ExitStack() as opened:

        def open_board(
            board: str, model: Model, firmware: Path | str | None = None, icount: bool = False, **options: Any
        ) -> Target:
            image = image_of(model, **options)
            target = opened.enter_context(_open(request, board, image, firmware, icount))
            target.load_image(image)
            return target

        yield open_board


def _open(
    request: pytest.FixtureRequest, board: str, image: bytes, firmware: Path | str | None, icount: bool
) -> Target:
    from .device.emulated_target import emulated_board
    from .device.emulator import missing
    from .device.target_factory import open_target

    port = request.config.getoption(PORT)
    if port:
        return open_target(port, request.config.getoption(BAUDRATE))
    if reason := missing(board, firmware):
        if request.node.get_closest_marker(MARKER):
            pytest.skip(reason)
        pytest.fail(f"{reason}; to skip the test instead, mark it: @pytest.mark.{MARKER}", pytrace=False)
    return emulated_board(board, firmware, icount, image=image)
