"""Processes that are timed: each has one framework, and answers lines of JSON over its pipes (see serve.py). Those of
the peers run under an interpreter that has nothing of this project."""
