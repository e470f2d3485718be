"""Byte transports to a board: a serial port, or whatever else pyserial or a socket can open."""

from __future__ import annotations

import contextlib
import errno
import select
import socket
from typing import Any, Protocol

from gradmote.errors import DeviceError

_READ_SIZE = 4096  # bytes
_CONNECT_SECONDS = 5.0
_WRITE_SECONDS = 30.0


class Link(Protocol):
    """The transport that a client needs. All methods raise DeviceError after the peer disconnects."""

    url: str

    def read(self, timeout: float) -> bytes:
        """Return at least one byte, as soon as there is one; b"" after `timeout` seconds."""

    def write(self, data: bytes) -> None:
        """Send all of `data`."""

    def close(self) -> None:
        """Close the connection. Closing twice does no harm."""


def open_link(url: str, baudrate: int = 115200) -> Link:
    """Open a port: /dev/ttyACM0, COM3, socket://host:port, or any other pyserial URL."""
    if url.startswith("socket://"):
        return SocketLink(url)
    return SerialLink(url, baudrate)


class ConnectionLost(DeviceError):
    """The error for a connection whose peer is gone."""

    def __init__(self, url: str, why: object) -> None:
        """Name the lost connection, and why it was lost."""
        self.why = why
        super().__init__(f"lost the connection to {url} ({why})", "check cable and power, then run the command again")


def _cannot_open(url: str, error: Exception) -> DeviceError:
    number = getattr(error, "errno", None)
    if number in (errno.EAGAIN, errno.EWOULDBLOCK, errno.EBUSY):
        return DeviceError(
            f"cannot open {url}: another program uses it, and holds its lock",
            "close that one: a serial monitor, gradmote console, another gradmote",
        )
    if number in (errno.EACCES, errno.EPERM):
        return DeviceError(
            f"cannot open {url}: this account may not, or another program uses it",
            "on Linux: sudo usermod -aG dialout $USER, then log in again",
        )
    return DeviceError(
        f"cannot open {url} ({error})", "list the ports with: gradmote ports, or python -m serial.tools.list_ports"
    )


class SerialLink:
    """A port opened through pyserial, for this program alone.

    Another program on the same port would take some of the answers.
    """

    def __init__(self, url: str, baudrate: int = 115200) -> None:
        """Open the port; raise DeviceError if that fails."""
        self.url = url
        try:
            self._port = _serial().serial_for_url(
                url, baudrate=baudrate, timeout=0.0, write_timeout=_WRITE_SECONDS, exclusive=True
            )
        except (ValueError, OSError) as error:
            raise _cannot_open(url, error) from error

    def read(self, timeout: float) -> bytes:
        """Return at least one byte, as soon as there is one; b"" after `timeout` seconds."""
        try:
            if self._port.timeout != timeout:
                self._port.timeout = timeout
            first = self._port.read(1)
            waiting = self._port.in_waiting if first else 0
            return bytes(first + self._port.read(waiting)) if waiting else bytes(first)
        except (OSError, TypeError) as error:
            raise ConnectionLost(self.url, error) from error

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        try:
            self._port.write(data)
        except (OSError, TypeError) as error:
            raise ConnectionLost(self.url, error) from error

    def close(self) -> None:
        """Close the port. Closing twice does no harm."""
        with contextlib.suppress(OSError):
            self._port.close()


def _serial() -> Any:
    """Return the pyserial module, whose SerialException is an OSError; sockets do not need it."""
    try:
        import serial
    except ImportError as error:
        raise DeviceError(
            "the package pyserial, which opens serial ports, is not installed", "pip install pyserial"
        ) from error
    return serial


class SocketLink:
    """A TCP socket, socket://host:port.

    Reads many bytes at a time; pyserial's own socket reads byte by byte.
    """

    def __init__(self, url: str) -> None:
        """Connect to the socket; raise DeviceError if nothing listens there."""
        self.url = url
        host, _, port = url.removeprefix("socket://").rpartition(":")
        if not host or not port.isdigit():
            raise DeviceError(f"'{url}' is not a socket", "write socket://HOST:PORT")
        try:
            self._socket = socket.create_connection((host, int(port)), _CONNECT_SECONDS)
        except OSError as error:
            raise DeviceError(
                f"nothing listens at {url} ({error})",
                "boards that answer: gradmote ports; an emulated one is started by: gradmote flash --board NAME",
            ) from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(_WRITE_SECONDS)

    def read(self, timeout: float) -> bytes:
        """Return at least one byte, as soon as there is one; b"" after `timeout` seconds."""
        try:
            ready, _, _ = select.select([self._socket], [], [], timeout)
            if not ready:
                return b""
            data = self._socket.recv(_READ_SIZE)
        except (OSError, ValueError) as error:
            raise ConnectionLost(self.url, error) from error
        if not data:
            raise ConnectionLost(self.url, "the other side closed it")
        return data

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise ConnectionLost(self.url, error) from error

    def close(self) -> None:
        """Close the socket. Closing twice does no harm."""
        self._socket.close()
