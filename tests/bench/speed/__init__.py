"""How fast training is: on this computer beside onnxruntime-training and PyTorch, also through the classes of the
former; on emulated boards, in machine instructions; how much sooner large batches are done by several threads; and how
fast WebAssembly is in node.

    cd tests && python -m bench.speed [host | ort | boards | roofline | layers | threads | wasm | page]

Without a word: all of it. Figures go to bench/speed/results.json; the tables of docs/PERFORMANCE.md and its picture are
drawn from there, `page` does nothing else. `scons bench` does all of it.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "site_scons"))
