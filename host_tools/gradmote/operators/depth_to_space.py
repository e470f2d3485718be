"""DepthToSpace and SpaceToDepth: the pass rewrite_depth_space makes Reshape and Transpose of them."""

from .operator import Operator

OPERATORS = [Operator(name, becomes="Reshape, Transpose") for name in ("DepthToSpace", "SpaceToDepth")]
