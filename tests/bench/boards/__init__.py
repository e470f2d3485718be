"""Flashes every emulated board, trains on it the largest of a few networks that fits, and writes docs/BOARDS.md.

    cd tests && PYTHONPATH=../site_scons python -m bench.boards [--board NAME]

A board must learn to the byte what its twin on this computer learns, in the board's profile. With --board, only that
board is tried, and the page stays as it is.
"""
