"""The programming of boards: firmware files, the tools for real parts, and emulated parts.

An emulated part is programmed over its debugger's port, as a real one is.
"""
