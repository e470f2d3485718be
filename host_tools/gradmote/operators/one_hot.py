"""OneHot, which the pass rewrite_one_hot replaces by comparisons."""

from .operator import Operator

OPERATORS = [Operator("OneHot", constants=(1,))]
