"""OneHot: the pass rewrite_one_hot makes it comparisons."""

from .operator import Operator

OPERATORS = [Operator("OneHot", constants=(1,))]
