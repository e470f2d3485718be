"""Federated learning with Flower, from `pip install flwr` (Flower 1.41 or newer).

`client_app()` makes the app of a node, which has any number of devices, and `DeltaStrategy` is the
server's strategy. Flower carries their messages. Flower's own strategies, such as FedAvg, work with
a `client_app()` too. Both are imported when they are first used, so that a node does not import the
server's part.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

from ..errors import GradmoteError

try:
    import flwr.serverapp.strategy  # noqa: F401
except ImportError as error:
    raise GradmoteError("Flower is not installed", "pip install 'flwr>=1.41'") from error

if TYPE_CHECKING:
    from .client import client_app
    from .strategy import DeltaStrategy

__all__ = ["DeltaStrategy", "client_app"]

_MODULE_OF = {"DeltaStrategy": "strategy", "client_app": "client"}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return resolve_name(f"{__name__}.{_MODULE_OF[name]}:{name}")
