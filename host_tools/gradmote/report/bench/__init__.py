"""The speed of an image: timed on the host's twin, counted on emulated boards, kernel by kernel."""
