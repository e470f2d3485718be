"""The command `gradmote federate simulate`, which lets many devices learn together on this computer."""

from __future__ import annotations

import math
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import DataError
from ...terminal.printable import finite
from .. import options as o
from ..compiler import Compiler, with_compiler
from ..messages import is_quiet
from ..output import require_apart, say, say_json
from ..samples import SampleOptions, print_notes, with_samples
from ..stopping import Stop, stopping

if TYPE_CHECKING:
    import numpy as np

    from ...data.dataset import Dataset
    from ...federated import GaussianNoise
    from ...federated.simulate import Round, Simulation
    from ...formats.files import Output

IMAGE = ".mote"
#: The formats of --plot.
SVG, HTML = ".svg", ".html"


class Bits(str, Enum):
    """The bits of a number in a delta."""

    two = "2"
    four = "4"
    eight = "8"


class ServerRule(str, Enum):
    """The rule by which the server applies the mean of all deltas."""

    fedavg = "fedavg"
    fedadam = "fedadam"


class Attack(str, Enum):
    """The deltas that attackers send."""

    opposite = "opposite"
    huge = "huge"
    nan = "nan"


Model = Annotated[
    Path,
    typer.Argument(exists=True, dir_okay=False, help="A compiled .mote, or a .onnx to compile with these options."),
]
Data = Annotated[Path, typer.Option("--data", exists=True, help="The samples of all devices, as for `gradmote train`.")]
Devices = Annotated[int, typer.Option("--devices", min=1, help="Among how many devices the samples are divided.")]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="NAME",
        help="A device for each value of this array of an .npz, or column of a .csv, such as a person's number. Use "
        "it instead of --devices.",
    ),
]
Alpha = Annotated[
    float | None,
    typer.Option(
        "--dirichlet",
        metavar="ALPHA",
        help="Give each device its own mix of classes (not IID): 0.1 mostly one or two, 100 all alike.",
    ),
]
Each = Annotated[
    int | None,
    typer.Option(
        "--samples-each",
        min=1,
        metavar="N",
        help="Each device draws N of all samples, which others may draw too; by default no two devices share one.",
    ),
]
Rounds = Annotated[int, typer.Option("--rounds", min=1, help="Rounds.")]
Epochs = Annotated[int, typer.Option("--epochs", min=1, help="Passes of each device over its samples in a round.")]
Up = Annotated[Bits, typer.Option("--bits", help="Bits of each number that devices send.")]
Down = Annotated[Bits, typer.Option("--down-bits", help="Bits of each number that they receive.")]
TakingPart = Annotated[
    int | None, typer.Option("--taking-part", min=1, metavar="N", help="Ask N devices in each round; else all.")
]
Rule = Annotated[ServerRule, typer.Option("--server", help="What the server does with the mean of all deltas.")]
ServerRate = Annotated[
    float | None, typer.Option("--server-lr", help="Its learning rate: 1 by default, 0.01 for fedadam.")
]
Momentum = Annotated[float, typer.Option("--server-momentum", min=0, max=0.999, help="The momentum of fedavg.")]
Attackers = Annotated[int, typer.Option("--attackers", min=0, metavar="N", help="How many of the devices attack.")]
Attacks = Annotated[
    Attack, typer.Option("--attack", help="What attackers do to what they learned: times -20, times 1e30, or NaN.")
]
RefuseAbove = Annotated[
    float,
    typer.Option(
        "--refuse-above",
        metavar="TIMES",
        help="Leave out deltas more than this many times as long as the median one; 0 leaves out none.",
    ),
]
ClippingNorm = Annotated[
    float | None,
    typer.Option(
        "--clipping-norm",
        metavar="NORM",
        help="Differential privacy: shorten longer deltas to this norm, and count all devices the same. Goes "
        "with --noise-multiplier.",
    ),
]
NoiseMultiplier = Annotated[
    float | None,
    typer.Option(
        "--noise-multiplier",
        metavar="TIMES",
        help="Add noise of this many times the clipping norm to the sum of all deltas, such as 1. It differs in "
        "each run (needs gradmote[privacy]).",
    ),
]
Draw = Annotated[
    int,
    typer.Option(
        "--draw", min=0, max=2**32 - 1, metavar="SEED",
        help="Seed of all that is drawn: who has which samples, their order, who takes part. Same seed, same bits.",
    ),
]  # fmt: skip
Checkpoint = Annotated[Path | None, typer.Option("--checkpoint", help="Write what all learned together here (.gmck).")]
Plot = Annotated[
    Path | None, typer.Option("--plot", help="Draw accuracy and loss here: a .svg, or a .html with the table.")
]


