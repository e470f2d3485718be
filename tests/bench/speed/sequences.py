"""Steps of networks over sequences, a block of a transformer, an LSTM and a GRU: with one thread and two, in turns; and
the forward pass beside that of onnxruntime.

    cd tests && python -m bench.speed.sequences [NETWORK] [--rounds N] [--instructions]

Times of steps are those on the clock, so two threads need two idle processors. Passes of one thread are timed on the
processor's clock.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack

import numpy as np
import onnx
import onnxruntime
from rich.progress import track

from gradmote import Session, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.formats.image import read_image
from gradmote.report.bench.spread import Spread
from gradmote.terminal.terminal import console, table
from gradmote_runtime.timing import seconds_of_each
from support.oracle import make_model, node, values

BATCHES = (1, 8)
LENGTH, WIDTH, HEADS, CLASSES = 64, 64, 4, 10
#: One round takes so many seconds.
SECONDS = 0.05
#: Largest relative difference between the two forward passes.
TOLERANCE = 1e-3


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", nargs="?", choices=sorted(NETWORKS))
    parser.add_argument("--rounds", type=int, default=11, help="of each timing (default: 11)")
    parser.add_argument("--instructions", action="store_true", help="where the time of a step goes")
    chosen = parser.parse_args()
    cases = [(name, batch) for name in NETWORKS if chosen.network in (None, name) for batch in BATCHES]
    if chosen.instructions:
        for case in cases:
            console().print(table(f"{case[0]}, batch {case[1]}", instructions(*case, chosen.rounds)))
        return
    rows = [row(*case, chosen.rounds) for case in track(cases, transient=True, console=console())]
    columns = ["network", "batch#", "step µs#", "two threads µs#", "gain#", "forward µs#", "onnxruntime µs#", "ratio#"]
    console().print(table(f"sequences of {LENGTH}, width {WIDTH}", (columns, rows)))


# ---- Networks


def transformer(batch: int) -> onnx.ModelProto:
    """Return a block of attention with HEADS heads and a perceptron, each with a layer norm before it and a residual
    beside it; then a linear layer of the mean over the sequence."""
    heads = np.array([batch, LENGTH, HEADS, WIDTH // HEADS])
    weights = {name: values(at, WIDTH, WIDTH) / 8 for at, name in enumerate("qkvo")}
    weights |= {"up": values(5, WIDTH, 4 * WIDTH) / 8, "down": values(6, 4 * WIDTH, WIDTH) / 16}
    weights |= {"out": values(7, WIDTH, CLASSES), "root": np.float32((WIDTH // HEADS) ** -0.5), "heads": heads,
                "row": np.array([batch, LENGTH, WIDTH]), "sequence": np.array([1])}  # fmt: skip
    weights |= {f"{kind}{i}": np.full(WIDTH, value, np.float32) for kind, value in (("s", 1), ("b", 0)) for i in (1, 2)}
    nodes = [node("LayerNormalization", "x s1 b1", "n1", axis=-1)]
    for name, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        nodes += [node("MatMul", f"n1 {name}", f"{name}1"), node("Reshape", f"{name}1 heads", f"{name}2"),
                  node("Transpose", f"{name}2", f"{name}3", perm=order)]  # fmt: skip
    nodes += [
        node("MatMul", "q3 k3", "scores"), node("Mul", "scores root", "scaled"),
        node("Softmax", "scaled", "attention", axis=-1), node("MatMul", "attention v3", "mixed"),
        node("Transpose", "mixed", "beside", perm=[0, 2, 1, 3]), node("Reshape", "beside row", "joined"),
        node("MatMul", "joined o", "projected"), node("Add", "x projected", "r1"),
        node("LayerNormalization", "r1 s2 b2", "n2", axis=-1), node("MatMul", "n2 up", "u1"),
        node("Relu", "u1", "u2"), node("MatMul", "u2 down", "d1"), node("Add", "r1 d1", "r2"),
        node("ReduceMean", "r2 sequence", "mean", keepdims=0), node("MatMul", "mean out", "y"),
    ]  # fmt: skip
    return make_model(nodes, weights, {"x": (batch, LENGTH, WIDTH)})


def recurrent(kind: str, gates: int) -> Callable[[int], onnx.ModelProto]:
    """A recurrent layer, and a linear one of its last state."""

    def network(batch: int) -> onnx.ModelProto:
        weights = {"w": values(1, 1, gates * WIDTH, WIDTH) / 8, "r": values(2, 1, gates * WIDTH, WIDTH) / 8}
        weights |= {"out": values(3, WIDTH, CLASSES), "direction": np.array([0])}
        nodes = [node("Transpose", "x", "t", perm=[1, 0, 2]), node(kind, "t w r", "- h", hidden_size=WIDTH),
                 node("Squeeze", "h direction", "last"), node("MatMul", "last out", "y")]  # fmt: skip
        return make_model(nodes, weights, {"x": (batch, LENGTH, WIDTH)})

    return network


NETWORKS = {"transformer": transformer, "LSTM": recurrent("LSTM", 4), "GRU": recurrent("GRU", 3)}


# ---- Times


def compiled(network: str, batch: int) -> tuple[bytes, bytes]:
    """The model, and its image for AdamW."""
    model = NETWORKS[network](batch)
    artifacts = build_artifacts(model, None, losses.cross_entropy(), optimizers.adamw(1e-9))
    return model.SerializeToString(), compile_image(artifacts, Options(batch=batch)).image


def prepared(image: bytes, batch: int, threads: int = 1) -> Session:
    """A session that has a batch in place, and has done a step."""
    session = Session(image, "fused", threads)
    session.set_input(0, values(9, batch, LENGTH, WIDTH))
    session.set_label(0, np.arange(batch) % CLASSES)
    session.step()
    return session


def row(network: str, batch: int, rounds: int) -> list[str]:
    """A line of the table."""
    model, image = compiled(network, batch)
    with ExitStack() as stack:
        alone, both = (stack.enter_context(prepared(image, batch, threads)) for threads in (1, 2))
        steps = in_turns([alone.step, both.step], time.perf_counter, rounds)
        forward = in_turns([lambda: alone.infer(), onnxruntime_run(model, batch, alone)], time.process_time, rounds)
    gain, ratio = Spread.of_ratios(*steps), Spread.of_ratios(forward[1], forward[0])
    micro = [f"{1e6 * Spread.of(taken).median:,.0f}" for taken in (*steps, *forward)]
    return [network, str(batch), *micro[:2], f"{gain.median:.2f}", *micro[2:], f"{ratio.median:.2f}"]


def onnxruntime_run(model: bytes, batch: int, session: Session) -> Callable[[], object]:
    """Return the same forward pass in onnxruntime, with one thread. Raise SystemExit if it has another result."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    other = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    feeds = {"x": values(9, batch, LENGTH, WIDTH)}
    expected, found = other.run(None, feeds)[0], np.asarray(session.infer(feeds["x"])[0])
    if not np.allclose(found, expected, TOLERANCE, TOLERANCE * np.abs(expected).max()):
        raise SystemExit(f"onnxruntime computes something else: {np.abs(found - expected).max()}")
    return lambda: other.run(None, feeds)


