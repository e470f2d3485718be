"""The version of this package, as `gradmote version` prints it."""

__version__ = "0.1.0"
