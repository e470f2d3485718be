"""DepthToSpace and SpaceToDepth, which the pass rewrite_depth_space replaces.

It writes Reshape and Transpose instead.
"""

from .operator import Operator

OPERATORS = [Operator(name, becomes="Reshape, Transpose") for name in ("DepthToSpace", "SpaceToDepth")]