def in_turns(runs: list[Callable[[], object]], clock: Callable[[], float], rounds: int) -> list[list[float]]:
    """Seconds of one run of each, in each round."""
    times = max(1, round(SECONDS / seconds(runs[0], clock, 3)))
    taken = [[seconds(run, clock, times) for run in runs] for _ in range(rounds)]
    return [list(column) for column in zip(*taken, strict=True)]


def seconds(run: Callable[[], object], clock: Callable[[], float], times: int) -> float:
    start = clock()
    for _ in range(times):
        run()
    return (clock() - start) / times


def instructions(network: str, batch: int, rounds: int) -> tuple[list[str], list[list[str]]]:
    """Return what the instructions of each opcode take of a step, the most first."""
    _, image = compiled(network, batch)
    program = next(p for p in read_image(image).programs if p["kind"] == "step")["instructions"]
    with prepared(image, batch) as session:
        taken = np.array([seconds_of_each(session, "step", len(program)) for _ in range(rounds)])
    found: dict[str, list[float]] = defaultdict(list)
    for instruction, once in zip(program, np.median(taken, 0), strict=True):
        found[instruction["opcode"]].append(once)
    ranked = sorted(found.items(), key=lambda item: -sum(item[1]))
    return ["opcode", "instructions#", "µs#"], [[name, str(len(t)), f"{1e6 * sum(t):,.1f}"] for name, t in ranked]


if __name__ == "__main__":
    main()
