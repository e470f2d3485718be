"""Generates tests/support/data/quantized_torch_*.onnx, which tests read; kept so that they can be made again.

.venv/bin/pip install --no-deps torchao==0.18.0
.venv/bin/python tests/support/data/make_quantized_torch.py

Each is a PyTorch network that torchao quantized after torch.export, and PyTorch's exporter wrote as ONNX.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import onnx
import torch
from torch import nn
from torch.nn import functional as F
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import Quantizer
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86
from torchao.testing.pt2e import _xnnpack_quantizer as xnnpack

HERE = Path(__file__).resolve().parent
BATCH = 2


class Residual(nn.Module):
    """Convolutions with ReLU and ReLU6, one of them depthwise with a batch norm; an Add, a mean and a Linear."""

    shape = (1, 14, 14)

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, 8, 3, 2, 1)
        self.depthwise = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.norm = nn.BatchNorm2d(8)
        self.pointwise = nn.Conv2d(8, 8, 1)
        self.head = nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.first(x))
        x = x + self.pointwise(F.relu6(self.norm(self.depthwise(x))))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Branches(nn.Module):
    """Both pools, Concat, a gate (Sigmoid, Tanh, Mul), HardSwish and two Linear layers."""

    shape = (2, 8, 8)

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(2, 6, 3, padding=1, bias=False)
        self.gate, self.value = nn.Conv2d(12, 4, 1), nn.Conv2d(12, 4, 1)
        self.hidden, self.head = nn.Linear(64, 12), nn.Linear(12, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.hardswish(self.first(x))
        x = torch.cat([F.max_pool2d(x, 2), F.avg_pool2d(x, 2)], 1)
        x = torch.sigmoid(self.gate(x)) * torch.tanh(self.value(x))
        return self.head(torch.relu(self.hidden(x.flatten(1))))


def x86_quantizer() -> Quantizer:
    """Return a quantizer for uint8 activations, int8 weights per channel."""
    return x86.X86InductorQuantizer().set_global(x86.get_default_x86_inductor_quantization_config())


def xnnpack_quantizer(per_channel: bool) -> Quantizer:
    """Return a quantizer for int8 activations, symmetric int8 weights."""
    return xnnpack.XNNPACKQuantizer().set_global(xnnpack.get_symmetric_quantization_config(per_channel))


@dataclass(frozen=True)
class Case:
    network: type[nn.Module]
    name: str
    quantizer: Callable[[], Quantizer]

    @property
    def path(self) -> Path:
        return HERE / f"quantized_torch_{self.network.__name__.lower()}_{self.name}.onnx"


CASES = [
    Case(network, name, quantizer)
    for network in (Residual, Branches)
    for name, quantizer in {
        "uint8_per_channel": x86_quantizer,
        "int8_per_channel": lambda: xnnpack_quantizer(True),
        "int8_per_tensor": lambda: xnnpack_quantizer(False),
    }.items()
]


def exported(case: Case) -> onnx.ModelProto:
    torch.manual_seed(0)
    network, x = case.network().eval(), torch.randn(BATCH, *case.network.shape)
    free = ({0: torch.export.Dim("batch")},)
    prepared = prepare_pt2e(torch.export.export(network, (x,), dynamic_shapes=free).module(), case.quantizer())
    for _ in range(16):
        prepared(torch.randn(BATCH, *case.network.shape))
    program = torch.onnx.export(convert_pt2e(prepared), (x,), dynamo=True, dynamic_shapes=free, input_names=["x"])
    model = program.model_proto
    for thing in (*model.graph.node, *model.graph.value_info, model.graph):
        del thing.metadata_props[:]  # where each node stood in PyTorch: most of the file's bytes
    return model


def main() -> None:
    for case in CASES:
        onnx.save(exported(case), case.path)


if __name__ == "__main__":
    main()
