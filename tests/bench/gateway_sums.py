"""Bytes and seconds of a gateway that sends one sum of its devices' deltas, beside all of the deltas.

cd tests && ../.venv/bin/python -m bench.gateway_sums 10 100 1000

The task is that of bench/federated.py: an MLP with 9,674 parameters, ten steps of 4 digits on each device, 4 bits.
"""

from __future__ import annotations

import hashlib
import sys
import time

import numpy as np
from bench.federated import BATCH, EACH, image, samples

from gradmote import Session
from gradmote.federated import DeltaSum, DeviceReply, RoundTask, Server
from gradmote.federated.replies import pack_rows
from gradmote.federated.summary import DeltaSummary, SumRequest


def deltas_of(model: bytes, devices: int) -> dict[str, bytes]:
    """Return what each device learns in the first round; one session plays all of them."""
    (x, labels), session, found = samples(), Session(model), {}
    initial = session.save()
    for number in range(devices):
        session.load(initial)
        rows = np.random.default_rng(number).permutation(len(x))[:EACH].reshape(-1, BATCH)
        for chosen in rows:
            session.step(x[chosen], labels[chosen])
        found[f"device-{number}"] = session.round_delta(4, number)
    return found


def exchanged(model: bytes, deltas: dict[str, bytes]) -> tuple[int, int, float, float]:
    """Return bytes up with sums and without, and the seconds of gateway and server that sums take."""
    server, plain = Server(model, sums=True), Server(model)
    digests = hashlib.sha256(model).digest(), 0, hashlib.sha256(server.base).digest()
    task = RoundTask(*digests, server.checkpoint(), sums=True)
    begun = time.process_time()
    reported = {name: DeltaSummary.of(delta, server.elements, task).pack() for name, delta in deltas.items()}
    at_gateway = time.process_time() - begun
    for name, summary in reported.items():
        server.add(name, summary, EACH)
        plain.add(name, deltas[name], EACH)
    begun = time.process_time()
    request, total = SumRequest(task.key, server.weights()), DeltaSum(server.elements)
    total.add_files([deltas[name] for name in request.weights], list(request.weights.values()))
    packed = total.pack()
    at_gateway += time.process_time() - begun
    begun = time.process_time()
    server.add_sum(request.weights, packed)
    server.finish()
    at_server = time.process_time() - begun
    plain.finish()
    assert server.base == plain.base
    with_sums, without = (_bytes(contents) for contents in (reported, deltas))
    return with_sums + len(packed), without, at_gateway, at_server


def _bytes(contents: dict[str, bytes]) -> int:
    rows = [DeviceReply(name, content, EACH, 0.5, 1.0) for name, content in contents.items()]
    return len(pack_rows(DeviceReply, rows))


def main() -> None:
    model = image()
    print("| Devices of a gateway | MB up, deltas | MB up, one sum | times fewer | gateway, s | server, s |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for devices in map(int, sys.argv[1:] or ["10", "100", "1000"]):
        up, without, at_gateway, at_server = exchanged(model, deltas_of(model, devices))
        print(f"| {devices:,} | {without / 1e6:.3f} | {up / 1e6:.3f} | {without / up:.1f} | {at_gateway:.2f} "
              f"| {at_server:.3f} |")  # fmt: skip


if __name__ == "__main__":
    main()
