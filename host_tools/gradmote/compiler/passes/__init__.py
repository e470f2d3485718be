"""The compiler's passes, one per file; pipeline.py lists them in order of execution."""
