"""Ten people's watches as files: a model, and each window with its person, for apps in which many devices learn.

One person is left out: the later windows of that person are the test set, as in federated_watch.

    ./run example watch_files                                    # build/watches, without person 10
    ./run example watch_files --subject 4 --out FOLDER
    gradmote new watches --federated --model build/watches/watch.mote --onnx build/watches/watch.onnx \\
        --data build/watches/watch.npz --by person
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

from gradmote.data.array_files import npz_bytes
from gradmote.formats.files import make_folder, write_atomically

from demo.watch_data import SUBJECTS, LeftOut, leave_out
from demo.watch_model import compile_for, network, training
from shared import report


def arrays(people: LeftOut) -> dict[str, np.ndarray]:
    """Return x and y of nine people with the person's number of each window, and x_test and y_test of the tenth."""
    own, numbers = people.own, [number for number in SUBJECTS if number != people.subject]
    assert own.x_test is not None and own.y_test is not None
    return {
        "x": np.concatenate([each.x for each in people.each]),
        "y": np.concatenate([each.y for each in people.each]),
        "person": np.repeat(numbers, [len(each.x) for each in people.each]),
        "x_test": own.x_test,
        "y_test": own.y_test,
        "scale": np.array(own.scale),
        "zero": np.array(own.zero),
    }


def main(subject: int = SUBJECTS[-1], seed: int = 0, out: Path = Path("build/watches")) -> int:
    """Write watch.mote, watch.onnx and watch.npz into the folder OUT. SUBJECT (1 .. 10) is left out as the test set.

    The network is still untrained; SEED draws its weights. Returns the number of windows to train on."""
    samples, model = arrays(leave_out(subject)), network(seed)
    folder = make_folder(out)
    onnx.save(model, folder / "watch.onnx")
    write_atomically(folder / "watch.mote", compile_for(model, training("all")).image)
    write_atomically(folder / "watch.npz", npz_bytes(samples))
    count = len(samples["x"])
    report.say(f"{out}: watch.mote, watch.onnx, and watch.npz with {count:,} windows of nine people")
    return count


if __name__ == "__main__":
    report.run(main)
