"""Smart-watch: a CNN that knows nine people's shoulder exercises learns how a tenth moves, on the watch itself.

Pre-trained on nine people by the twin, it goes to a device and learns from the first 40 % of each recording of the
tenth, whom it has never seen; it is tested on the rest. The example does this for each of ten people, or for one.

    ./run example watch                                                   # all ten; pre-training takes minutes, once
    ./run example watch --subject 2 --train head                          # one of them, the last layer only
    ./run example watch --subject 2 --on qemu:mps2-an386
"""

from __future__ import annotations

from gradmote.compiler import Result
from gradmote.device import Dataset, Target, evaluate_with_progress, fit_with_progress, load_with_progress, open_target

from demo.watch_data import SUBJECTS, leave_out
from demo.watch_model import EPOCHS, PRETRAINING_EPOCHS, compile_for, pretrained, training
from shared import report


def personalise(target: Target, compiled: Result, own: Dataset, epochs: int) -> tuple[float, float]:
    """Return the accuracy on a person's later windows, before and after training on the earlier ones."""
    load_with_progress(target, compiled.image)
    before = evaluate_with_progress(target, own).accuracy
    steps = epochs * (len(own.x) // compiled.compiled.batch)
    target.set_linear_schedule(compiled.compiled.learning_rate, warmup_steps=0, total_steps=steps)
    fit_with_progress(target, own.without_test(), epochs)
    return before, evaluate_with_progress(target, own).accuracy


def main(
    subject: int | None = None,
    train: str = "all",
    epochs: int = EPOCHS,
    pretraining_epochs: int = PRETRAINING_EPOCHS,
    on: str = "twin",
) -> float:
    """Personalize for SUBJECT (1 .. 10; all by default). TRAIN: "head", only the last layer, or "all". Returns the
    accuracy reached, mean over the subjects."""
    chosen = training(train)
    reached: dict[str, tuple[float, float]] = {}
    with open_target(on) as target:
        for left_out in [subject] if subject is not None else SUBJECTS:
            person = leave_out(left_out)
            compiled = compile_for(pretrained(person.others, pretraining_epochs), chosen)
            reached[f"person {left_out}"] = personalise(target, compiled, person.own, epochs)
    before, after = (sum(shares) / len(reached) for shares in zip(*reached.values()))
    rows = {**reached, "mean": (before, after)} if len(reached) > 1 else reached
    report.before_after(f"Exercises, {chosen.title} trained, on {target.name}", rows)
    report.on_the_board(compiled)
    return after


if __name__ == "__main__":
    report.run(main)
