"""Int8 networks: which ones are taken, how well they learn, and in how much memory.

    cd tests && python -m bench.quantized COMMAND

Each command is a module of the folder `commands`, and has its own --help.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "site_scons")]
sys.path.append(str(ROOT / "examples"))
