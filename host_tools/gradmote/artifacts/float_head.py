"""The last layer of a quantized model in float32, for training that must keep small steps there."""

from __future__ import annotations

import onnx

from ..errors import ModelError
from ..frontend import Source, load_model, quantized_constants, read_model, read_untied
from ..frontend.float_weights import make_float
from ..frontend.prepare import name_weights
from ..frontend.quantized_constants import separate_quantized
from ..rewrite.batch_norm import FROZEN
from .artifact_options import ArtifactOptions
from .schemes import layers


def with_float_head(model: Source, options: ArtifactOptions) -> onnx.ModelProto:
    """Return the model with the quantized weights of its last layer as float32.

    Raises ModelError if that layer has none.
    """
    proto = read_untied(model) if options.untie else read_model(model)
    name_weights(proto.graph)
    separate_quantized(proto.graph)
    forward = load_model(proto, options.outputs, options.batch_norm or FROZEN, inputs=options.inputs)
    known, last = quantized_constants(proto), layers(forward.graph)[-1:]
    real = {name: known[name].real for layer in last for name in layer.all() if name in known}
    if not real or any(array is None for array in real.values()):
        raise ModelError("a float head, but the last layer has no quantized weight", "leave --float-head out")
    make_float(proto.graph, {name: array for name, array in real.items() if array is not None})
    del proto.graph.value_info[:]
    return proto
