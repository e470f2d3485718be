"""The errors for a board that does not answer as it should."""

from __future__ import annotations

from gradmote.errors import DeviceError

from .boards import known
from .device_log import DeviceLog
from .link import ConnectionLost

_FLASH = "gradmote flash --board NAME"
_ONE_AT_A_TIME = "another program may be connected to it, and it serves one at a time"


def silent(url: str, request: str, log: DeviceLog, damaged: bool) -> DeviceError:
    """Return the error for a line that has not answered yet.

    damaged: whether bytes arrived that looked like frames.
    """
    if log.is_text:
        return DeviceError(
            f"{url} says {log.excerpt}, but does not answer {request}",
            f"it runs other firmware, or its firmware is damaged; give it this version's: {_FLASH}",
        )
    if log.is_something or damaged:
        return DeviceError(
            f"{url} sends something that is neither text nor an answer to {request}",
            "the baud rate differs (it should be 115200), it runs other firmware, or its firmware is damaged: "
            f"{_FLASH}",
        )
    hint = f"check port, power and baud rate (115200): gradmote console {url}"
    if _is_socket(url):
        hint = f"{_ONE_AT_A_TIME}; or its firmware is damaged: {_FLASH}"
    return DeviceError(f"no answer from {url} to {request}", hint)


def silent_now(url: str, request: str, board: str) -> DeviceError:
    """Return the error for a board that answered before and has stopped."""
    return DeviceError(
        f"{board} at {url} does not answer {request} any more",
        f"press its reset button and run the command again; or flash it: gradmote flash --board {board}",
    )


def turned_away(url: str, lost: ConnectionLost, log: DeviceLog) -> DeviceError:
    """Return the error for a connection that closed before any answer."""
    words = f" and said {log.excerpt}" if log.is_text else ""
    hint = _ONE_AT_A_TIME if _is_socket(url) else lost.hint
    return DeviceError(f"{url} closed the connection{words} ({lost.why})", hint)


def restarted(url: str, request: str, fault: str) -> DeviceError:
    """Return the error for a board that printed its greeting instead of an answer.

    fault: why, in the board's words; "" if it gave no reason.
    """
    if fault:
        return DeviceError(f"the board at {url} {fault}; {request} was not answered", "please report it with the model")
    return DeviceError(
        f"the board at {url} restarted by itself; {request} was not answered",
        "check its power supply; what it learned since the last save is lost: run the command again",
    )


def impossible(url: str, what: str) -> DeviceError:
    """Return the error for an answer with contradictory parts."""
    return DeviceError(f"{url} sent a contradictory answer: {what}", f"flash the firmware of this version: {_FLASH}")


def kept_meanwhile(url: str) -> DeviceError:
    """Return the error for a board that kept another checkpoint while its model was read."""
    return DeviceError(
        f"the board at {url} saved another state while its trained model was read",
        "it trains by itself: type `train off` or Ctrl-C at gradmote console, then export again",
    )


def too_large(board: str, needed: int, there: int) -> DeviceError:
    """Return the error for a model whose arena is larger than the board's; both sizes in bytes."""
    return DeviceError(
        f"the model takes {needed:,} B of RAM for its arena, {board} has {there:,}; it keeps the model that it has",
        f"search what fits: gradmote compile model.onnx --loss LOSS --ram {there}; or take a smaller --batch, or train "
        "fewer layers (--scheme)",
    )


def lacking(board: str, missing: list[str]) -> DeviceError:
    """Return the error for an image that needs operations missing from the board's firmware."""
    shown = ", ".join(missing[:6]) + (f" and {len(missing) - 6} more" if len(missing) > 6 else "")
    return DeviceError(
        f"the firmware of {board} has no {shown}, which the model needs; it keeps the model that it has",
        _how_to_add(board, missing),
    )


def _how_to_add(board: str, missing: list[str]) -> str:
    """Return the command that makes firmware with what is missing."""
    if board not in known():
        return "build it with what the model needs: gradmote kernels --flags model.mote"
    own = f"flash firmware for this model: gradmote flash --board {board} model.mote"
    return own if "int8" in missing else f"{own}; or with all kernels: --general"


def not_signed(board: str, demanded: bytes, found: bytes | None) -> DeviceError:
    """Return the error for an image without a signature by the key that the board demands.

    found: the id of the key that signed the image; None if it is unsigned.
    """
    is_so = f"is signed by key {found.hex()}" if found else "is not signed"
    return DeviceError(
        f"the image {is_so}, {board} only takes those of key {demanded.hex()}; it keeps the model that it has",
        "sign it with that key: gradmote sign model.mote --key key.pem",
    )


def _is_socket(url: str) -> bool:
    return url.startswith("socket://")
