"""The server's side of federated learning: one model from what devices learned, the same on any computer.

In a round each device sends a quantized delta (`Session.round_delta()`). `Server` combines all of them
into the delta that leads to the next base (`Session.end_round()`).
"""

from .coordinator import Coordinator, RoundRecord
from .delta_sum import DeltaSum
from .fleet import Fleet, LocalFleet
from .privacy import GaussianNoise, poisson_sample
from .remote_fleet import RemoteFleet
from .replies import DeviceReply, DeviceTest
from .server import Server
from .server_optimizers import ServerOptimizer, fedadam, fedavg, optimizer_of
from .task import RoundTask

__all__ = [
    "Coordinator",
    "DeltaSum",
    "DeviceReply",
    "DeviceTest",
    "Fleet",
    "GaussianNoise",
    "LocalFleet",
    "RemoteFleet",
    "RoundRecord",
    "RoundTask",
    "Server",
    "ServerOptimizer",
    "fedadam",
    "fedavg",
    "optimizer_of",
    "poisson_sample",
]
