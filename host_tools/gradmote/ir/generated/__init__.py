"""The instructions, rendered from runtime_c/spec."""
