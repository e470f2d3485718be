"""How long a compile takes, by stage: `cd tests && python -m bench.compile_time`.

    python -m bench.compile_time --budget    # and the search for what fits
    python -m bench.compile_time install     # what `pip install` of the sources takes, the C runtime above all

The rows are graphs of support/deep_graphs.py with so many nodes, twice and four times as many, and MobileNetV2 1.0 with
96x96 pixels; --budget adds the search of `gradmote compile --ram 256K` for MobileNetV1-0.25. Seconds are those of the
processor, of one thread, and the least of --repeat runs: other programs on a computer make them longer. `install` makes
a wheel of the sources in a temporary folder, without ccache.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import onnx
from bench.speed import cases
from numeric.models.networks import Network, mobilenet_v2
from numeric.models.onnx_network import onnx_network

from gradmote import losses, optimizers
from gradmote.artifacts import Artifacts, build_artifacts
from gradmote.budget import Limits, Task, bytes_of, search
from gradmote.compiler import Options
from gradmote.compiler.compile import flatten
from gradmote.compiler.passes import pipeline
from gradmote.formats.image import lay_out, write_image
from gradmote.ir.collector import uncollected
from gradmote.ir.write import to_bytes
from support import own_wheel
from support.deep_graphs import GRAPHS

#: Returns what surrounds the work of a stage.
Stage = Callable[[str], AbstractContextManager[None]]
STAGES = ("artifacts", "files", "lowering", "passes", "plan", "image")
NODES = (750, 1500, 3000)
SHAPE = (3, 96, 96)


@uncollected
def compile_in_stages(model: onnx.ModelProto, stage: Stage) -> bytes:
    """Do what `gradmote artifacts` and `gradmote compile` do, each stage within `stage(name)`; return the image."""
    with stage("artifacts"):
        made = build_artifacts(model, None, losses.mse(), optimizers.adamw())
    with stage("files"):
        written(made)
    with stage("lowering"):
        compiled = flatten(made, Options(batch=1))
    with stage("passes"):
        pipeline.optimize(compiled)
    with stage("plan"):
        layout = lay_out(compiled)
    with stage("image"):
        return write_image(compiled, layout)


def written(made: Artifacts) -> list[bytes]:
    """The models as their files have them."""
    models = (made.models.training, made.models.evaluation, made.models.optimizer)
    return [to_bytes(model) for model in models if model is not None]


def seconds_of(model: onnx.ModelProto) -> dict[str, float]:
    """The seconds of the processor that each stage takes."""
    taken: dict[str, float] = {}

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        start = time.process_time()
        yield
        taken[name] = time.process_time() - start

    compile_in_stages(model, timed)
    return taken


def mobilenet() -> onnx.ModelProto:
    return onnx_network(Network(lambda: mobilenet_v2(1.0), SHAPE, 10).make(), SHAPE)


def models() -> Iterator[tuple[str, onnx.ModelProto]]:
    for name, graph in GRAPHS.items():
        yield from ((name, graph(nodes)) for nodes in NODES)
    yield "MobileNetV2", mobilenet()


def row(name: str, nodes: int, runs: list[dict[str, float]]) -> str:
    least = [min(run[stage] for run in runs) for stage in STAGES]
    total = min(sum(run.values()) for run in runs)
    return f"{name:<14}{nodes:>6}" + "".join(f"{seconds:>11.2f}" for seconds in (*least, total))


def budget_seconds() -> tuple[float, int]:
    """The seconds of a search, and how many choices it compiled."""
    network, start = cases.model("mobilenet_v1"), time.process_time()
    task = Task(network, losses.cross_entropy(), optimizers.adamw(), Options(batch=1))
    found = search(task, Limits(ram=bytes_of("256K")))
    return time.process_time() - start, len(found.tried)


def install_seconds() -> tuple[float, float]:
    """The seconds of the user and of the system that a wheel takes with all programs that pip starts, on one core."""
    os.environ["CCACHE_DISABLE"] = "1"
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        own_wheel.make(Path(folder))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime, used.ru_stime


def print_stages(only: str, repeat: int) -> None:
    print(f"{'graph':<14}{'nodes':>6}" + "".join(f"{stage:>11}" for stage in (*STAGES, "total")))
    for name, model in models():
        if only in name:
            print(row(name, len(model.graph.node), [seconds_of(model) for _ in range(repeat)]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("graphs", "install"), default="graphs")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each row")
    parser.add_argument("--budget", action="store_true", help="the search for what fits too")
    parser.add_argument("--only", default="", help="rows whose names have this in them")
    given = parser.parse_args()
    if given.what == "install":
        print("the wheel: {:.1f} s of the user, {:.1f} s of the system".format(*install_seconds()))
        return
    print_stages(given.only, given.repeat)
    if given.budget:
        print("MobileNetV1-0.25 cut to 256 KB: {:.1f} s, {} choices compiled".format(*budget_seconds()))


if __name__ == "__main__":
    main()
