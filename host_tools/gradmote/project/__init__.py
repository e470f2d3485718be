"""The PlatformIO projects that `gradmote new` makes.

setup.py imports `sources` when only few packages are installed.
"""
