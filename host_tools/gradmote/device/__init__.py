"""Boards and their twin: the serial protocol, the emulator, and one interface to train on any of them."""
