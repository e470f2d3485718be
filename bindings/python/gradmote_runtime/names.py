"""Names as the runtime keeps them: UTF-8 that a zero ends."""

from __future__ import annotations

from gradmote.errors import DataError


def utf8(name: str, what: str) -> bytes:
    """Return the bytes of a name that the caller gave. `what` says in the DataError which one.

    Bytes that text() could not read, and gave as surrogates, come back as they were.
    """
    try:
        data = name.encode(errors="surrogateescape")
    except UnicodeEncodeError as error:
        raise DataError(f"{what} {name!r} is no Unicode text", "leave out its lone surrogates") from error
    if b"\0" in data:
        raise DataError(f"{what} {name!r} has a zero in it, which would end it", "leave it out")
    return data


def text(data: bytes) -> str:
    """Return the name that an image or a state holds; bytes that are no UTF-8 become surrogates."""
    return data.decode(errors="surrogateescape")
