"""gradmote.training's calls in each step, as functions of one session.

They do the same as methods of Session, but look up everything when they are made, not in each call: for a small
network, that would be half of the time. They take the same lock, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradmote.errors import RuntimeFault

from .exclusive import refuse
from .session import Session


def step_on_arrays_like(
    session: Session, program: str, arrays: Sequence[Any], result: Callable[[], Any]
) -> Callable[[Sequence[Any]], Any]:
    """Return a function that runs "train" or "eval" on arrays of the same form as these, and returns result().

    arrays: numpy arrays from an earlier call of that program, inputs, then labels. The function takes a sequence of
    arrays of the same types, dtypes and shapes, which it does not check. It raises the errors of Session.train_step()
    or eval_step(), and the loss is in loss_of(session).
    """
    plain = session.train_step if program == "train" else session.eval_step

    def call_plainly(given: Sequence[Any]) -> Any:
        plain(*given)
        return result()

    if len(arrays) == 2 and not session._buffers.overwritable and _are_known(session, arrays):
        return _step_on_two(session, program, arrays, result, call_plainly)
    return call_plainly


def _step_on_two(
    session: Session,
    program: str,
    arrays: Sequence[Any],
    result: Callable[[], Any],
    call_plainly: Callable[[Sequence[Any]], Any],
) -> Callable[[Sequence[Any]], Any]:
    """Return the function for one input and one label, the case of most models."""
    guard, opened, loss, memmove = session._lib, session._open(), session._loss, session._ffi.memmove
    lock, is_held, run = guard.lock, guard.lock.locked, guard.unguarded("gm_host_step_on_wide")
    ((x_pointer, x_size), (y_pointer, y_size)), wide = _targets(session, arrays)
    trains, count = int(program == "train"), len(wide)

    def call(given: Sequence[Any]) -> Any:
        x, y = given
        if is_held():
            refuse()
        with lock:
            try:
                memmove(x_pointer, x, x_size)
                memmove(y_pointer, y, y_size)
                status = run(opened, trains, wide, count, loss)
            except ValueError:  # an array is not contiguous
                status = 1
        if status:
            if status > 0:
                return call_plainly(given)
            raise RuntimeFault(status, program)
        return result()

    return call


def _are_known(session: Session, arrays: Sequence[Any]) -> bool:
    """Return whether each input and label remembers the dtype of its array, which it does if it copies its bytes."""
    buffers = session._buffers.all
    return all(b.ndarray is type(a) and b.dtype is a.dtype for b, a in zip(buffers, arrays, strict=True))


def _targets(session: Session, arrays: Sequence[Any]) -> tuple[list[tuple[Any, int]], Any]:
    """Return (address, size) of each array's destination, and the values to narrow from there.

    Pointers into the arena are plain: pointers that own a memoryview hinder the garbage collector in a cycle.
    """
    ffi, wide, targets = session._ffi, [], []
    for buffer, array in zip(session._buffers.all, arrays, strict=True):
        own = ffi.cast("char *", buffer.pointer)
        if array.nbytes == buffer.size:
            targets.append((own, buffer.size))
        else:
            values = ffi.new("char[]", array.nbytes)
            targets.append((values, array.nbytes))
            wide.append((values, own, buffer.size))
    return targets, ffi.new("gm_host_wide[]", wide)


def loss_of(session: Session) -> memoryview[Any]:
    """Return a view of the loss of the last step, float32 without dimensions."""
    return memoryview(session._ffi.buffer(session._loss)).cast("B").cast("f", ())


def update_on_sum(session: Session) -> Callable[[], None]:
    """Return a function that applies the sum of the accumulated gradients; a device applies their mean.

    It advances the schedule by one step, like onnxruntime's classes. It raises RuntimeFault when
    Session.optimizer_step() would.
    """
    return _without_data(session, "gm_optimizer_step_on_sum", "optimizer_step")


def reset_of_gradients(session: Session) -> Callable[[], None]:
    """Return a function that does the same as Session.lazy_reset_grad()."""
    return _without_data(session, "gm_lazy_reset_grad", "lazy_reset_grad")


def _without_data(session: Session, name: str, where: str) -> Callable[[], None]:
    guard, opened = session._lib, session._open()
    run = guard.unguarded(name)
    lock, is_held = guard.lock, guard.lock.locked

    def call() -> None:
        if is_held():
            refuse()
        with lock:
            status = run(opened)
        if status < 0:
            raise RuntimeFault(status, where)

    return call
