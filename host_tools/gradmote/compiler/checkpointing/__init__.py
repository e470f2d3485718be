"""Checkpointing: which values of a training program are kept, and which are recomputed when needed.

`problem` says what can be recomputed and at what cost, `walk` runs a plan, `search` looks for plans, and `rewrite`
turns a plan into a program.
"""

from .problem import Cost, Problem, problem_of
from .rewrite import rewritten
from .search import Point, Search
from .walk import Plan

__all__ = ["Cost", "Plan", "Point", "Problem", "Search", "problem_of", "rewritten"]
