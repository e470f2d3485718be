"""The server of the page: files over HTTP, only for this computer unless another address is given.

Pages of other sites must not read these files. Another site can make its own name resolve to this
computer (DNS rebinding), and its requests then carry that name; so the server refuses unknown names.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address

from ..errors import GradmoteError
from .site import Document, Site

logger = logging.getLogger("gradmote")

#: A browser checks each time whether a file has changed, guesses no types, and lets no other site embed or read
#: these. Nothing here shares memory between threads, so Cross-Origin-Embedder-Policy is not needed.
HEADERS = {
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
#: The server closes a connection after this many seconds without a request.
_IDLE_SECONDS = 60


class Server(ThreadingHTTPServer):
    """A server for one site, which listens from its creation on."""

    daemon_threads = True
    # Elsewhere this allows immediate reuse of a port; on Windows it would let two servers share one.
    allow_reuse_address = os.name != "nt"

    def __init__(self, site: Site, host: str, port: int) -> None:
        """Listen at an address. Raises GradmoteError if that is impossible."""
        self.site, self.host = site, host
        try:
            self.address_family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            super().__init__((host, port), Handler)
        except (OSError, OverflowError) as error:
            raise _refusal(error, host, port) from error

    def server_bind(self) -> None:
        """Bind without looking up the address's name, which may take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(self.allow_reuse_address))
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.host, self.server_address[1]

    @property
    def address(self) -> str:
        """Return the address to open in a browser on this computer."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server_port}/"

    def knows(self, host: str | None) -> bool:
        """Return whether a request's Host is this computer: an IP address, localhost, or the configured host."""
        name = host_name(host or "")
        return name in ("localhost", self.host.lower()) or is_address(name)

    def handle_error(self, request: object, client_address: object) -> None:
        """Report a broken connection only with --verbose."""
        logger.debug("a request of %s broke off", client_address, exc_info=True)


class Handler(BaseHTTPRequestHandler):
    """Answers each request with a document of the server's site, if it uses a known host name."""

    server: Server
    server_version, sys_version = "gradmote", ""
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS

    def do_GET(self) -> None:
        """Answer with a document."""
        self._answer()

    def do_HEAD(self) -> None:
        """Answer with the headers of a document."""
        self._answer()

    def _answer(self) -> None:
        if not self.server.knows(self.headers.get("Host")):
            refused = f"This server answers as {self.server.address} and to no other name."
            return self._say(HTTPStatus.MISDIRECTED_REQUEST, refused)
        found = self.server.site.find(self.path)
        if found is None:
            return self._say(HTTPStatus.NOT_FOUND, "There is no such file here.")
        if f'"{found.tag}"' in self.headers.get("If-None-Match", ""):
            return self._begin(HTTPStatus.NOT_MODIFIED, {"ETag": f'"{found.tag}"'})
        return self._send(found)

    def _send(self, found: Document) -> None:
        with found.open() as content:
            about = {"Content-Type": found.type, "Content-Length": str(found.size), "ETag": f'"{found.tag}"'}
            self._begin(HTTPStatus.OK, about)
            if self.command != "HEAD":
                shutil.copyfileobj(content, self.wfile)

    def _say(self, status: HTTPStatus, text: str) -> None:
        content = f"{text}\n".encode()
        self._begin(status, {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(content))})
        if self.command != "HEAD":
            self.wfile.write(content)

    def _begin(self, status: HTTPStatus, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, **HEADERS}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *values: object) -> None:
        """Report each request with --verbose."""
        logger.info(format, *values)


def host_name(host: str) -> str:
    """Return the name in a Host header without its port, and without the brackets of an IPv6 address."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()


def is_address(name: str) -> bool:
    """Return whether a name is a numeric address, which nobody can redirect."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether a host can be reached only from this computer."""
    return host == "localhost" or (is_address(host) and ip_address(host).is_loopback)


@contextmanager
def serving(site: Site, host: str, port: int) -> Iterator[Server]:
    """Listen within the context. Raises GradmoteError if the address is unavailable."""
    server = Server(site, host, port)
    try:
        yield server
    finally:
        server.server_close()


def _refusal(error: Exception, host: str, port: int) -> GradmoteError:
    if isinstance(error, OverflowError):
        return GradmoteError(f"{port} is not a port", "ports are 1 to 65535; --port 0 takes a free one")
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        message = f"port {port} of {host} is taken by another program"
        return GradmoteError(message, "end that, or take another: --port 0 takes a free one")
    if isinstance(error, PermissionError):
        return GradmoteError(f"port {port} of {host} is not for this user", "take one from 1024 on")
    return GradmoteError(f"cannot listen at {host}, port {port}: {error}", "--host takes an address of this computer")
