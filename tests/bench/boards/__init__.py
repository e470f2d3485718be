"""Flashes every emulated board, trains on it the largest of a few networks that fits, and writes docs/BOARDS.md.

    cd tests && PYTHONPATH=../site_scons python -m bench.boards [--board NAME]

What a board has learnt must be what its twin on this computer has, in the board's profile: to the byte. With --board,
only that board is tried, and the page stays as it is.
"""
