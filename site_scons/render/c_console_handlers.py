"""console_handlers.h and console_handlers.c of the firmware: the handlers' prototypes, and the dispatch of messages."""

from __future__ import annotations

from collections.abc import Callable

from .console_spec import Message, is_open, messages, offsets

HEADER = """\
/* The function of each message that a program sends to a board. handle_*.c has them. */
#ifndef CONSOLE_HANDLERS_H
#define CONSOLE_HANDLERS_H

#include "console_spec.h"
#include "device/device.h"

/* Returned by a handler whose reply follows when the program has ended that it began. */
#define HANDLER_LATER 1

/* Each returns 0 when it has filled in the reply, HANDLER_LATER, or an error code, which is then sent in its place.
 * size: bytes of the request after its fixed part. */
{handlers}

/* Each fills in a reply when the program has ended that the handler began, and returns as handlers do. */
{finishers}

/* Calls the handler of a message that console_messages knows, with a request that is as long as it must be. */
int console_handle(device *d, uint8_t type, const uint8_t *payload, uint32_t length);

/* Calls what finishes a message whose handler returned HANDLER_LATER. */
int console_finish(device *d, uint8_t type);

#endif
"""

SOURCE = """\
#include "console_handlers.h"

#include <stddef.h>

#include "board.h"

/* The compiler lays the payloads out as docs/CONSOLE.md does. */
{checks}
typedef char reply_is_aligned[offsetof(device, reply.payload) % 4 == 0 ? 1 : -1];

const console_message console_messages[CONSOLE_MESSAGE_LIMIT] = {{
{rows}
}};

int console_handle(device *d, uint8_t type, const uint8_t *payload, uint32_t length)
{{
    const void *request = payload;
    void *reply = d->reply.payload;
    switch (type) {{
{handles}
    default: return CONSOLE_ERR_UNKNOWN_MESSAGE;
    }}
}}

int console_finish(device *d, uint8_t type)
{{
    void *reply = d->reply.payload;
    switch (type) {{
{finishes}
    default: return CONSOLE_ERR_UNKNOWN_MESSAGE;
    }}
}}
"""


def parameters(m: Message) -> list[tuple[str, str]]:
    """Return the parameters of a handler besides the device: each declaration, and the argument for it."""
    found = []
    if m.request:
        found.append((f"const {m.name.lower()}_request *request", "request"))
    if is_open(m.request):
        found.append(("uint32_t size", f"length - {offsets(m.request)[-1]}u"))
    if m.reply:
        found.append((reply(m), "reply"))
    return found


def reply(m: Message) -> str:
    return f"{m.reply_of.lower()}_reply *reply"


def prototype(m: Message) -> str:
    declared = ", ".join(["device *d", *(declared for declared, _ in parameters(m))])
    return f"int handle_{m.name.lower()}({declared});"


def finisher(m: Message) -> str:
    return f"int finish_{m.name.lower()}(device *d, {reply(m)});"


def handle(m: Message) -> str:
    passed = ", ".join(["d", *(passed for _, passed in parameters(m))])
    return f"    case CONSOLE_{m.name}: return handle_{m.name.lower()}({passed});"


def finish(m: Message) -> str:
    return f"    case CONSOLE_{m.name}: return finish_{m.name.lower()}(d, reply);"


def row(m: Message) -> str:
    numbers = (1, int(is_open(m.request)), offsets(m.request)[-1], offsets(m.reply)[-1])
    return f"    [CONSOLE_{m.name}] = {{ {', '.join(map(str, numbers))} }},"


def checks(m: Message) -> list[str]:
    payloads = {"request": m.request, "reply": m.reply if m.reply_of == m.name else ()}
    names = {f"{m.name.lower()}_{kind}": offsets(fields)[-1] for kind, fields in payloads.items() if fields}
    return [f"typedef char {name}_is_packed[sizeof({name}) == {size} ? 1 : -1];" for name, size in names.items()]


def lines(of: Callable[[Message], str], some: list[Message]) -> str:
    """Return a line for each message, under a condition if not all boards know it."""
    return "\n".join(f"#if {m.only_if}\n{of(m)}\n#endif" if m.only_if else of(m) for m in some)


def render() -> dict[str, str]:
    every = messages()
    later = [m for m in every if m.reply_at_end]
    header = HEADER.format(handlers="\n".join(map(prototype, every)), finishers="\n".join(map(finisher, later)))
    source = SOURCE.format(
        checks="\n".join(check for m in every for check in checks(m)),
        rows=lines(row, every),
        handles=lines(handle, every),
        finishes=lines(finish, later),
    )
    return {"console_handlers.h": header, "console_handlers.c": source}
