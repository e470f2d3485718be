"""The demonstration with a smart-watch.

A network that knows the exercises of nine people learns how the tenth moves.
"""

from __future__ import annotations

from pathlib import Path

from . import report, stage
from .stage import Lesson, Outcome, say
from .watch_data import EXERCISES, leave_out
from .watch_model import PRETRAINING_EPOCHS, compile_for, pretrained, training


def run(
    on: str, out: Path, epochs: int, subject: int, train: str, pretraining_epochs: int = PRETRAINING_EPOCHS
) -> Outcome:
    """Run the demonstration: print each step and tables, and draw the picture."""
    chosen, person = training(train), leave_out(subject)
    own = person.own
    model = pretrained(person.others, pretraining_epochs)
    say(f"pre-trained on {len(person.others.x):,} windows of nine people, by the twin: {out / 'watch.onnx'}")
    compiled = compile_for(model, chosen)
    say(
        f"person {subject}, whom it has never seen, wears the board: learns {chosen.title} from {len(own.x)} "
        "windows of 2 s, then is tested on later ones"
    )
    title = f"Exercises of person {subject}, learned on the device"
    lesson = Lesson("watch", title, model, compiled, own, epochs, "scores", test_each_epoch=False)
    outcome = stage.run(lesson, on, out)
    report.show_classes(outcome.trained, EXERCISES)
    report.show(outcome, out)
    return outcome
