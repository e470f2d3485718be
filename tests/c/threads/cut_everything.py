"""Sessions that cut every instruction that may be cut, however small."""

from __future__ import annotations

import hashlib

from gradmote import Session


def cut_everything(session: Session) -> None:
    """session: of several threads."""
    ffi, lib = session._ffi, session._lib
    ordinary = lib.gm_threads_splitter(session._threads)
    eager = ffi.new("gm_splitter *", [ordinary.run, ordinary.context, ordinary.parts, 1])
    assert lib.gm_set_splitter(session._session, eager, len(session._memory)) == 0
    session._eager = eager  # type: ignore[attr-defined]  # lives as long as the session


def digest(session: Session) -> str:
    return hashlib.sha256(session.save()).hexdigest()
