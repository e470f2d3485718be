"""The compilers that build firmware: how to find them, and how to call them.

The search order is GCC on PATH, GCC among PlatformIO's packages, ziglang's clang next to this Python.
"""
