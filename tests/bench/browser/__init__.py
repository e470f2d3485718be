"""How fast training is in a page: beside ONNX Runtime Training Web and TensorFlow.js, in one run of Chromium.

    cd tests && python -m bench.browser [speed | cold | frames | sizes | page] [--json] [--quick]

Without a word: all of it. Figures go to bench/browser/results.json; the tables of docs/PERFORMANCE.md are drawn from
there, `page` does nothing else. `--quick` takes few and short rounds, and keeps nothing. It needs chromium, node, npm
and Python 3.11; the contestants are installed into build/bench_browser on first use, and the onnxruntime-training that
makes their artifacts into build/onnxruntime-web.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "site_scons"))
