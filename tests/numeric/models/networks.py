"""LeNet, the MLPerf Tiny reference networks and MobileNetV2, in PyTorch, with seeded weights and BatchNorm statistics
that are not trivial. shape: one sample, without the batch."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

torch.set_num_threads(1)  # statistics and weights are then the same on every machine; and tests run side by side


def conv_bn(
    inputs: int, outputs: int, kernel: int | tuple[int, int], stride: int = 1, groups: int = 1
) -> list[nn.Module]:
    size = (kernel, kernel) if isinstance(kernel, int) else kernel
    pad = (size[0] // 2, size[1] // 2)
    conv = nn.Conv2d(inputs, outputs, size, stride, pad, groups=groups, bias=False)
    return [conv, nn.BatchNorm2d(outputs), nn.ReLU()]


def separable(inputs: int, outputs: int, stride: int = 1) -> list[nn.Module]:
    return [*conv_bn(inputs, inputs, 3, stride, inputs), *conv_bn(inputs, outputs, 1)]


class Residual(nn.Module):
    """Two 3x3 convolutions beside a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(*conv_bn(inputs, outputs, 3, stride), *conv_bn(outputs, outputs, 3)[:2])
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.body(x) + self.shortcut(x))


class InvertedResidual(nn.Module):
    """Expansion, depthwise 3x3, linear projection; around them a shortcut if the shapes allow it."""

    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int) -> None:
        super().__init__()
        hidden = inputs * expansion
        layers = relu6(conv_bn(inputs, hidden, 1)) if expansion > 1 else []
        layers += relu6(conv_bn(hidden, hidden, 3, stride, hidden))
        self.body = nn.Sequential(*layers, *conv_bn(hidden, outputs, 1)[:2])
        self.shortcut = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.body(x) if self.shortcut else self.body(x)


def relu6(layers: list[nn.Module]) -> list[nn.Module]:
    return [nn.ReLU6() if isinstance(layer, nn.ReLU) else layer for layer in layers]


def make_divisible(channels: float) -> int:
    """The nearest multiple of 8 that is not more than a tenth below."""
    rounded = max(8, int(channels + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * channels else rounded


def lenet() -> nn.Module:
    layers = [nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()]
    return nn.Sequential(*layers, nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16 * 7 * 7, 10))


def ds_cnn() -> nn.Module:
    layers = [nn.Conv2d(1, 64, (10, 4), 2, (5, 1), bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    for _ in range(4):
        layers += separable(64, 64)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 12))


def resnet_8() -> nn.Module:
    stacks = [Residual(16, 16, 1), Residual(16, 32, 2), Residual(32, 64, 2)]
    return nn.Sequential(*conv_bn(3, 16, 3), *stacks, nn.AvgPool2d(8), nn.Flatten(), nn.Linear(64, 10))


def mobilenet_v1() -> nn.Module:
    layers = conv_bn(3, 8, 3, 2)
    plan = [(8, 16, 1), (16, 32, 2), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), *[(128, 128, 1)] * 5]
    for inputs, outputs, stride in (*plan, (128, 256, 2), (256, 256, 1)):
        layers += separable(inputs, outputs, stride)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 2))


#: Expansion, channels, repetitions, stride of the first. (Sandler et al. 2018, table 2)
MOBILENET_V2 = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


def mobilenet_v2(width: float = 0.35) -> nn.Module:
    inputs = make_divisible(32 * width)
    layers = relu6(conv_bn(3, inputs, 3, 2))
    for expansion, channels, count, stride in MOBILENET_V2:
        for i in range(count):
            outputs = make_divisible(channels * width)
            layers.append(InvertedResidual(inputs, outputs, stride if i == 0 else 1, expansion))
            inputs = outputs
    last = make_divisible(1280 * max(1.0, width))
    layers += relu6(conv_bn(inputs, last, 1))
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(last, 10))


def autoencoder() -> nn.Module:
    sizes = [640, 128, 128, 128, 128, 8, 128, 128, 128, 128]
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.BatchNorm1d(outputs), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(128, 640))


def normalized() -> nn.Module:
    layers = [nn.Conv2d(2, 6, 3, padding=1), nn.GroupNorm(3, 6), nn.ReLU()]
    layers += [nn.Conv2d(6, 4, 3, bias=False), nn.InstanceNorm2d(4, affine=True), nn.ReLU()]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(36, 8), nn.LayerNorm(8), nn.Linear(8, 3))


def normalized_rms() -> nn.Module:
    return nn.Sequential(nn.Linear(12, 8), nn.RMSNorm(8, eps=1e-5), nn.Tanh(), nn.Linear(8, 3))


@dataclass(frozen=True)
class Network:
    build: Callable[[], nn.Module]
    shape: tuple[int, ...]
    classes: int | None  # None: trained to give back its input
    measured: bool = False  # BatchNorm with the statistics of noise: without, a deep network's gradients fade to 1e-8
    data_seed: int = 3
    rate: float = 0.01

    def make(self) -> nn.Module:
        """Make it in eval mode, in which BatchNorm keeps its statistics."""
        torch.manual_seed(0)
        network = self.build()
        for module in network.modules():
            if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
                nn.init.normal_(module.running_mean, std=0.2)
                nn.init.uniform_(module.running_var, 0.5, 1.5)
            if "Norm" in type(module).__name__:  # an exporter makes equal tensors one
                nn.init.uniform_(module.weight, 0.7, 1.3)
                if getattr(module, "bias", None) is not None:
                    nn.init.normal_(module.bias, std=0.1)
        if self.measured:
            measure(network, self.shape)
        return network.eval()


def measure(network: nn.Module, shape: tuple[int, ...]) -> None:
    """Statistics of one batch of noise."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = 1.0
    with torch.no_grad():
        network.train()(torch.randn(4, *shape))


NETWORKS = {
    "lenet": Network(lenet, (1, 28, 28), 10),
    "ds_cnn": Network(ds_cnn, (1, 49, 10), 12),
    "resnet_8": Network(resnet_8, (3, 32, 32), 10),
    "mobilenet_v1": Network(mobilenet_v1, (3, 96, 96), 2),
    # A gradient jumps if rounding takes an element over a kink of ReLU6. The first batch of this seed keeps all 1.7
    # million elements before one away by 2.5e-6 (in float64; usual is 3e-7), and float32 takes none over. In later
    # batches some do cross: PyTorch's own float32 losses leave its float64 ones by 4e-2 in 5 steps at rate 1e-4,
    # by 6e-4 in 50 steps at rate 1e-6, by 6e-6 at 1e-7.
    "mobilenet_v2": Network(mobilenet_v2, (3, 128, 128), 10, measured=True, data_seed=384, rate=1e-7),
    "autoencoder": Network(autoencoder, (640,), None),
}

#: Small ones, of layers with statistics of the data.
NORMALIZED = {"normalized": Network(normalized, (2, 5, 5), 3), "normalized_rms": Network(normalized_rms, (12,), 3)}
