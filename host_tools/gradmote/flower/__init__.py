"""Federated learning with Flower, from `pip install flwr` (Flower 1.41 or newer).

`client_app()` makes the app of a node, behind which there are any number of devices, and
`DeltaStrategy` is the server's strategy. Flower carries their messages. Flower's own strategies,
such as FedAvg, work with a `client_app()` too.
"""

from __future__ import annotations

from ..errors import GradmoteError

try:
    import flwr.serverapp.strategy  # noqa: F401
except ImportError as error:
    raise GradmoteError("Flower is not installed", "pip install 'flwr>=1.41'") from error

from .client import client_app
from .strategy import DeltaStrategy

__all__ = ["DeltaStrategy", "client_app"]
