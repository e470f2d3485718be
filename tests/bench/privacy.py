"""The costs of noise for differential privacy: the tables of docs/FEDERATED.md, epsilon and accuracy.

cd tests && ../.venv/bin/python -m bench.privacy epsilon      # some seconds
cd tests && ../.venv/bin/python -m bench.privacy accuracy     # five minutes

1,000 devices learn scikit-learn's digits, with an MLP 64-32-10 of 2,410 parameters. Each device draws 40 samples in
classes of its own (Dirichlet, 1), and makes ten steps of 4 samples in a round, in which 100 are expected. Devices share
samples, so that there can be many of them: the tables say what noise does to accuracy, and not that these digits are
private. Epsilon is computed by dp-accounting, in build/flower, whose dependencies do not conflict with it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
from pathlib import Path

from bench.federated import EACH, FLOWER, image, samples

LAYERS = (64, 32, 10)
ROUNDS, SEEDS = 30, (0, 1, 2)
#: The deviations of the noise in clipping norms.
NOISE = (0.5, 1.0, 2.0, 4.0, 8.0)
#: Devices, and how many of them are expected in a round; accuracy is that of the first.
SIZES = ((1_000, 100), (10_000, 1_000), (100_000, 1_000))
#: The clipping norms. Without noise, half of the deltas are longer than 0.54 in the first round, and than 0.30 in the
#: last one.
NORMS = (0.25, 0.5, 1.0)


def epsilon(devices: int, expected: int, noise: float) -> float:
    """Return epsilon after all rounds for delta = devices^-1.1 by Renyi accounting, for one device more or less.

    noise: the deviation of the sum's noise in clipping norms. Each device takes part with the probability
    expected / devices, on its own (Poisson sampling).
    """
    from dp_accounting import dp_event, rdp

    accountant = rdp.RdpAccountant()
    noisy = dp_event.GaussianDpEvent(noise)
    accountant.compose(dp_event.PoissonSampledDpEvent(expected / devices, noisy), ROUNDS)
    return float(accountant.get_epsilon(devices**-1.1))


def epsilons() -> list[list[float]]:
    """Return epsilon of each size and noise, computed in the environment of Flower."""
    code = "import json; from bench.privacy import *; "
    code += "print(json.dumps([[epsilon(*size, noise) for noise in NOISE] for size in SIZES]))"
    root = Path(__file__).parents[2]
    paths = os.pathsep.join(str(root / part) for part in ("host_tools", "bindings/python", "tests"))
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run([FLOWER, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def accuracy(noise: float | None, norm: float, seed: int) -> float:
    """Return the accuracy in % after all rounds, on digits that no device has. noise: None for a server without it."""
    from gradmote.data.dataset import Dataset
    from gradmote.federated import GaussianNoise, Server
    from gradmote.federated.partition import drawn_unlike
    from gradmote.federated.simulate import Settings, Simulation

    (x, y), model, (devices, expected) = samples(), image(LAYERS), SIZES[0]
    data = Dataset(x[:1400], y[:1400], x[1400:], y[1400:])
    parts = drawn_unlike(data.y, devices, EACH, 1.0, seed)
    server = Server(model, privacy=None if noise is None else GaussianNoise(norm, noise, expected))
    *_, last = Simulation(server, model, data, parts, Settings(taking_part=expected, seed=seed)).run(ROUNDS)
    return 100 * last.test.accuracy


def table_of_epsilon() -> str:
    """Return epsilon of each number of devices."""
    lines = ["| Devices | a round | " + " | ".join(f"noise {noise:g}" for noise in NOISE) + " |"]
    lines.append("| ---: " * (len(NOISE) + 2) + "|")
    for (devices, expected), spent in zip(SIZES, epsilons()):
        lines.append(f"| {devices:,} | {expected:,} | {' | '.join(f'{value:.2f}' for value in spent)} |")
    return "\n".join(lines)


def table_of_accuracy() -> str:
    """Return the mean accuracy of all seeds, and in brackets the least, of each noise and clipping norm."""
    lines = ["| Noise | epsilon | " + " | ".join(f"norm {norm:g}" for norm in NORMS) + " |"]
    lines.append("| ---: " * (len(NORMS) + 2) + "|")
    for noise, spent in zip(NOISE, epsilons()[0]):
        cells = [shown([accuracy(noise, norm, seed) for seed in SEEDS]) for norm in NORMS]
        lines.append(f"| {noise:g} | {spent:.2f} | {' | '.join(cells)} |")
    return "\n".join([*lines, f"without privacy: {shown([accuracy(None, 1, seed) for seed in SEEDS])}"])


def shown(found: list[float]) -> str:
    """Return the mean, and the least in brackets."""
    return f"{statistics.mean(found):.1f} ({min(found):.1f})"


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["epsilon", "accuracy"])
    print({"epsilon": table_of_epsilon, "accuracy": table_of_accuracy}[parser.parse_args().what]())


if __name__ == "__main__":
    main()
