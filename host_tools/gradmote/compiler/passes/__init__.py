"""One pass a file; pipeline.py lists them in the order in which they run."""
