"""PlatformIO projects of one's own: `gradmote new`. setup.py imports `sources` while little is installed."""
