"""The passes of the compiler, one per file, which pipeline.py lists in the order of execution."""
