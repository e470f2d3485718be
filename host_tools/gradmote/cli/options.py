"""The options that several commands share, and their parsed values."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataError, ModelError
from .output import say

if TYPE_CHECKING:
    import numpy as np

    from ..compiler.sample_store import StoreOptions
    from ..data import Dataset, Expected
    from ..frontend import Inputs


class LossName(str, Enum):
    """A loss for --loss."""

    cross_entropy = "cross_entropy"
    mse = "mse"
    l1 = "l1"
    bce_with_logits = "bce_with_logits"
    contrastive = "contrastive"
    triplet = "triplet"


class OptimizerName(str, Enum):
    """An optimizer for --optimizer."""

    sgd = "sgd"
    adam = "adam"
    adamw = "adamw"
    adamw_ort = "adamw_ort"


class BatchNorm(str, Enum):
    """A way to train through BatchNormalization, for --batch-norm."""

    frozen = "frozen"
    fold = "fold"
    batch = "batch"


class RunningVariance(str, Enum):
    """A definition of the variance, for --running-variance."""

    population = "population"
    sample = "sample"


class Plan(str, Enum):
    """A memory planner, for --plan."""

    fast = "fast"
    exact = "exact"


class Weights(str, Enum):
    """A type of trained int8 weights in the state, for --weights."""

    int8 = "int8"
    int16 = "int16"


class Gradients(str, Enum):
    """A type of a quantized model's gradients, for --gradients."""

    int16 = "int16"
    float = "float"


class Moments(str, Enum):
    """A type of the optimizer's moments, for --moments."""

    float32 = "float32"
    bf16 = "bf16"


class Saved(str, Enum):
    """A type of forward values that wait for the backward pass, for --saved."""

    float32 = "float32"
    bf16 = "bf16"


class Attention(str, Enum):
    """A way to run attention, for --attention."""

    whole = "whole"
    blocks = "blocks"


class Activations(str, Enum):
    """A type of quantized activations, for --activations."""

    int8 = "int8"
    uint8 = "uint8"


class StoreAs(str, Enum):
    """A format of samples, for --store-as."""

    int8 = "int8"
    float = "float"


