"""Demonstrations on real data: `./run demo`. They need the extra `demo`."""
