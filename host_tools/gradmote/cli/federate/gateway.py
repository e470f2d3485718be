"""The command `gradmote federate gateway`, which owns devices and lets them take part in rounds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import options as o
from ..output import say, say_json
from ..stopping import stopping

if TYPE_CHECKING:
    from ...federated.gateway.config import GatewayConfig
    from ...federated.gateway.service import Service

Config = Annotated[
    Path,
    typer.Argument(
        metavar="CONFIG",
        exists=True,
        dir_okay=False,
        help="A TOML file: image, keys, port, and a table of each device.",
    ),
]
MakeKeys = Annotated[
    bool,
    typer.Option("--make-keys", help="Write the key file, with new keys for this gateway and its devices, and end."),
]


def command(config: Config, make_keys: MakeKeys = False, as_json: o.AsJson = False) -> None:
    """Own devices, and let a server train them in rounds: `gradmote federate gateway gateway.toml`.

    It reconnects lost boards, emulated boards and twins, and keeps a journal: killed at any moment and
    started again, it answers a round with the same bytes. docs/FEDERATED.md has a configuration. Ctrl-C
    ends it.

    At a terminal it shows a table; otherwise it prints a line for each event, with --json one JSON
    object.
    """
    from ...federated.gateway.config import read_config
    from ...federated.gateway.keys import write_keys

    settings = read_config(config)
    if make_keys:
        write_keys(settings.keys, [device.name for device in settings.devices])
        say(f"wrote {settings.keys}: give the server a copy, and let nobody else read it")
    else:
        _run(settings, as_json)


def _run(settings: GatewayConfig, as_json: bool) -> None:
    """Serve until a signal arrives."""
    from ...federated.gateway.gateway import Gateway
    from ...federated.gateway.keys import read_keys
    from ...federated.gateway.service import Service

    states = _States(as_json)
    with stopping() as stop, Gateway(settings, read_keys(settings.keys), states.tell) as gateway:
        service = Service(gateway, settings.host, settings.port, states.refuse)
        states.service = service
        stop.waits = True
        with _shown(states, service):
            threading.Thread(target=gateway.connect, daemon=True).start()
            serving = threading.Thread(target=service.serve, daemon=True)
            serving.start()
            while not stop:
                serving.join(0.2)
        service.stop()
        stop.leave()


class _States:
    """The state of each device, and its display."""

    def __init__(self, as_json: bool) -> None:
        """Begin without a device."""
        self.as_json, self.live = as_json, False
        self.rows: dict[str, tuple[str, str]] = {}
        self.service: Service | None = None
        self._lock = threading.Lock()

    def tell(self, device: str, state: str, fault: str) -> None:
        """Record and print the new state of a device."""
        with self._lock:
            self.rows[device] = state, fault
            if self.service is not None:
                self.service.states[device] = state
            self._print({"device": device, "state": state, "fault": fault}, f"{device}: {state}", fault)

    def refuse(self, text: str) -> None:
        """Print why a connection ended."""
        with self._lock:
            self._print({"connection": text}, "a connection ended", text)

    def _print(self, event: dict[str, str], text: str, more: str) -> None:
        if self.as_json:
            say_json(event)
        elif not self.live:
            say(f"{text} ({more})" if more else text)


@contextmanager
def _shown(states: _States, service: Service) -> Iterator[None]:
    """Show a table of all devices at a terminal, and lines elsewhere."""
    from rich.live import Live

    from ...terminal.terminal import console, table

    address = f"{service.host}:{service.port}"
    out = console()
    if states.as_json:
        say_json({"address": address})
    if states.as_json or not out.is_terminal:
        if not states.as_json:
            say(f"the gateway listens at {address}")
        yield
        return

    def drawn() -> object:
        rows = [[name, *states.rows[name]] for name in sorted(states.rows)]
        return table(f"gateway at {address} - Ctrl-C ends it", (["device", "state", "fault"], rows))

    states.live = True
    with Live(get_renderable=drawn, console=out, refresh_per_second=4):  # type: ignore[arg-type]
        yield
