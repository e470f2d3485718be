"""GridSample, which the pass rewrite_grid_sample replaces by sums of weighted elements."""

from .operator import Operator

LIMITS = (
    "cubic over two spatial dimensions only, and not with padding_mode border, where PyTorch and onnxruntime differ."
)

OPERATORS = [Operator("GridSample", becomes="GatherND, Mul, Add", limits=LIMITS)]