@with_compiler
@with_samples
def command(
    *,
    model: Model,
    data: Data,
    devices: Devices = 10,
    by: By = None,
    dirichlet: Alpha = None,
    samples_each: Each = None,
    rounds: Rounds = 10,
    epochs: Epochs = 1,
    bits: Up = Bits.four,
    down_bits: Down = Bits.eight,
    taking_part: TakingPart = None,
    server: Rule = ServerRule.fedavg,
    server_lr: ServerRate = None,
    server_momentum: Momentum = 0.0,
    attackers: Attackers = 0,
    attack: Attacks = Attack.opposite,
    refuse_above: RefuseAbove = 5.0,
    clipping_norm: ClippingNorm = None,
    noise_multiplier: NoiseMultiplier = None,
    draw: Draw = 0,
    checkpoint: Checkpoint = None,
    plot: Plot = None,
    sample_options: SampleOptions,
    compiler: Compiler,
    as_json: o.AsJson = False,
) -> None:
    """Let many devices learn together on this computer, without an app: a first look at federated learning.

    How well does it work if each device has mostly one or two classes? `gradmote federate simulate
    model.onnx --loss cross_entropy --lr 0.05 --batch 4 --data digits.npz --devices 100 --dirichlet 0.3`

    What if one of them attacks? Add `--attackers 1`, and then `--refuse-above 0`.

    What does differential privacy cost? `--taking-part 20 --clipping-norm 0.5 --noise-multiplier 1`
    lets each device take part with probability 20 / devices. docs/FEDERATED.md explains the guarantee.

    Devices are twins, bitwise equal to boards. One twin plays all of them in turn, so that memory
    stays small with any number of devices. Their optimizers' moments begin at zero in each round.
    Tests use x_test and y_test of the data, or else the samples that devices learn from.
    """
    from ...federated import Server, optimizer_of
    from ...federated.simulate import Settings, Simulation
    from ...formats.files import Output

    rule = optimizer_of(server.value, server_lr, server_momentum)
    form = _plot_form(plot)
    for path in (checkpoint, plot):
        require_apart(path, model, data, *sample_options.files())
    kept, drawn = (None if path is None else Output(path) for path in (checkpoint, plot))
    samples, image = _opened(model, data, compiler, sample_options, by)
    parts = _parts(samples, devices, by, dirichlet, samples_each, draw)
    settings = Settings(epochs, int(bits.value), taking_part, attackers, attack.value, draw)
    privacy = _privacy(clipping_norm, noise_multiplier, taking_part or len(parts))
    made = Server(image, rule, int(down_bits.value), refuse_above=refuse_above or None, privacy=privacy)
    simulation = Simulation(made, image, samples, parts, settings)
    if samples.x_test is None and not is_quiet():
        o.tell("the data has no x_test: accuracy is that on the samples that devices learn from")
    with stopping() as stop:
        done = _run(simulation, rounds, as_json, stop)
        _write(simulation, done, model.name, form, kept, drawn)
        _report(simulation, done, as_json, stop)
        stop.leave()


# ---- Before the first round


def _privacy(norm: float | None, noise: float | None, devices: int) -> GaussianNoise | None:
    """Return the server's noise; None without any. Raises DataError for one setting without the other."""
    from ...federated import GaussianNoise

    if norm is None and noise is None:
        return None
    if norm is None or noise is None:
        given, other = ("noise-multiplier", "clipping-norm") if norm is None else ("clipping-norm", "noise-multiplier")
        raise DataError(f"--{given} without --{other}", "give both, or none of them")
    return GaussianNoise(norm, noise, devices)


def _plot_form(plot: Path | None) -> str:
    """Return the format of the plot by its suffix. Raises DataError for any other."""
    suffix = SVG if plot is None else plot.suffix.lower()
    if suffix not in (SVG, HTML):
        raise DataError(f"--plot {plot} is neither {SVG} nor {HTML}", "name it rounds.svg, or rounds.html")
    return suffix


