"""The costs of the rounds of examples/federated_watch.py: the line that they go over, and what quantization loses.

cd tests && ../.venv/bin/python -m bench.watch_rounds line                # an emulated board at 115,200 baud
cd tests && ../.venv/bin/python -m bench.watch_rounds unquantized 0 1 2   # seeds; float32 beside 4 bits
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))

from federated_watch import Watch, accuracy, teach

from gradmote import Session
from gradmote.device import BoardTarget
from gradmote.device.client import Client
from gradmote.device.emulator import Emulator
from gradmote.federated import Server, fedavg
from support.paced_link import PacedLink

from demo.watch_data import SUBJECTS, LeftOut, leave_out
from demo.watch_model import BATCH, compile_for, network, training

ROUNDS, EPOCHS, BITS, MOMENTUM = 30, 2, 4, 0.5


# ---- The line


def line(repeats: int = 5) -> str:
    """Return seconds and bytes of a round's messages on a line of 115,200 baud, the round with the least seconds.

    A board sends its delta and gets the server's, both in 4 bits. Frames and their answers are counted.
    """
    rows = []
    with Emulator() as emulator, BoardTarget(Client(paced := PacedLink(emulator.take_link()))) as board:
        image = compile_for(network(), training("all")).image
        board.load_image(image)
        server, drawn = Server(image, bits=BITS), np.random.default_rng(0)
        for number in range(repeats):
            board.write("input", 0, drawn.normal(size=(BATCH, 6, 100)).astype(np.float32))
            board.write("label", 0, drawn.integers(0, 7, BATCH).astype(np.int32))
            board.run("step")
            rows.append(one_round(board, server, paced, number))
    lines = ["| 4 bits, 115,200 baud | s, least | B to the server | B to the board |", "| --- | ---: | ---: | ---: |"]
    for name, ways in (("delta up", [0]), ("new base down", [1]), ("both", [0, 1])):
        seconds, to_server, to_board = min(tuple(sum(row[way][at] for way in ways) for at in range(3)) for row in rows)
        lines.append(f"| {name} | {seconds:.2f} | {to_server:,.0f} | {to_board:,.0f} |")
    return "\n".join(lines)


def one_round(board: BoardTarget, server: Server, paced: PacedLink, number: int) -> list[tuple[float, int, int]]:
    """Return seconds, bytes to the server and bytes to the board of the delta's way up, then of the base's way down."""
    marks = [(time.perf_counter(), paced.up, paced.down)]
    delta = board.round_delta(BITS, number)
    marks.append((time.perf_counter(), paced.up, paced.down))
    server.add("board", delta, BATCH)
    answer = server.finish()
    marks.append((time.perf_counter(), paced.up, paced.down))
    board.end_round(answer)
    marks.append((time.perf_counter(), paced.up, paced.down))
    if bytes(board.parameters()) != server.base:
        raise RuntimeError("the board is not at the server's base")
    ways = [tuple(after - before for before, after in zip(marks[at], marks[at + 1])) for at in (0, 2)]
    return [(float(seconds), int(up), int(down)) for seconds, up, down in ways]


# ---- What quantization loses


def unquantized(seeds: list[int]) -> str:
    """Return the table of a new person's accuracy after 30 rounds, mean of ten people left out.

    Points are those that 4 bits have above float32.
    """
    lines = ["| Seed | 4 bits up, 8 down | float32 both ways | points |", "| ---: | ---: | ---: | ---: |"]
    found = []
    for seed in seeds:
        pair = [statistics.fmean(share(person, seed) for person in SUBJECTS) for share in (in_bits, in_floats)]
        found.append(pair)
        lines.append(_row(str(seed), *pair))
        print(lines[-1], file=sys.stderr, flush=True)
    lines.append(_row("mean", *(statistics.fmean(column) for column in zip(*found))))
    return "\n".join(lines)


def _row(name: str, bits: float, floats: float) -> str:
    return f"| {name} | {100 * bits:.1f} | {100 * floats:.1f} | {100 * (bits - floats):+.1f} |"


def watches_of(image: bytes, people: LeftOut) -> list[Watch]:
    """Return the watches of nine people, as the example has them."""
    return [Watch(n, Session(image, ("fused", "strict")[n % 2]), own) for n, own in enumerate(people.each)]


def in_bits(person: int, seed: int) -> float:
    """Return the share that the example reaches."""
    image, people = compile_for(network(seed), training("all")).image, leave_out(person)
    server, watches = Server(image, fedavg(momentum=MOMENTUM), bits=8), watches_of(image, people)
    teach(server, watches, ROUNDS, EPOCHS, BITS, seed, f"person {person}")
    return accuracy(watches[0].session, people.own)


def in_floats(person: int, seed: int) -> float:
    """Return the share that the same watches reach if nothing that is sent is quantized.

    A plain loop with float64 means, whose weights and momentum are those of the server. Updates are float32, and so
    is the base that the watches get.
    """
    image, people = compile_for(network(seed), training("all")).image, leave_out(person)
    watches, weights = watches_of(image, people), [len(own.y) for own in people.each]
    base = parameters(watches[0].session).astype(np.float64)
    velocity = np.zeros_like(base)
    for number in range(ROUNDS):
        updates = []
        for watch in watches:
            watch.session.set_parameters(base.astype(np.float32))
            watch.session.begin_round(number)  # the order of its samples depends on the round
            watch.train(EPOCHS, seed)
            updates.append((parameters(watch.session) - base.astype(np.float32)).astype(np.float64))
        velocity = MOMENTUM * velocity + mean(updates, weights)
        base += velocity
    watches[0].session.set_parameters(base.astype(np.float32))
    return accuracy(watches[0].session, people.own)


def mean(updates: list[np.ndarray], weights: list[int]) -> np.ndarray:
    """Return the weighted mean; an update above the median norm weighs less by that factor, as in Server."""
    norms = [float(np.linalg.norm(update)) for update in updates]
    limit = statistics.median(norms)
    parts = [weight * min(1.0, limit / norm) for weight, norm in zip(weights, norms)]
    return np.average(updates, axis=0, weights=parts)


def parameters(session: Session) -> np.ndarray:
    """Return a copy of all parameters, (9751,) float32."""
    return np.frombuffer(bytes(session.parameters().cast("B")), np.float32)


def main() -> None:
    """Print what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["line", "unquantized"])
    parser.add_argument("seeds", nargs="*", type=int, help="for unquantized")
    given = parser.parse_args()
    print(line() if given.what == "line" else unquantized(given.seeds or [0, 1, 2]))


if __name__ == "__main__":
    main()
