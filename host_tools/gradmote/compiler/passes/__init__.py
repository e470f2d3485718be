"""The passes of the compiler, one a file; pipeline.py lists them in the order in which they run."""
