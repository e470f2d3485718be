"""The compilers that build firmware: where they are found, and how they are called.

GCC is looked for on PATH and among PlatformIO's packages, then ziglang's clang beside this Python.
"""
