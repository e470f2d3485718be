"""Federated keyword spotting: thirty speakers' devices teach one DS-CNN eight words, and it recognizes them from ten
new speakers. The speech is SYNTHETIC: espeak-ng speaks it.

No recording leaves a device. Speakers are not alike (non-IID): each says words in different proportions, and has
fewer or more recordings (data/speakers.py). In each round every device trains on its own recordings, and sends what
it learned in 4 bits per number. The table compares: a device that learns alone, mean over all; the federation; and
one twin that has all recordings, the centralized bound. All make the same number of passes over the recordings.

    ./run example federated_keywords
    ./run example federated_keywords --alpha 100                # each speaker says all words equally often
    ./run example federated_keywords --alpha 0.1 --seed 1       # most say one or two words
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from rich.progress import track

from gradmote import Session, losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.device import Dataset, TwinTarget, evaluate, fit
from gradmote.errors import GradmoteError
from gradmote.federated import Coordinator, LocalFleet, fedavg

from data import speakers, spoken_words
from shared import report
from shared.log_mel import log_mel
from shared.networks import Network

FRAMES, BANDS, BATCH = 40, 20, 4
RATE = 0.008
DOWN_BITS = 8


def network(seed: int) -> onnx.ModelProto:
    """Return a DS-CNN without BatchNorm.

    Running statistics are not parameters, so deltas do not contain them, and the server's base would keep those of
    the image. A device's own would describe the few words that its owner says (Hsieh et al., 2020, "The Non-IID Data
    Quagmire of Decentralized Machine Learning"). Frozen ones, of mean 0 and variance 1, would leave a scale and a
    shift, which the convolution before them already has.
    """
    net = Network((1, FRAMES, BANDS), seed).conv(12, kernel=(5, 3), stride=2, padding=(2, 1)).relu()
    for channels in (24, 32, 48):
        net.conv(net.shape[0], 3, stride=2, padding=1, groups=net.shape[0]).relu().conv(channels, kernel=1).relu()
    return net.global_average_pool().linear(len(spoken_words.WORDS)).model()


def recorded(who: Sequence[speakers.Speaker], drawn: np.random.Generator, what: str) -> dict[str, Dataset]:
    """Return the recordings of each speaker by voice, as log-mel pictures (n, 1, FRAMES, BANDS)."""
    sets, title = {}, f"espeak-ng speaks for {what} (synthetic speech)"
    for speaker in track(who, title, console=report.console, transient=True):
        pictures = [log_mel(sound, spoken_words.RATE, FRAMES, BANDS) for sound in speaker.record(drawn)]
        sets[speaker.voice] = Dataset(np.stack(pictures)[:, None], speaker.words.astype(np.int32))
    return sets


def federated(
    image: bytes, owned: dict[str, Dataset], rounds: int, epochs: int, bits: int, momentum: float, seed: int
) -> Coordinator:
    """Run all rounds on twins, half of them in each numerics profile; all reach the server's bits."""
    twins = {voice: Session(image, ("fused", "strict")[n % 2]) for n, voice in enumerate(owned)}
    fleet, coordinator = LocalFleet(twins, owned.__getitem__), Coordinator(image, fedavg(momentum=momentum), DOWN_BITS)
    for _ in track(range(rounds), "rounds of the federation", console=report.console, transient=True):
        for reply in coordinator.take(fleet.train(coordinator.task(bits=bits, epochs=epochs, seed=seed))):
            if reply.fault:
                raise GradmoteError(f"the device of {reply.device}: {reply.fault}")
        coordinator.finish()
    for voice, twin in twins.items():
        twin.end_round(coordinator.down)
        if bytes(twin.parameters()) != coordinator.server.base:
            raise GradmoteError(f"the device of {voice} is not at the server's base")
    return coordinator


def trained(image: bytes, own: Dataset, passes: int, seed: int) -> bytes:
    """Return the checkpoint of a twin trained only on these recordings, at a rate that falls from RATE to 0."""
    with TwinTarget() as twin:
        twin.load_image(image)
        twin.set_linear_schedule(RATE, warmup_steps=0, total_steps=passes * (len(own.x) // BATCH))
        fit(twin, own, passes, seed)
        return twin.save()


def known(image: bytes, checkpoint: bytes, new: dict[str, Dataset]) -> list[float]:
    """Return for each new speaker the share of words that a model recognizes."""
    with TwinTarget() as twin:
        twin.load_image(image)
        twin.load(checkpoint)
        return [evaluate(twin, said, said.x, said.y).accuracy for said in new.values()]


def bounds(
    image: bytes, owned: dict[str, Dataset], new: dict[str, Dataset], passes: int, seed: int
) -> tuple[list[float], list[float]]:
    """Return each new speaker's recognized share without a federation: one device, mean of all; all recordings."""
    each = track(owned.values(), "each device alone", console=report.console, transient=True)
    alone = np.mean([known(image, trained(image, own, passes, seed), new) for own in each], axis=0)
    x, y = (np.concatenate([getattr(own, name) for own in owned.values()]) for name in ("x", "y"))
    with report.working("one twin with all recordings"):
        return list(alone), known(image, trained(image, Dataset(x, y), passes, seed), new)


def say_of(federation: Coordinator) -> None:
    """Print what a device sends, what the server left out, and the digest of the base."""
    sent = [row for record in federation.history for row in record.rows.values()]
    left_out, most = sum(bool(row["fault"]) for row in sent), max(row["bytes_up"] for row in sent)
    size, digest = len(federation.server.base), federation.base_digest.hex()
    report.say(f"a device sends {most:,} B a round, of {size:,} B of parameters; base {digest[:16]}")
    report.say(f"the server left out {left_out} of {len(sent):,} deltas, which were too long")


def main(
    rounds: int = 100, epochs: int = 1, bits: int = 4, momentum: float = 0.9, alpha: float = 0.5, seed: int = 0,
    devices: int = len(speakers.OWNERS), newcomers: int = len(speakers.NEW),
) -> tuple[float, ...]:  # fmt: skip
    """Run ROUNDS of EPOCHS on each of DEVICES; a device sends BITS per number. MOMENTUM is the server's. ALPHA says
    how alike owners are in what they say. NEWCOMERS are the speakers for the test.
    Returns the accuracy on these: of a device alone, of the federation, and of a twin with all recordings."""
    drawn = np.random.default_rng(seed)
    owned = recorded(speakers.owners(devices, alpha, drawn), drawn, "the owners")
    new = recorded(speakers.newcomers(newcomers), np.random.default_rng(0), "the new speakers")
    compiled = compile_model(network(seed), losses.cross_entropy(), optimizers.adamw(RATE), Options(batch=BATCH))
    alone, centralised = bounds(compiled.image, owned, new, rounds * epochs, seed)
    federation = federated(compiled.image, owned, rounds, epochs, bits, momentum, seed)
    columns = alone, known(compiled.image, federation.server.checkpoint(), new), centralised
    rows: dict[str, tuple[float, ...]] = {**dict(zip(new, zip(*columns))), "mean": tuple(map(np.mean, columns))}
    titles = ("a device alone", "federated", "all recordings")
    report.compared("Words of new speakers recognized (synthetic speech)", titles, rows, bold="federated")
    say_of(federation)
    report.on_the_board(compiled)
    return rows["mean"]


if __name__ == "__main__":
    report.run(main)
