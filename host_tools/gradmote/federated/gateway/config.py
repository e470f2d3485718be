"""The configuration of a gateway: a TOML file. Errors in it name the line."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import DataError
from .keys import GATEWAY

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: The default port of a gateway.
PORT = 8471
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MOST_BYTES = 2**24
#: field -> its type and whether it is required.
_FIELDS = {
    "image": (str, True), "keys": (str, True), "journal": (str, False), "host": (str, False), "port": (int, False),
    "devices": (dict, True),
}  # fmt: skip
_DEVICE_FIELDS = {"url": (str, True), "data": (str, False), "baudrate": (int, False)}
_TYPES = {str: "a text in quotes", int: "a number", dict: "a table"}


@dataclass(frozen=True)
class DeviceConfig:
    """A device of a gateway.

    Attributes:
        name: The server's name for it.
        url: Its address, for open_target().
        data: The file or folder of its samples; None for a device that trains on its own.
        baudrate: The rate of a serial port.
    """

    name: str
    url: str
    data: Path | None = None
    baudrate: int = 115200


@dataclass(frozen=True)
class GatewayConfig:
    """The settings of a gateway. Paths are absolute, or relative to the working directory.

    Attributes:
        image: The compiled model (.mote) of all devices.
        keys: The file of keys.
        journal: The folder for what must outlive the process.
        devices: All devices.
        host, port: The address to listen on; port 0 takes a free one.
    """

    image: Path
    keys: Path
    journal: Path
    devices: tuple[DeviceConfig, ...]
    host: str = "127.0.0.1"
    port: int = PORT


def read_config(path: Path) -> GatewayConfig:
    """Return the configuration in a file, with paths relative to its folder.

    Raises DataError, with line and field, if anything is missing, unknown, or of the wrong type.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode()
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}: {error}", 'this is not TOML: see docs/FEDERATED.md, "A gateway"') from error
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {path} ({error})", "name a configuration file") from error
    return _Reader(path, text).config(found)


class _Reader:
    """The text of a configuration, which finds the lines of its fields."""

    def __init__(self, path: Path, text: str) -> None:
        """Take the text."""
        self.path, self.lines = path, text.splitlines()

    def config(self, found: dict[str, Any]) -> GatewayConfig:
        """Return the configuration. Raises DataError."""
        self._check(found, _FIELDS, "")
        if not found["devices"]:
            raise self._wrong("devices", "", "there is no device", "add one: [devices.NAME] with a url")
        port = found.get("port", PORT)
        if not 0 <= port <= 65535:
            raise self._wrong("port", "", f"{port} is not a port", "write 0 to 65535")
        devices = tuple(self._device(name, fields) for name, fields in found["devices"].items())
        image, keys = (self._there(name, "", found[name]) for name in ("image", "keys"))
        journal = self.path.parent / found.get("journal", f"{self.path.stem}-journal")
        return GatewayConfig(image, keys, journal, devices, found.get("host", "127.0.0.1"), port)

    def _device(self, name: str, fields: Any) -> DeviceConfig:
        section = f"devices.{name}"
        if not _NAME.fullmatch(name) or name == GATEWAY:
            hint = "use 1 to 64 letters, digits, - and _; the name gateway is taken"
            raise self._wrong("", section, f"'{name}' is not a valid device name", hint)
        if not isinstance(fields, dict):
            raise self._wrong(name, "devices", f"'{name}' is not a table", f"write [devices.{name}], and url below it")
        self._check(fields, _DEVICE_FIELDS, section)
        data = self._there("data", section, fields["data"]) if "data" in fields else None
        return DeviceConfig(name, fields["url"], data, fields.get("baudrate", 115200))

    def _check(self, found: dict[str, Any], known: dict[str, tuple[type, bool]], section: str) -> None:
        for name, value in found.items():
            if name not in known:
                raise self._wrong(name, section, f"'{name}' is unknown", f"there are {', '.join(known)}")
            kind = known[name][0]
            if not isinstance(value, kind) or isinstance(value, bool):
                raise self._wrong(name, section, f"{name} = {value!r}", f"write {_TYPES[kind]}")
        for name, (_, needed) in known.items():
            if needed and name not in found:
                raise self._wrong("", section, f"{name} is missing", f"add {name} = ...")

    def _there(self, name: str, section: str, value: str) -> Path:
        path = self.path.parent / value
        if name != "keys" and not path.exists():  # the key file is made by --make-keys
            raise self._wrong(name, section, f"there is no {path}", "paths are relative to the configuration file")
        return path

    def _wrong(self, field: str, section: str, what: str, hint: str) -> DataError:
        """Return the error for a field, with its line; if the field is missing, with its section's line."""
        line = self._line_of(field, section)
        place = f"{self.path}, line {line}" if line else f"{self.path}"
        return DataError(f"{place}: {f'[{section}] ' if section else ''}{what}", hint)

    def _line_of(self, field: str, section: str) -> int:
        """Return the line of a field, or of its section; 0 if neither has a line of its own."""
        within, of_section = "", 0
        for number, line in enumerate(self.lines, start=1):
            head = re.match(r"\s*\[\s*([^\]]+?)\s*\]", line)
            if head:
                within = head[1].replace('"', "").replace("'", "")
                of_section = number if within == section else of_section
            if within == section and field and re.match(rf"\s*[\"']?{re.escape(field)}[\"']?\s*=", line):
                return number
        return of_section