LossOption = Annotated[
    LossName | None, typer.Option("--loss", help="What to minimize. Without it the model only infers.")
]
OptimizerOption = Annotated[
    OptimizerName | None, typer.Option("--optimizer", help="How parameters follow their gradients.")
]
Train = Annotated[
    list[str] | None,
    typer.Option("--train", help="Train only these weights: names or patterns such as 'head.*'. Repeatable."),
]
Freeze = Annotated[list[str] | None, typer.Option("--freeze", help="Train all weights but these. Repeatable.")]
SchemeOption = Annotated[
    str | None,
    typer.Option(
        "--scheme",
        help="What to train, instead of --train and --freeze: full, head, last:3, bias, bias:last:5, sparse:0.25 (of "
        "each layer's output channels), sparse:0.25:last:4, sparse:0.5:named:conv2.*, named:conv1.*,head.*",
    ),
]
Outputs = Annotated[
    list[str] | None, typer.Option("--output", help="Keep only these outputs of the model. Repeatable.")
]
LossSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--loss-set",
        metavar="NAME=VALUE",
        help="Setting of the loss: reduction=sum, weight=1,2,1, pos_weight=3, mask_axes=0,1, margin=0.5. Repeatable. "
        "weight=balanced and pos_weight=balanced weight classes by their samples in --data.",
    ),
]
LabelSmoothing = Annotated[
    float | None, typer.Option("--label-smoothing", help="Part of cross-entropy's target spread over all classes.")
]
IgnoreIndex = Annotated[
    int | None, typer.Option("--ignore-index", help="Label that cross-entropy ignores; -100 by default.")
]
Mask = Annotated[
    bool, typer.Option("--mask", help="Add an input that weights each position, 0 for padding, and the mean with it.")
]
OptimizerSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Setting of the optimizer: momentum=0.9, nesterov=1, weight_decay=0.01, beta1=0.9, eps=1e-8, clip_norm=1, "
        "clip_value=1, clip_steps=1 (scales that a quantized weight moves at most, 0: any number; 1 by default, and "
        "for SGD without momentum 8 in dense layers, 2 in others, and any number for biases). Repeatable.",
    ),
]
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        metavar="NAME:SETTINGS",
        help="What some parameters have of their own, by name or pattern: 'head.*:lr=0.01,weight_decay=0'. "
        "Also momentum, nesterov and eps, if the rule has them. On the device, rates keep their ratio to --lr. "
        "Repeatable.",
    ),
]
MaxUpdate = Annotated[
    float | None,
    typer.Option(
        "--max-update",
        metavar="LIMIT",
        help="Clip each element of a gradient to LIMIT before the update, so that one outlier moves no parameter far. "
        "The same as --set clip_value=LIMIT.",
    ),
]
BatchNormOption = Annotated[
    BatchNorm | None,
    typer.Option(
        "--batch-norm",
        help="frozen, by default: keep the running statistics, train scale and bias. fold: into the weights before. "
        "batch: statistics of the batch, as in training from scratch; for batches of 8 and more.",
    ),
]
RunningVarianceOption = Annotated[
    RunningVariance,
    typer.Option(help="With --batch-norm batch: variance over n (population, ONNX) or n - 1 values (sample, PyTorch)."),
]
Untie = Annotated[
    bool,
    typer.Option(
        "--untie",
        help="Give each node its own copy of a weight that several use: for weights that an exporter merged because "
        "they were equal.",
    ),
]
Tie = Annotated[
    list[str] | None,
    typer.Option(
        "--tie",
        metavar="A,B",
        help="Train two equal weights as one, under the name A: an embedding and its head, whose export copied it. "
        "Repeatable.",
    ),
]
StoreSize = Annotated[
    int | None,
    typer.Option("--store", metavar="N", help="Keep up to N samples in the state, for `learn` on the board."),
]
StoreForm = Annotated[
    StoreAs, typer.Option("--store-as", help="int8: one byte per element, and a scale for each sample. float: exact.")
]
StoreData = Annotated[
    Path | None,
    typer.Option(
        "--store-data",
        metavar="FILE",
        help="What the store begins with: a balanced choice of an .npz, a .csv, or a folder by class.",
    ),
]
Batch = Annotated[int, typer.Option(help="Samples in one step.")]
Accumulate = Annotated[
    bool,
    typer.Option(
        help="Keep gradients, so that micro-batches can be averaged. Needs a gradient for each parameter in RAM."
    ),
]
Dims = Annotated[
    list[str] | None, typer.Option("--dim", metavar="NAME=N", help="Size of a symbolic dimension. Repeatable.")
]
LossScale = Annotated[
    float,
    typer.Option(
        "--loss-scale",
        metavar="FACTOR",
        help="A power of two that multiplies the loss, and divides its gradients in the update: for gradients "
        "that underflow. Stores all gradients.",
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of dropout.")]
Properties = Annotated[int, typer.Option(help="Slots for the application's own numbers, 32 bytes each.")]
StripNames = Annotated[bool, typer.Option(help="Leave names out, for the smallest image.")]
ImageVersion = Annotated[
    int,
    typer.Option(
        "--image-version",
        metavar="N",
        min=0,
        max=0xFFFFFFFF,
        help="A number to count up: firmware built with --rollback-protect refuses images with a lower one.",
    ),
]
OverwriteInputs = Annotated[
    bool,
    typer.Option(
        "--overwrite-inputs",
        help="Let programs use the inputs' bytes for other things: less RAM, but inputs must be sent for each run.",
    ),
]
StreamRows = Annotated[
    bool | None,
    typer.Option(
        "--stream-rows/--no-stream-rows",
        help="Keep a few rows of tensors that no layer needs whole, if that takes less RAM. On by default for "
        "quantized models, off for others, since browsers cannot run it.",
    ),
]
RecomputeOption = Annotated[
    str | None,
    typer.Option(
        "--recompute",
        metavar="SIZE|+PERCENT",
        help="Keep less of the forward pass, and make it again in the backward pass, to the same bits: 250KB for the "
        "fastest step in this arena, +30% for the smallest arena with so many more machine instructions; beside --ram, "
        "+30% lets more be trained in it.",
    ),
]
SavedOption = Annotated[
    Saved | None,
    typer.Option(
        "--saved",
        help="For a float model, what the backward pass reads of the forward pass: float32, or bf16 for half the "
        "bytes, rounded to the nearest, if that takes less arena.",
    ),
]
AttentionOption = Annotated[
    Attention | None,
    typer.Option(
        "--attention",
        help="whole: as separate instructions, which every runtime has. blocks: a few queries at a time, to the same "
        "bits, if that takes less arena; a step takes longer, and browsers cannot run it.",
    ),
]
PlanOption = Annotated[
    Plan,
    typer.Option(help="exact: search for the smallest scratch, up to a minute per program (needs gradmote[exact])."),
]
Quantize = Annotated[
    bool,
    typer.Option(
        "--quantize",
        help="Quantize a float model to int8 first, with onnxruntime (needs gradmote[quantize]). `compile` writes the "
        "quantized model beside the image, which `export` takes.",
    ),
]
Calibrate = Annotated[
    Path | None,
    typer.Option(
        "--calibrate",
        metavar="FILE",
        help="With --quantize: samples like those to come, an .npz, a .csv, or a folder by class.",
    ),
]
ActivationsOption = Annotated[
    Activations | None, typer.Option("--activations", help="With --quantize: int8, by default, or uint8.")
]
WeightsOption = Annotated[
    Weights | None,
    typer.Option(
        "--weights",
        help="For a quantized model, the trained weights in the state. int8, by default: updates are rounded at "
        "random, right on average. int16: with a byte of fraction, for twice the bytes.",
    ),
]
GradientsOption = Annotated[
    Gradients | None,
    typer.Option(
        "--gradients", help="For a quantized model, the numbers of the backward pass: int16, or float for float32."
    ),
]
MomentsOption = Annotated[
    Moments | None,
    typer.Option("--moments", help="The optimizer's moments: float32, or bf16 for half the bytes, rounded at random."),
]
FloatHead = Annotated[
    bool, typer.Option("--float-head", help="For a quantized model: make the last layer float32, and its result too.")
]
LearningRate = Annotated[float, typer.Option("--lr", help="Learning rate that the image starts with.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def tell(line: str) -> None:
    """Print a line on stderr: the progress of slow work, besides the result."""
    say(line, err=True)


def describe_batch_norm(mode: str, layers: int) -> str:
    """Return one line on what happens to a model's BatchNormalizations."""
    meaning = {
        "frozen": "running statistics as they are",
        "fold": "in the weights before them",
        "inference": "in the weights before them if these are constant: nothing trains",
        "batch": "statistics of the batch while training, running ones updated",
        "exported": "statistics of the batch in those exported in training mode, running ones as they are in others",
    }
    return f"batch norm {mode}: {layers} layer{'s' * (layers != 1)}, {meaning[mode]}"


def describe_shared(weights: dict[str, int]) -> str:
    """Return one line on the weights that several nodes use."""
    uses = ", ".join(f"{name} ({count} nodes)" for name, count in weights.items())
    return f"shared weights, trained as one: {uses} (not meant? --untie)"


def describe_sample_axes(axes: dict[str, int]) -> str:
    """Return one line on inputs and outputs whose samples are on another axis in the model."""
    found = [f"{name} has its samples on axis {axis} in the model" for name, axis in axes.items()]
    return f"{', '.join(found)}, and on the first in the image"


def parse_ties(texts: list[str] | None) -> list[tuple[str, str]]:
    """Return the pairs of `--tie A,B`. Raises DataError for other text."""
    pairs = []
    for text in texts or []:
        one, _, other = text.partition(",")
        if not one or not other or "," in other:
            raise DataError(f"--tie {text}: not two names", "name two weights: --tie embedding.weight,head.weight")
        pairs.append((one, other))
    return pairs


def describe_left_out(numbers: list[str], limit: int = 5) -> str:
    """Return one line on the untrained numbers."""
    more = f" and {len(numbers) - limit} more" if len(numbers) > limit else ""
    named = ", ".join(numbers[:limit])
    return f"taken for numbers of the model's code, not trained: {named}{more} (--scheme full+named:NAME trains one)"


Shapes = Annotated[
    list[str] | None,
    typer.Option(
        "--shape",
        metavar="NAME=DIMS",
        help="Shape of an input: x=1,3,48,192, or x=batch,3,48,192 to let --batch choose. Repeatable.",
    ),
]
Constants = Annotated[
    list[str] | None,
    typer.Option(
        "--constant",
        metavar="NAME=NUMBER",
        help="An input that never changes, such as a sample rate: it becomes part of the model. Repeatable.",
    ),
]


def make_loss(
    name: LossName | None,
    settings: list[str] | None,
    label_smoothing: float | None = None,
    ignore_index: int | None = None,
    mask: bool = False,
) -> Callable[..., Any] | None:
    """Return the loss function, or None without a name."""
    from ..losses import LOSSES, named_loss

    if name is None:
        return None
    named = {"label_smoothing": label_smoothing, "ignore_index": ignore_index, "mask": int(mask) or None}
    given = [*(settings or []), *(f"{k}={v}" for k, v in named.items() if v is not None)]
    return named_loss(name.value, **parse(LOSSES[name.value], given))


def make_optimizer(
    name: OptimizerName | None,
    learning_rate: float,
    settings: list[str] | None,
    max_update: float | None = None,
    groups: list[str] | None = None,
) -> Any:
    """Return the optimizer, or None without a name; `max_update` becomes its clip_value."""
    from ..optimizers import OPTIMIZERS

    if name is None:
        return None
    if max_update is not None:
        settings = [*(settings or []), f"clip_value={max_update!r}"]
    made = OPTIMIZERS[name.value](learning_rate, **parse(OPTIMIZERS[name.value], settings))
    return made.with_groups(parse_groups(groups)) if groups else made


def parse_groups(texts: list[str]) -> dict[str, dict[str, float]]:
    """Return the settings of each group by its pattern. Raises ModelError for a pattern that is given twice."""
    found: dict[str, dict[str, float]] = {}
    for pattern, own in map(parse_group, texts):
        if pattern in found:
            raise ModelError(f"--group gives '{pattern}' twice", "give all settings of a group in one --group")
        found[pattern] = own
    return found


def parse_group(text: str) -> tuple[str, dict[str, float]]:
    """Return the pattern and the settings of PATTERN:NAME=VALUE,NAME=VALUE. Raises ModelError."""
    pattern, colon, rest = text.rpartition(":")
    try:
        pairs = [setting.split("=") for setting in rest.split(",")]
        own = {{"lr": "learning_rate"}.get(name, name): float(value) for name, value in pairs}
    except ValueError:
        colon = ""
    if not colon or not pattern or len(own) < len(pairs):
        raise ModelError(f"--group {text} is not a pattern and settings", "write it as head.*:lr=0.01")
    return pattern, own


def make_store(
    capacity: int | None, form: StoreAs, data: Path | None, expected: Expected | None = None
) -> StoreOptions | None:
    """Return the settings of the sample store, or None without a capacity.

    Raises DataError for a file without labels, or with samples that do not fit the model.
    """
    from ..compiler.sample_store import StoreOptions
    from ..data.dataset import quantized

    dtype = "f32" if form is StoreAs.float else "int8"
    if capacity is None:
        if data is not None:
            raise ModelError("--store-data without --store", "say how many samples to keep: --store 64")
        return None
    if data is None:
        return StoreOptions(capacity, dtype)
    samples = read_for(data, expected)
    if samples.y is None:
        raise DataError(f"{data} has no labels", "add an array y with the class of each sample")
    taken = expected.tensor("input", 0) if expected is not None else None
    if taken is not None and taken.dtype in ("int8", "uint8"):
        return StoreOptions(capacity, dtype, quantized(samples, samples.x, taken.name, taken.dtype), samples.y)
    return StoreOptions(capacity, dtype, samples.widened(), samples.y)


def read_for(data: Path, expected: Expected | None, classes: tuple[str, ...] | None = None) -> Dataset:
    """Return the samples of a file or folder for a model about to be compiled. Raises DataError.

    classes: the names of the classes, in the order of the model's outputs.
    """
    from ..data import Dataset, Reading
    from ..data.check import require_samples

    samples = Dataset.read(data, reading=Reading(classes=classes, expected=expected))
    for note in samples.notes:
        tell(note)
    if expected is not None:
        require_samples(samples, expected)
    return samples


def parse(factory: Callable[..., Any], settings: list[str] | None) -> dict[str, Any]:
    """Return the values of NAME=VALUE pairs: numbers, lists of numbers, or words.

    Raises ModelError for a name that is not a parameter of `factory`.
    """
    known = inspect.signature(factory).parameters
    values = {}
    for setting in settings or []:
        name, equals, text = setting.partition("=")
        if not equals or name not in known:
            raise ModelError(f"'{setting}' is not a setting of {factory.__name__}", f"it has {', '.join(known)}")
        values[name] = number_or_word(text)
    return values


def number_or_word(text: str) -> Any:
    """Return the text as an int, or else a float, or else unchanged; with commas, as a list."""
    if "," in text:
        return [number_or_word(part) for part in text.split(",")]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_inputs(shapes: list[str] | None, constants: list[str] | None) -> Inputs | None:
    """Return the values of --shape NAME=1,3,H,W and --constant NAME=NUMBER, or None."""
    from ..frontend import Inputs

    if not shapes and not constants:
        return None
    return Inputs(dict(map(parse_shape, shapes or [])), dict(map(parse_constant, constants or [])))


def parse_shape(pair: str) -> tuple[str, list[int | str]]:
    """Return the name and the dimensions of a --shape. Raises ModelError."""
    name, equals, text = pair.partition("=")
    dims: list[int | str] = [int(d) if d.isdigit() else d for d in text.split(",") if d]
    if not equals or not name or len(dims) != text.count(",") + bool(text):
        raise ModelError(f"--shape {pair}", "write --shape NAME=1,3,48,192; a word leaves a dimension open")
    return name, dims


def parse_constant(pair: str) -> tuple[str, np.ndarray]:
    """Return the name and the value of a --constant. Raises ModelError."""
    import numpy as np

    name, _, text = pair.partition("=")
    value = np.array(number_or_word(text))
    if not name or value.dtype.kind not in "if":
        raise ModelError(f"--constant {pair}", "write --constant NAME=16000, or NAME=1,2,3")
    return name, value


def parse_dims(pairs: list[str] | None) -> dict[str, int]:
    """Return the sizes of --dim NAME=N by name. Raises ModelError."""
    dims = {}
    for pair in pairs or []:
        name, _, size = pair.partition("=")
        if not size.isdigit():
            raise ModelError(f"--dim {pair}", "write --dim NAME=N with a whole number")
        dims[name] = int(size)
    return dims
