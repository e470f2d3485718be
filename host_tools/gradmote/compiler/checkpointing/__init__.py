"""Checkpointing: which values of a training program are kept, and which are made again when they are needed.

`problem` says what can be made again and what that costs, `walk` runs a plan, `search` looks for plans, and `rewrite`
makes a program of one.
"""

from .problem import Cost, Problem, problem_of
from .rewrite import rewritten
from .search import Point, Search
from .walk import Plan

__all__ = ["Cost", "Plan", "Point", "Problem", "Search", "problem_of", "rewritten"]
