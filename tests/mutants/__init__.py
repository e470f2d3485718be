"""Small faults that are put into the project to see which tests find them: `python -m mutants`, in tests/."""
