"""The cases that are measured: networks, batches, and who trains them."""

from __future__ import annotations

from dataclasses import dataclass

from bench.speed import cases
from bench.speed.host import TIMED_RATE

NETWORKS = ("mlp", "lenet", "ds_cnn")
BATCHES = (1, 32)
#: The image's update rule; TensorFlow.js has Adam, without weight decay.
RULE = "adamw_ort"
#: Of the losses of two contestants, relative. In the first step only the order of sums differs.
TOLERANCE = 1e-3


@dataclass(frozen=True)
class Case:
    """A network that is trained on batches of some size."""

    network: str
    batch: int


@dataclass(frozen=True)
class Contestant:
    """Who trains, and by which page."""

    name: str
    page: str
    form: str = ""

    def address(self, case: Case, *, is_timed: bool = False) -> str:
        """Return the page's address with the case that it is to open. is_timed: with the rate of timed steps."""
        rate = TIMED_RATE if is_timed else cases.RATE
        return f"pages/{self.page}.html?network={case.network}&batch={case.batch}&form={self.form}&rate={rate}"


SIMD = Contestant("simd", "gradmote", "simd")
PLAIN = Contestant("plain", "gradmote", "plain")
ORT = Contestant("ORT Training Web", "ort")
TFJS_WASM = Contestant("TensorFlow.js, wasm", "tfjs", "wasm")
TFJS_CPU = Contestant("TensorFlow.js, cpu", "tfjs", "cpu")
#: A page that loads no trainer, and so what any page takes.
NOTHING = Contestant("an empty page", "nothing")
OWN = (SIMD, PLAIN)
ALL = (SIMD, PLAIN, ORT, TFJS_WASM, TFJS_CPU)

CASES = [Case(network, batch) for network in NETWORKS for batch in BATCHES]
