"""Digits: ONNX in, the board learns, a better model out, and the twin has the same bits."""

from __future__ import annotations

import hashlib
import warnings
from pathlib import Path

import numpy as np
import onnx
from rich.console import Console

from .. import losses, optimizers
from ..compile import Options, Result, compile_model
from ..device.dataset import Dataset
from ..device.emulator import Emulator
from ..device.fit import evaluate
from ..device.progress import fit_with_progress, load_with_progress
from ..device.target import BoardTarget, Target, TwinTarget, open_target
from ..errors import DeviceError
from ..export import export_inference
from ..files import write_atomically
from . import report
from .report import Trained

#: The skl2onnx output that the loss looks at.
OUTPUT = "probabilities"
PRETRAINED_ON, HELD_OUT, BATCH, RATE = 100, 450, 8, 0.004
#: `-icount shift=7`: each instruction takes 2^7 ns of the board's clock.
SECONDS_PER_INSTRUCTION = 128e-9

console = Console()


def run(on: str, out: Path, epochs: int) -> None:
    """The whole way; prints each step, a table, and where the picture is."""
    out.mkdir(parents=True, exist_ok=True)
    model, data = pretrain()
    model_path = out / "digits.onnx"
    write_atomically(model_path, model.SerializeToString())
    say(f"pre-trained on {PRETRAINED_ON} digits with scikit-learn, exported by skl2onnx: {model_path}")
    compiled = compile_digits(model)
    write_atomically(out / "digits.mote", compiled.image)
    say(f"compiled: {out / 'digits.mote'}, {len(compiled.image):,} B of flash, {compiled.layout.arena_size:,} B of RAM")
    with open_or_twin(on) as target:
        trained = train(target, compiled, data, epochs)
        memory = target.mem()
    write_atomically(out / "learned.gmck", trained.checkpoint)
    twin = None if isinstance(target, TwinTarget) else compare_with_twin(trained, compiled, data, epochs)
    better = out / "better.onnx"
    export_inference(model_path, out / "learned.gmck", better)
    scored = onnxruntime_accuracy(better, data)
    say(f"exported {better}; onnxruntime gets {scored:.1%} of the held-out digits right")
    instructions = count_instructions(compiled, data) if on.startswith("qemu") and memory is not None else None
    console.print(report.table(trained, twin, scored, compiled, memory, instructions))
    report.picture(out / "demo.png", trained, compiled)
    say(f"loss curve and memory map: {out / 'demo.png'}")


def say(text: str) -> None:
    console.print(f"[bold green]*[/] {text}", highlight=False, soft_wrap=True)


# ---- On the desk


def pretrain() -> tuple[onnx.ModelProto, Dataset]:
    """An MLP 64-32-10 that has seen few digits, and the data for the board: pixels 0 .. 16 as bytes."""
    import skl2onnx
    from sklearn.datasets import load_digits
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import train_test_split
    from sklearn.neural_network import MLPClassifier

    pixels, digits = load_digits(return_X_y=True)
    pixels = pixels.astype(np.uint8)
    rest, x_test, rest_y, y_test = train_test_split(pixels, digits, test_size=HELD_OUT, random_state=0, stratify=digits)
    seen, x, seen_y, y = train_test_split(rest, rest_y, train_size=PRETRAINED_ON, random_state=0, stratify=rest_y)
    scaled = (seen / 16).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        network = MLPClassifier((32,), random_state=0).fit(scaled, seen_y)
    model = skl2onnx.to_onnx(network, scaled[:1], options={"zipmap": False})
    return model, Dataset(x, y, x_test, y_test, scale=1 / 16)


def compile_digits(model: onnx.ModelProto) -> Result:
    loss = losses.cross_entropy(through_softmax=True)
    return compile_model(model, loss, optimizers.adamw(RATE), Options(batch=BATCH), outputs=[OUTPUT])


def onnxruntime_accuracy(path: Path, data: Dataset) -> float:
    """What any ONNX runtime makes of the exported model."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path))
    assert data.x_test is not None and data.y_test is not None
    pixels = data.x_test.astype(np.float32) * np.float32(data.scale)
    (scores,) = session.run([OUTPUT], {session.get_inputs()[0].name: pixels})
    return float((scores.argmax(1) == data.y_test).mean())


# ---- On the device


def open_or_twin(on: str) -> Target:
    """The target asked for; where no emulator can run, the twin, and says so."""
    try:
        return open_target(on)
    except DeviceError as error:
        if not on.startswith("qemu"):
            raise
        console.print(f"[yellow]no emulated board:[/] {error}\n[yellow]training the twin on this computer instead[/]")
        return TwinTarget()


def train(target: Target, compiled: Result, data: Dataset, epochs: int) -> Trained:
    """Sends the image, tests, trains with a falling learning rate, tests, and pulls the checkpoint back."""
    load_with_progress(target, compiled.image)
    before = evaluate(target, data).accuracy
    target.set_linear_schedule(RATE, 0, epochs * (len(data.x) // BATCH))
    steps_seen: list[float] = []
    result = fit_with_progress(target, data, epochs, on_step=lambda step: steps_seen.append(step.metrics.loss))
    state = hashlib.sha256(target.state()).hexdigest()
    return Trained(before, result, steps_seen, target.save(), state, target.name)


def compare_with_twin(trained: Trained, compiled: Result, data: Dataset, epochs: int) -> Trained:
    """The same training on this computer must give the same state, bit for bit."""
    with TwinTarget() as target:
        twin = train(target, compiled, data, epochs)
    if twin.state != trained.state:
        raise DeviceError(
            f"the state of {trained.target} is {trained.state[:16]}..., the twin's is {twin.state[:16]}...",
            "board and twin must use the same numerics profile",
        )
    say(
        f"{trained.target} and the twin have the same state after {trained.fit.epochs[-1].epoch} epochs, "
        f"sha256 {twin.state[:16]}..."
    )
    return twin


def count_instructions(compiled: Result, data: Dataset) -> int:
    """Machine instructions of one step of 8 samples, by an emulated clock that ticks with them."""
    with Emulator(icount=True) as emulator, BoardTarget(emulator.connect()) as target:
        assert data.y is not None
        target.load_image(compiled.image)
        target.write_u8("input", 0, data.x[:BATCH], data.scale)
        target.write_u8("label", 0, data.y[:BATCH].astype(np.uint8))
        return round(target.run("step").seconds / SECONDS_PER_INSTRUCTION)
