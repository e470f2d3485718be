"""The Python modules of this binding, for firmware with frozen modules.

Build with FROZEN_MANIFEST=.../manifest.py, or include(".../manifest.py") in a board's own manifest.
"""

module("gradmote_console.py", base_path="python")
module("gradmote_frames.py", base_path="generated")
module("gradmote_errors.py", base_path="generated")