def _opened(
    model: Path, data: Path, compiler: Compiler, sample_options: SampleOptions, by: str | None
) -> tuple[Dataset, bytes]:
    """Return samples and image after checking that they fit each other."""
    from ...data.check import require_fit
    from ...data.expected import expected_of_image
    from ...formats.image.read import load

    image = load(model) if model.suffix == IMAGE else compiler(model).image
    expected = expected_of_image(image, model.name)
    samples = sample_options.read(data, expected, by)
    print_notes(samples)
    require_fit(samples, expected)
    return samples, image


def _parts(
    data: Dataset, devices: int, by: str | None, alpha: float | None, each: int | None, seed: int
) -> dict[str, np.ndarray]:
    """Return the rows of each device. Raises DataError if options or data do not allow that division."""
    from ...federated.partition import divided, drawn_unlike

    if by is not None and (alpha is not None or each is not None):
        raise DataError("--by with --dirichlet or --samples-each", "each device has the samples of its value")
    if alpha is None:
        return divided(data, devices, by, each, seed)
    if not (math.isfinite(alpha) and alpha > 0):
        raise DataError(f"--dirichlet {alpha}", "give a positive number, such as 0.3")
    if data.y is None or data.y.ndim != 1 or data.y.dtype.kind not in "iu":
        raise DataError("--dirichlet needs one class for each sample", "leave it out, or divide the samples --by")
    return drawn_unlike(data.y, devices, each, alpha, seed)


# ---- The rounds


def _run(simulation: Simulation, rounds: int, as_json: bool, stop: Stop) -> list[Round]:
    """Run the rounds with a bar, or with a line for each on stderr, until a signal ends them."""
    from ...device.progress import progress_bar
    from ...report.federated_report import line

    quiet, done = as_json or is_quiet(), list[Any]()
    stop.waits = True
    with progress_bar(quiet) as bar:
        task = bar.add_task("rounds", total=rounds)
        for result in simulation.run(rounds):
            done.append(result)
            bar.update(task, advance=1, description=line(result, rounds))
            if bar.disable and not quiet:
                bar.console.print(line(result, rounds), highlight=False, soft_wrap=True)
            if stop:
                break
    return done


# ---- Output


def _write(
    simulation: Simulation, done: list[Round], name: str, form: str, checkpoint: Output | None, plot: Output | None
) -> None:
    """Write the checkpoint and the plot."""
    from ...report.federated_report import page, svg

    if checkpoint is not None:
        checkpoint.write(simulation.server.checkpoint())
    if plot is not None:
        plot.write((svg if form == SVG else page)(_title(simulation, name), done).encode())


def _title(simulation: Simulation, name: str) -> str:
    return f"{name}: {len(simulation.parts):,} devices, {simulation.settings.bits} bits"


def _report(simulation: Simulation, done: list[Round], as_json: bool, stop: Stop) -> None:
    """Print the rounds as a table or as JSON."""
    from ...report.federated_report import rows
    from ...terminal.terminal import console, table

    if as_json:
        say_json(as_dict(simulation, done))
        return
    sizes = [len(rows) for rows in simulation.parts.values()]
    console().print(table(f"{len(sizes):,} devices with {min(sizes):,} to {max(sizes):,} samples", rows(done)))
    say(f"  the base of round {simulation.server.round} has the SHA-256 {digest(simulation)}")
    if stop:
        say(f"  stopped by {stop.name} after {len(done)} rounds")


def digest(simulation: Simulation) -> str:
    """Return the SHA-256 of the server's base."""
    from hashlib import sha256

    return sha256(simulation.server.base).hexdigest()


def as_dict(simulation: Simulation, done: list[Round]) -> dict[str, Any]:
    """Return the rounds for JSON, with null for each NaN."""
    privacy = simulation.server.privacy
    return {
        "devices": len(simulation.parts),
        "samples": sum(map(len, simulation.parts.values())),
        "settings": asdict(simulation.settings),
        "privacy": privacy and asdict(privacy),
        "rounds": [finite(asdict(result)) for result in done],
        "base_sha256": digest(simulation),
    }
