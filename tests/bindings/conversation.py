"""Calls that are made of a session in Python and of one in another language, which must return the same."""

from __future__ import annotations

import json
import re
from array import array
from pathlib import Path
from typing import Any

from gradmote import Session
from gradmote.errors import GradmoteError, RuntimeFault

Call = tuple[Any, ...]


def twin_answers(image: bytes, calls: list[Call]) -> list[Any]:
    """Return what the calls return in Python, in the form in which the other language prints it."""
    results: list[Any] = []
    answers = []
    with Session(image, "strict") as session:
        for name, *given in calls:
            try:
                value = made(session, name, [argument(one, results) for one in given])
                results.append(bytes(value) if isinstance(value, memoryview) else value)
                answers.append(printable(value))
            except RuntimeFault as fault:
                text = fault.message.partition(": ")[2]  # without the method, whose name differs
                results.append(None)
                answers.append({"fault": fault.code, "text": text, "hint": fault.hint})
            except GradmoteError as error:
                results.append(None)
                answers.append({"refused": type(error).__name__})
    return json.loads(json.dumps(answers))


def made(session: Session, name: str, values: list[Any]) -> Any:
    """Call a method, read a property, or set one if there is an argument."""
    snake = re.sub(r"([A-Z])", r"_\1", name).lower()
    if callable(found := getattr(session, snake)):
        return found(*values)
    if values:
        setattr(session, snake, values[0])
    return getattr(session, snake)


def argument(value: Any, results: list[Any]) -> Any:
    if isinstance(value, dict):
        if "result" in value:
            return results[value["result"]]
        code, items = next(iter(value.items()))
        return array({"f32": "f", "i32": "i", "i8": "b", "u8": "B"}[code], items)
    return value


def printable(value: Any) -> Any:
    if isinstance(value, (memoryview, bytes)):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {camel(key): printable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [printable(item) for item in value]
    return value


def camel(name: str) -> str:
    """Return snake_case as camelCase."""
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def write_calls(folder: Path, calls: list[Call]) -> Path:
    """Write the calls for the other language, and return the file."""
    path = folder / "calls.json"
    path.write_text(json.dumps(calls))
    return path
