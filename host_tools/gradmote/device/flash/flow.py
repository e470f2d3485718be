"""The steps from a model to a board that runs it.

Check that the model fits, build, program, restart, and check version and model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from gradmote.device.boards import Board, from_footprint
from gradmote.device.client import Client
from gradmote.device.ports import ports_of, serial_ports, status_text
from gradmote.device.requests import Progress
from gradmote.errors import DataError, DeviceError
from gradmote.formats.export_table import export_table_of, with_export_table
from gradmote.formats.image.signature import without_signature
from gradmote.formats.kernel_selection import needs_of
from gradmote.formats.signing import check, load_public_key

from ...version import __version__
from . import build, emulated, real
from .build import Firmware
from .elf import board_names, read_segments, size_of
from .fit import require_fit
from .tools import TOOLS, choose
from .watch import Watch

_UNCHANGED = "; nothing was changed on the board"


@dataclass(frozen=True)
class Order:
    """The firmware and model to flash, and the board to flash.

    Attributes:
        board: The kind of board.
        model: The image. Unless `general`, the firmware contains only its kernels. None flashes
            firmware alone.
        export_table: The image's export table (.gmex), which goes to flash after it.
        port: The port of a real board, or the TCP port of an emulated one's serial line.
        general: Whether the firmware contains all kernels.
        firmware: An ELF file, used instead of building one.
        emulated: Whether to use an emulated board even if a real one is plugged in.
        tool: The programming tool; by default the first installed one.
        force: Whether to flash even if another kind of board answers.
        key: The PEM file of the public key for the signatures that the firmware demands.
        rollback_protect: Whether the firmware also refuses images of a lower version.
        export_table: The image's export table (.gmex), which goes to flash after it.
    """

    board: Board
    model: Path | None = None
    port: str | None = None
    general: bool = False
    firmware: Path | None = None
    emulated: bool = False
    tool: str | None = None
    force: bool = False
    key: Path | None = None
    rollback_protect: bool = False
    export_table: Path | None = None


@dataclass(frozen=True)
class Flashed:
    """A flashed board that answers.

    Attributes:
        board: Its name.
        version: The version of its runtime.
        profile: Its numerics profile.
        port: The address of its serial line.
        tool: The tool that programmed it.
        pid: The process id of its emulator; 0 for a real board.
        firmware: The ELF file.
        code: The bytes of the firmware.
        image: The bytes of the model.
        arena: The bytes of the model's arena.
        model_id: The model's id, hexadecimal; "" without a model.
        export_table: The bytes of its export table; 0 without one.
        updates: The models that its firmware accepts later; "" if only its builder knows.
    """

    board: str
    version: str
    profile: str
    port: str
    tool: str
    pid: int
    firmware: str
    code: int
    image: int
    arena: int
    model_id: str
    export_table: int = 0
    updates: str = ""


def flash(order: Order, watch: Watch) -> Flashed:
    """Carry out a flash order, and describe the board once it answers.

    A GradmoteError says what went wrong, and whether the board was changed.
    """
    image = _file_for_flash(order)
    if image is not None:
        require_fit(replace(order.board, code=0), image, str(order.model), _UNCHANGED)
    if order.rollback_protect and order.key is None:
        raise DataError("rollback protection is about signed images", "give the key too: --key key.pub.pem")
    if image is not None and order.key is not None:
        check(image, load_public_key(order.key))
    if _is_emulated(order):
        tcp_port = _tcp_port(order)
        return _told(order, _flash_emulated(_firmware(order, image, watch), image, tcp_port, watch))
    tool = choose(order.board.name, order.board.upload, order.tool)
    port = real.choose_port(order.board, order.port, serial_ports(), TOOLS[tool].finds_boot_loader)
    if port and not order.force:
        real.require_same_board(order.board, port)
    if TOOLS[tool].format == "source":
        _require_no_key(order)
        _require_no_firmware(order, tool)
        return _flash_real(Firmware(build.project_folder(), order.board), image, port, tool, watch)
    return _told(order, _flash_real(_firmware(order, image, watch), image, port, tool, watch))


def _file_for_flash(order: Order) -> bytes | None:
    """Return the image with its export table, if there is one; None without an image."""
    if order.model is None and order.export_table is not None:
        raise DataError("an export table goes to flash with its image", "name the .mote file too")
    if order.model is None or order.export_table is None:
        return None if order.model is None else order.model.read_bytes()
    return with_export_table(order.model.read_bytes(), order.export_table.read_bytes())


def _told(order: Order, done: Flashed) -> Flashed:
    """Return `done` with the models that the firmware built for the order accepts later."""
    if order.firmware is not None:
        return done
    own = order.model is not None and not order.general
    taken = "those with the kernels of this model alone; any that fits with --general" if own else "any that fits"
    return replace(done, updates=taken)


# ---- The firmware and board to flash --------------------------------------------------------------------------------


def _is_emulated(order: Order) -> bool:
    """Return whether the order is for an emulated board.

    A kind of board that exists both real and emulated counts as real if its port is given or found.
    """
    board, given = order.board, order.port
    if order.emulated or not board.emulator or not board.upload:
        return order.emulated or bool(board.emulator)
    if given is not None:
        return given.isdigit() or given.startswith("socket:")
    return not ports_of(board, serial_ports())


def _tcp_port(order: Order) -> int | None:
    if order.port is None:
        return None
    number = order.port.rpartition(":")[2]
    if not number.isdigit() or not 0 < int(number) < 1 << 16:
        raise DataError(f"{order.port} is not a TCP port", "an emulated board takes a number: --port 5555")
    return int(number)


def _firmware(order: Order, image: bytes | None, watch: Watch) -> Firmware:
    """Return the firmware, built or given, after checking that the image fits beside it."""
    if order.firmware is not None:
        found = Firmware(order.firmware, _board_of(order.firmware, order.board))
    else:
        watch.stage(f"build the firmware of {order.board.name}")
        model = None if order.general else order.model
        found = build.build(order.board.name, model, watch, order.key, order.rollback_protect)
    if image is not None:
        require_fit(found.board, image, str(order.model), _UNCHANGED)
    return found


def _require_no_key(order: Order) -> None:
    if order.key is not None:
        raise DeviceError(
            f"PlatformIO builds the firmware of {order.board.name}, from the project's settings",
            "name the key there: custom_gradmote_key = key.pub.pem (docs/PLATFORMIO.md), then pio run -t upload",
        )


def _require_no_firmware(order: Order, tool: str) -> None:
    if order.firmware is not None:
        raise DeviceError(
            f"{tool} programs what it builds, not {order.firmware}; nothing was changed",
            "leave --firmware out, or choose another of the board's tools: --tool",
        )


def _board_of(firmware: Path, wanted: Board) -> Board:
    """Return the board with the sizes of this firmware.

    Raises DeviceError if the firmware is for another board.
    """
    segments = read_segments(firmware)
    names = board_names(segments)
    if not names:
        raise DeviceError(
            f"{firmware} does not say which board it is for: it is not firmware of this gradmote; nothing was changed",
            f"leave --firmware out, and it is built; or program it with the tool of {wanted.name} itself",
        )
    if wanted.name not in names:
        there = " and ".join(sorted(names))
        raise DeviceError(f"{firmware} is for {there}, not {wanted.name}; nothing was changed", f"say --board {there}")
    footprint = _footprint_beside(firmware)
    if footprint is None or (footprint.name, footprint.code) != (wanted.name, size_of(segments)):
        return replace(wanted, code=size_of(segments))
    return replace(footprint, usb=wanted.usb, upload=wanted.upload)


def _footprint_beside(firmware: Path) -> Board | None:
    """Return the sizes that a build wrote next to the firmware; None if it wrote none."""
    try:
        return from_footprint(json.loads(firmware.with_name("footprint.json").read_text()))
    except (OSError, ValueError, KeyError, TypeError):
        return None


# ---- Flashing -------------------------------------------------------------------------------------------------------


def _flash_emulated(firmware: Firmware, image: bytes | None, port: int | None, watch: Watch) -> Flashed:
    """Program firmware and image into an emulated part, and leave it running."""
    name = firmware.board.name
    watch.stage(f"program and verify the emulated {name}")
    with _explain_interrupt(name):
        part = emulated.program(firmware.elf, firmware.board, image, port, watch.moved)
    try:
        with Client.connect(part.url) as client:
            return _checked(client, firmware, image, part.url, "emulator", part.pid)
    except BaseException:
        emulated.stop(name)
        raise


def _flash_real(firmware: Firmware, image: bytes | None, port: str, tool: str, watch: Watch) -> Flashed:
    """Program a real part, and check that it holds the image.

    The serial line carries the image if the tool did not program it.
    """
    name = firmware.board.name
    watch.stage(f"program {name} with {tool}")
    with _explain_interrupt(name):
        real.program(firmware.elf, firmware.board, tool, port, image, watch.line, _flags(tool, image))
    watch.stage("wait for its answer")
    with real.connect(firmware.board, port) as client:
        _require_this_firmware(client, firmware.board)
        if image is not None and not _has(client, image):
            watch.stage("send the model")
            _send(client, image, watch.moved)
        return _checked(client, firmware, image, client.url, tool, 0)


@contextmanager
def _explain_interrupt(name: str) -> Iterator[None]:
    """Turn Ctrl-C in the `with` body into an error that says what is only half done."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise DeviceError(
            f"stopped while {name} was programmed: its firmware may be half written",
            "run the same command again: what programs the board does not need the firmware on it",
        ) from stop


