"""The demonstrations on real data of `./run demo`. They need the extra `demo`."""
