"""The node tests of onnx.backend.test under Gradmote, and what docs/OPERATORS.md says of them."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "site_scons"))  # as tests/conftest.py has it