def _flags(tool: str, image: bytes | None) -> dict[str, str]:
    """Return the variables for a tool that builds the firmware itself: the image's kernels."""
    if TOOLS[tool].format != "source" or image is None:
        return {}
    return {"PLATFORMIO_BUILD_FLAGS": " ".join(needs_of(image).flags())}


def _send(client: Client, image: bytes, progress: Progress) -> None:
    try:
        client.load_image(image, progress)
    except KeyboardInterrupt as stop:
        raise DeviceError(
            "stopped while the model was sent: the firmware runs, and has no model",
            "run the same command again, or gradmote train, which sends the model too",
        ) from stop


def _checked(client: Client, firmware: Firmware, image: bytes | None, port: str, tool: str, pid: int) -> Flashed:
    _require_this_firmware(client, firmware.board)
    info = client.info()
    if image is not None and not _has(client, image):
        raise DeviceError(f"the board does not take the model: {status_text(info.status)}", "flash it again")
    table = export_table_of(image or b"")
    if table and client.export_table() != table:
        raise DeviceError(
            f"the firmware of {info.name} does not keep the export table",
            "it was built without exports: leave --export-table out, and export with gradmote export model.onnx --from",
        )
    return Flashed(
        board=info.name, version=info.version, profile=info.profile, port=port, tool=tool, pid=pid,
        firmware=str(firmware.elf), code=firmware.board.code, image=info.image_size, arena=info.arena_required,
        model_id=info.model_id.hex() if info.status == 0 else "", export_table=len(table),
    )  # fmt: skip


def _has(client: Client, image: bytes) -> bool:
    return client.info().status == 0 and client.read("IMAGE") == without_signature(image)


def _require_this_firmware(client: Client, board: Board) -> None:
    info = client.info()
    if (info.name, info.version) != (board.name, __version__):
        raise DeviceError(
            f"{board.name} with version {__version__} was flashed, but {info.name} with version {info.version} answers",
            "is another board at this port? list them: gradmote ports",
        )
