"""Convert names to and from the runtime's form: UTF-8, zero-terminated."""

from __future__ import annotations

from gradmote.errors import DataError


def utf8(name: str, what: str) -> bytes:
    """Return the bytes of a name that the caller gave.

    what: description of the name in messages of DataError. Surrogates that text() made of invalid bytes become the
    original bytes again.
    """
    try:
        data = name.encode(errors="surrogateescape")
    except UnicodeEncodeError as error:
        raise DataError(f"{what} {name!r} is not valid Unicode", "leave out its lone surrogates") from error
    if b"\0" in data:
        raise DataError(f"{what} {name!r} has a zero in it, which would end it", "leave it out")
    return data


def text(data: bytes) -> str:
    """Return a name of an image or a state as text.

    Bytes that are not UTF-8 become surrogates.
    """
    return data.decode(errors="surrogateescape")
