"""The runtime's bindings for other languages, and the table of their states."""

import sys
from pathlib import Path

# Modules of rows build what they run; conftest.py gives pytest the folder.
sys.path.append(str(Path(__file__).resolve().parents[2] / "site_scons"))
