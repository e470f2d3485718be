"""How fast an image runs: timed on this computer's twin, counted on emulated boards, told kernel by kernel."""
