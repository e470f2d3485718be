"""DepthToSpace and SpaceToDepth: the pass rewrite_depth_space makes Reshape and Transpose of them."""

from .operator import Operator

OPERATORS = [Operator("DepthToSpace"), Operator("SpaceToDepth")]
