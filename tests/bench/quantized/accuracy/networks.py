"""The networks, in PyTorch: depthwise separable ones with ReLU6. They are pre-trained here once, and kept as ONNX."""

from __future__ import annotations

import hashlib
import itertools
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import numpy_helper

from gradmote.formats.files import make_build_folder, write_atomically

#: Names of the last layer's tensors.
HEAD = ("head.weight", "head.bias")
BATCH, RATE, MOMENTUM, DECAY = 64, 0.05, 0.9, 1e-4


@dataclass(frozen=True)
class Source:
    """The samples that a network learns before it goes to a device. x: (N, channels, height, width)."""

    name: str
    x: np.ndarray
    y: np.ndarray
    classes: int
    kernel: int | tuple[int, int] = 3
    epochs: int = 4

    def key(self) -> str:
        """Return a digest of all that the trained network comes from."""
        digest = hashlib.sha256(f"{self.classes} {self.kernel} {self.epochs} {BATCH} {RATE}".encode())
        for array in (self.x, self.y):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]


def pretrained(source: Source) -> onnx.ModelProto:
    """Return the trained network, batch norms folded; from build/ if an earlier run trained it."""
    kept = make_build_folder("pretrained") / f"quantized-{source.name}-{source.key()}.onnx"
    if not kept.exists():
        write_atomically(kept, train(source).SerializeToString(deterministic=True))
    return onnx.load(kept)


def with_new_head(model: onnx.ModelProto, classes: int, seed: int) -> onnx.ModelProto:
    """Return the network with a last layer for other classes, of small random weights."""
    made, random = onnx.ModelProto(), np.random.default_rng(seed)
    made.CopyFrom(model)
    for tensor in made.graph.initializer:
        if tensor.name in HEAD:
            old = numpy_helper.to_array(tensor)
            shape = (classes, *old.shape[1:])
            new = random.normal(0, 0.05, shape) if old.ndim > 1 else np.zeros(shape)
            tensor.CopyFrom(numpy_helper.from_array(new.astype(np.float32), tensor.name))
    del made.graph.value_info[:]
    made.graph.output[0].type.tensor_type.shape.dim[1].dim_value = classes
    return made


def train(source: Source) -> onnx.ModelProto:
    import torch
    from numeric.models.onnx_network import onnx_network

    torch.set_num_threads(1)
    torch.manual_seed(0)
    module = network(source.x.shape[1], source.kernel, source.classes)
    x, y = torch.from_numpy(source.x), torch.from_numpy(source.y.astype(np.int64))
    steps = source.epochs * (len(x) // BATCH)
    optimizer = torch.optim.SGD(module.parameters(), RATE, momentum=MOMENTUM, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    batches = (torch.randperm(len(x)).split(BATCH)[: len(x) // BATCH] for _ in range(source.epochs))
    for batch in itertools.chain.from_iterable(batches):
        loss = torch.nn.functional.cross_entropy(module(x[batch]), y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return onnx_network(folded(module.eval()), source.x.shape[1:])


def network(channels, kernel, classes):  # type: ignore[no-untyped-def]  # of PyTorch, which is imported late
    """A convolution, three separable ones, the mean, and the head."""
    from numeric.models.networks import conv_bn, relu6
    from torch import nn

    layers = conv_bn(channels, 16, kernel, 2)
    for inputs, outputs, stride in ((16, 32, 1), (32, 32, 2), (32, 48, 1)):
        layers += [*conv_bn(inputs, inputs, kernel, stride, inputs), *conv_bn(inputs, outputs, 1)]
    body = nn.Sequential(*relu6(layers))
    rest = {"mean": nn.AdaptiveAvgPool2d(1), "flatten": nn.Flatten(), "head": nn.Linear(48, classes)}
    return nn.Sequential(OrderedDict({"body": body, **rest}))


def folded(module):  # type: ignore[no-untyped-def]
    """Return the network without its batch norms, which are in the convolutions before them."""
    from torch import nn
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    layers: list[nn.Module] = []
    for layer in module.body:
        if isinstance(layer, nn.BatchNorm2d):
            layers[-1] = fuse_conv_bn_eval(layers[-1], layer)
        else:
            layers.append(layer)
    module.body = nn.Sequential(*layers)
    return module
