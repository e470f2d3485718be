"""The check whether a model fits a board, before anything is built, erased or sent."""

from __future__ import annotations

from gradmote.device.boards import Board
from gradmote.errors import ModelError
from gradmote.formats.image import read_image


def require_fit(board: Board, image: bytes, name: str, unchanged: str = "") -> None:
    """Raise ModelError, with the bytes that the board lacks, for an image that is too large for it.

    Args:
        board: The board, with the memory that its firmware leaves.
        image: The .mote image.
        name: The image's name in the message.
        unchanged: What the message says of the board.
    """
    lacks = board.lacks(read_image(image).header["arena_size"], len(image))
    if lacks:
        raise ModelError(
            f"{name} does not fit {board.name}: it lacks {' and '.join(lacks)}{unchanged}",
            f"see what takes it: gradmote analyze {name} --board {board.name}; or search what fits: gradmote compile "
            f"model.onnx --board {board.name}",
        )
