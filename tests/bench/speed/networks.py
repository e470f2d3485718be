"""The networks that are timed, in PyTorch, with seeded weights. Children import this: it needs only PyTorch."""

from __future__ import annotations

from numeric.models.networks import NETWORKS as MODELS
from numeric.models.networks import Network
from torch import nn


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))


def cnn() -> nn.Module:
    layers = [nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU()]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(16 * 7 * 7, 10))


NETWORKS = {"mlp": Network(mlp, (64,), 10), "cnn": Network(cnn, (1, 28, 28), 10), **MODELS}
