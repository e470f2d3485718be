"""The command `gradmote studio`, which serves the studio page on this computer."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o
from .output import say, say_json

if TYPE_CHECKING:
    from ..studio.server import Server

#: The browser stores the studio's data under its address, so the port should stay the same.
PORT = 8765


def command(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Its port; 0 takes a free one.")] = PORT,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen at. Any but this computer's own lets others in.")
    ] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    pyodide: Annotated[
        Path | None,
        typer.Option(
            "--pyodide",
            metavar="DIR",
            help="Folder of a Pyodide release, for the compiler in the page. Without it the page loads Pyodide from "
            "its public address, which needs a network.",
        ),
    ] = None,
    as_json: o.AsJson = False,
) -> None:
    """Serve the studio, a page that compiles, trains and teaches boards, and open it in a browser.

    It needs no other computer: files dropped on the page stay in the browser. Ctrl-C ends it. With
    --json it prints its address for a program, and opens no browser.
    """
    from ..studio.own_site import find_page, studio_site
    from ..studio.server import serving

    page = find_page()
    with serving(studio_site(page, pyodide), host, port) as server:
        try:
            _announce(server, page, as_json)
            if not (no_browser or as_json):
                _open_browser(server.address)
            server.serve_forever()
        except KeyboardInterrupt:
            if not as_json:
                say("stopped")


def _announce(server: Server, page: Path, as_json: bool) -> None:
    """Print the address of the page."""
    from ..studio.server import is_loopback

    if as_json:
        say_json({"address": server.address, "port": server.server_port, "page": str(page)})
        return
    say(f"the studio is at {server.address} - Ctrl-C ends it")
    if not is_loopback(server.host):
        warned = "others on the network can open it; there, browsers give it no camera, no serial port, no offline copy"
        say(warned, err=True)


def _open_browser(address: str) -> None:
    """Open a browser without waiting for it; the address was printed in case there is none."""
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
