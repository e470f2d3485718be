"""The compiler's passes, one per file, or one for small ones of a kind; pipeline.py lists them in their order."""
