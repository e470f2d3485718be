"""Collect nothing here if Flower is not installed; tests/flower/test_in_its_environment.py runs it then."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("flwr") else ["test_*.py"]
