"""Puts firmware on boards: the parts of an ELF file, the tools that program real parts, and emulated parts, which are
programmed over their debugger's port as a real one is."""
