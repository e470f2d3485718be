"""Programs boards: firmware files, the tools for real parts, and emulated parts.

The debugger's port programs an emulated part, as with a real one.
"""
