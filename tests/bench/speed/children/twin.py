"""This project's runtime."""

from __future__ import annotations

from pathlib import Path

from serve import Run, data, serve

from gradmote_runtime import Session


def open_case(folder: str, image: str, program: str, rate: float, calls: str, profile: str = "fused") -> Run:
    """calls: `python`, which hands over its arrays in each call as scripts do, or `c`: gm_step() or gm_infer() on what
    is in place, as a program in C does."""
    session = Session(Path(folder, image).read_bytes(), profile)
    if program == "train":
        session.learning_rate = rate
    x, y = data(folder)
    if calls == "c":
        return in_c(session, x, y, program)
    if program == "train":
        return lambda: session.step(x, y)
    return lambda: session.infer(x)[0]


def in_c(session: Session, x: object, y: object, program: str) -> Run:
    """Return a call of the runtime's own function, which gives None if it fails. It keeps the session alive."""
    library, loss = session._lib, session._loss
    session.set_input(0, x)
    if program == "infer":
        output = session.output(0)
        return lambda: None if library.gm_infer(session._session) else output
    session.set_label(0, y)
    return lambda: None if library.gm_step(session._session, loss) else loss[0]


if __name__ == "__main__":
    serve("gradmote", open_case)
