"""The command `gradmote compile`, which compiles an ONNX model into one image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ModelError
from . import budget
from . import options as o
from .artifact_compiler import option_name, read_artifacts
from .check import Check, check_image
from .class_weights import balanced
from .compiler import Compiler, with_compiler
from .output import require_apart, say, say_json
from .samples import split_names

if TYPE_CHECKING:
    from ..artifacts.artifacts import Artifacts as Made
    from ..budget import Found
    from ..compiler.compile import Result
    from ..compiler.options import Options
    from ..data import Dataset
    from ..formats.files import Output
    from ..ir.program import Compiled, Store, Streamed
    from ..report.image_reports import Copy


#: The options of loss and optimizer, which an image without a loss has not.
_OF_TRAINING = (
    "optimizer", "lr", "optimizer_set", "group", "max_update", "loss_set", "label_smoothing", "ignore_index", "mask",
)  # fmt: skip
#: The form of each sample in a sample store, by its dtype.
STORED = {
    "int8": "one byte per element, and a scale for each sample",
    "f32": "float32",
    "bytes": "the input's own integers, one byte each",
}

Artifacts = Annotated[
    Path | None,
    typer.Option(
        "--artifacts",
        metavar="DIR",
        help="Instead of a model: the files that generate_artifacts wrote, of onnxruntime-training or of Gradmote. "
        "Model, loss, optimizer and what trains come from them, and training goes on from their checkpoint.",
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        "--resume", metavar="FILE", help="With --artifacts: go on from this checkpoint, not from the one in DIR."
    ),
]
Classes = Annotated[
    str | None,
    typer.Option(
        "--classes", metavar="A,B,C", help="The classes' names in the order of the model's outputs, for the image."
    ),
]
ExportTable = Annotated[
    bool,
    typer.Option(
        "--export-table",
        help="Also write IMAGE.gmex, with which the device writes its trained model as ONNX: gm_export().",
    ),
]


@with_compiler
def command(
    context: typer.Context,
    compiler: Compiler,
    model: Annotated[
        Path | None, typer.Argument(help="The model: a .onnx file, opset 6 or newer. --artifacts replaces it.")
    ] = None,
    artifacts: Artifacts = None,
    resume: Resume = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The image to write; beside the model by default.")
    ] = None,
    ram: budget.Ram = None,
    flash: budget.Flash = None,
    ms_per_step: budget.Time = None,
    clock: budget.Clock = None,
    board: budget.Board = None,
    data: budget.Data = None,
    classes: Classes = None,
    check: Check = None,
    export_table: ExportTable = False,
    as_json: o.AsJson = False,
) -> None:
    """Compile a model into a .mote image: differentiated, planned to the byte, ready to flash.

    Too large? `--ram 96K` searches for what trains best in 96 KB: which layers or channels, which
    batch and optimizer.

    `--data samples.csv` or `--classes cat,dog` puts the classes' names into the image, so that labels
    can be names from then on.
    """
    from ..formats.files import Output

    given = budget.Budget(ram, flash, ms_per_step, clock, board)
    check_source(model, artifacts, resume, given)
    require_apart(out, model, data)
    if artifacts is None:
        check_training_options(compiler, given_in(context))
    if export_table and artifacts is not None:
        raise ModelError("--export-table needs the model's .onnx file", "compile the model itself, without --artifacts")
    if export_table and compiler.strip_names:
        raise ModelError("--export-table needs the names that --strip-names leaves out", "leave one of them out")
    samples = samples_of(data, model, compiler, classes)
    weighted = balanced(compiler.loss_set, samples)
    names = names_of(classes, samples, bool(check) or given.is_given() or weighted != compiler.loss_set)
    compiler = replace(compiler, loss_set=weighted)
    if artifacts is not None:
        made, options, state = read_artifacts(compiler, artifacts, resume, given_in(context))
        options, output = replace(options, classes=names), Output(out or artifacts / "model.mote")
        done = replace(checked(compiler, made, options, output, check, samples), state=state)
    else:
        assert model is not None
        output = Output(out or model.with_suffix(".mote"))
        beside = quantized_output(compiler, output.path)
        if given.is_given():
            done = searched(compiler, model, given, output, check, samples, names)
        else:
            made, options = compiler.prepared(model)
            compared = own_file(compiler, model)
            done = checked(compiler, made, replace(options, classes=names), output, check, samples, compared)
        table = Output(output.path.with_suffix(".gmex")) if export_table else None
        done = replace(done, beside=beside, table=table)
    write(done, compiler, model)
    line = budget.train_line(done.output.path, done.found, data) if done.found is not None else None
    show_json(done, line) if as_json else show(done, line, model)


@dataclass(frozen=True)
class Done:
    """A compiled image, and what to report about it.

    beside: the quantized model. table: its export table. found: the result of a budget's search. outcome: a line on
    the check. state: a line on the state from which training continues.
    """

    output: Output
    result: Result
    beside: Output | None = None
    table: Output | None = None
    found: Found | None = None
    outcome: str | None = None
    state: str | None = None


def checked(
    compiler: Compiler,
    made: Made,
    options: Options,
    output: Output,
    check: bool | None,
    samples: Dataset | None,
    model: Path | None = None,
) -> Done:
    """Compile artifacts, and compare the image with the model."""
    result = compiler.image_of(made, options)
    return Done(output, result, outcome=check_image(check, result, made, options, model, samples))


def searched(
    compiler: Compiler,
    model: Path,
    given: budget.Budget,
    output: Output,
    check: bool | None,
    samples: Dataset | None,
    names: tuple[str, ...] | None,
) -> Done:
    """Search for the best training within a budget, and compare its image with the model."""
    limits = budget.limits_of(compiler, given)
    task = budget.task_of(model, compiler, names)
    found = budget.cut(task, limits, samples)
    choice = found.best.choice
    made, options = task.artifacts(choice), task.options_of(choice)
    outcome = check_image(check, found.result, made, options, own_file(compiler, model), samples)
    return Done(output, found.result, found=found, outcome=outcome)


def own_file(compiler: Compiler, model: Path) -> Path | None:
    """Return the user's file if it computes the same as the compiled model; None if options change that."""
    return None if compiler.shape or compiler.constant or compiler.quantize or compiler.float_head else model


def show_json(done: Done, line: str | None) -> None:
    """Print one JSON object."""
    from ..budget.search import as_dict as searched_as_dict

    searched = done.found and {**searched_as_dict(done.found), "train": line}
    figures = {"image": str(done.output.path), **summary(done.result), "budget": searched, "checked": done.outcome}
    files = {"quantized": done.beside, "export_table": done.table}
    say_json({**figures, **{name: str(file.path) for name, file in files.items() if file is not None}})


def show(done: Done, line: str | None, model: Path | None) -> None:
    """Print the figures, and the next steps."""
    say(describe(done.output.path, done.result))
    if done.beside is not None:
        say(f"  {done.beside.path} is the quantized model: export takes it, instead of {model}")
    if done.table is not None:
        say(f"  {done.table.path} is its export table: {done.table.path.stat().st_size:,} B")
    for text in (done.state, done.outcome):
        if text is not None:
            say(f"  {text}")
    show_front(done.result)
    if done.found is not None:
        budget.show(done.found)
        say(f"  train it: {line}")


def show_front(result: Result) -> None:
    """Print the table of memory against time, if --recompute searched one."""
    from ..report.image_reports import TITLE, tradeoff_rows
    from ..terminal.terminal import console, table

    if result.front:
        console().print(table(TITLE, tradeoff_rows(result.front)))


def quantized_output(compiler: Compiler, image: Path) -> Output | None:
    """Return the output for the quantized model, next to its image; None without --quantize."""
    from ..formats.files import Output
    from .quantizing import beside

    return Output(beside(image)) if compiler.quantize else None


def write(done: Done, compiler: Compiler, model: Path | None) -> None:
    """Write the image, and next to it the quantized model and the export table if there are any: all or none."""
    from ..formats.files import write_together
    from ..ir.write import proto_bytes

    files: list[tuple[Output, bytes, int | None]] = [(done.output, done.result.image, None)]
    source = compiler.source(model) if model is not None and (done.beside or done.table) else None
    if done.beside is not None:
        files.append((done.beside, proto_bytes(source), None))  # type: ignore[arg-type]
    if done.table is not None and source is not None:
        from ..artifacts.export_table import export_table

        table = export_table(source, done.result.image, tie=o.parse_ties(compiler.tie))
        files.append((done.table, table, None))
    write_together(files)


def given_in(context: typer.Context) -> Callable[[str], bool]:
    """Return the function that says whether the command line has the option of a parameter."""

    def was_given(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name == "COMMANDLINE"

    return was_given


def samples_of(data: Path | None, model: Path | None, compiler: Compiler, classes: str | None) -> Dataset | None:
    """Return the samples of --data; None without it. Raises DataError if the model does not take them."""
    if data is None:
        return None
    return o.read_for(data, compiler.expected(model) if model is not None else None, split_names(classes))


def names_of(classes: str | None, samples: Dataset | None, serves: bool) -> tuple[str, ...] | None:
    """Return the names that the options give to the classes.

    serves: whether the samples have another use. Raises ModelError for samples without any use.
    """
    if classes is not None or samples is None or samples.classes is not None or serves:
        return split_names(classes) or (samples.classes if samples is not None else None)
    hint = (
        "--check compares on them, --loss-set weight=balanced counts their classes, and with --ram, --flash, "
        "--ms-per-step or --board they measure what layers gain"
    )
    raise ModelError("--data has labels without names, and nothing uses its numbers", hint)


def check_source(model: Path | None, artifacts: Path | None, resume: Path | None, given: budget.Budget) -> None:
    """Raise ModelError unless either a model or artifacts are given, with valid options."""
    if (model is None) == (artifacts is None):
        raise ModelError(
            "name either a model or a folder of artifacts", "gradmote compile model.onnx, or --artifacts DIR"
        )
    if resume is not None and artifacts is None:
        raise ModelError("--resume without --artifacts", "gradmote train model.mote --resume FILE goes on from a .gmck")
    if artifacts is not None and given.is_given():
        raise ModelError("--artifacts fixes what trains, which a budget would choose", "compile the model itself")


def check_training_options(compiler: Compiler, was_given: Callable[[str], bool]) -> None:
    """Raise ModelError for an option of the training, if the image would only infer for want of a loss."""
    names = [name for name in _OF_TRAINING if was_given(name)] if compiler.loss is None else []
    if names:
        raise ModelError(
            f"--{option_name(names[0])} without --loss: the image would only infer",
            "name the loss, such as --loss cross_entropy, or leave the option out",
        )


def summary(result: Result) -> dict[str, object]:
    """Return the figures of the image for JSON: bytes by part, and what is trained."""
    from ..report.image_reports import in_float, kept_copies, saved_values, updates_of

    layout = result.layout
    return {
        "image_bytes": len(result.image),
        "arena_bytes": layout.arena_size,
        "state_bytes": layout.state_size,
        "parameters_bytes": layout.parameters_size,
        "gradients_bytes": layout.gradients_size,
        "inputs_bytes": layout.inputs_size,
        "store": result.compiled.store and as_dict(result.compiled.store),
        "overwrites_inputs": result.compiled.overwrites_inputs,
        "batch": result.compiled.batch,
        "batch_norm": result.batch_norm,
        "shared_weights": result.shared,
        "left_out": result.left_out,
        "sample_axes": result.sample_axes,
        "scheme": result.compiled.scheme or None,
        "classes": list(result.compiled.classes),
        "trained": [p.name for p in result.compiled.parameters],
        "updates": asdict(updates_of(result.compiled)),
        "copies": [asdict(c) for c in kept_copies(result.compiled)],
        "saved": [asdict(s) for s in saved_values(result.compiled)],
        "front": [asdict(t) for t in result.front],
        "streamed": {p.kind: [asdict(s) for s in p.streamed] for p in result.compiled.programs if p.streamed},
        "in_float": [asdict(n) for n in in_float(result.compiled)],
        "scratch_bytes": {
            k: {"peak": p.peak, "lower_bound": p.bound, "optimal": p.is_optimal} for k, p in layout.placements.items()
        },
    }


def describe_copies(copies: list[Copy]) -> list[str]:
    """Return one line on the copies that a program needs, or none."""
    from ..report.image_reports import by_reason

    if not copies:
        return []
    return [f"            {len(copies)} copies, {sum(c.bytes for c in copies):,} B: {by_reason(copies)}"]


def describe_streamed(part: Streamed) -> str:
    """Return one line on a part of a program that runs row by row."""
    return f"{part.first} to {part.last} row by row: {part.kept:,} B instead of {part.whole:,} B"


def as_dict(store: Store) -> dict[str, object]:
    """Return the sample store for JSON."""
    return {"capacity": store.capacity, "classes": store.classes, "dtype": store.dtype, "bytes": store.buffer.size}


def describe_store(store: Store) -> str:
    """Return one line on the samples that the state keeps."""
    kind = STORED[store.dtype]
    return f"store {store.capacity} samples of {store.classes} classes, {kind}: {store.buffer.size:,} B of the state"


def describe(path: Path, result: Result) -> str:
    """Return the figures of the image as lines of text."""
    from ..data.quoting import listed
    from ..report.image_reports import (
        copies_of,
        describe_in_float,
        describe_profiles,
        describe_saved,
        describe_updates,
        in_float,
        saved_of,
        updates_of,
    )

    layout = result.layout
    inputs = "inputs in the scratch" if result.compiled.overwrites_inputs else f"inputs {layout.inputs_size:,} B"
    lines = [
        f"{path}: image {len(result.image):,} B (flash), arena {layout.arena_size:,} B (RAM), "
        f"batch {result.compiled.batch}",
        f"  state {layout.state_size:,} B (parameters {layout.parameters_size:,} B), "
        f"gradients {layout.gradients_size:,} B, {inputs}",
    ]
    for program in result.compiled.programs:
        placement = layout.placements[program.kind]
        lines.append(
            f"  {program.kind:<9} {len(program.instructions):>3} instructions, scratch {placement.peak:,} B "
            f"(lower bound {placement.bound:,} B, {'optimal' if placement.is_optimal else 'best found'})"
        )
        lines += describe_copies(list(copies_of(program)))
        lines += [f"            {describe_streamed(s)}" for s in program.streamed]
        lines += [f"            {describe_saved(s)}" for s in saved_of(program)]
    if result.compiled.classes:
        lines.append(f"  the classes are {listed(result.compiled.classes, 10)}")
    if result.compiled.store is not None:
        lines.append(f"  {describe_store(result.compiled.store)}")
    if result.compiled.parameters:
        lines.append(f"  {describe_updates(updates_of(result.compiled))}")
    lines += [f"  {line}" for line in describe_profiles(result.compiled)]
    if result.batch_norm is not None:
        lines.append(f"  {o.describe_batch_norm(*result.batch_norm)}")
    if result.shared:
        lines.append(f"  {o.describe_shared(result.shared)}")
    if result.sample_axes:
        lines.append(f"  {o.describe_sample_axes(result.sample_axes)}")
    if result.left_out:
        lines.append(f"  {o.describe_left_out(result.left_out)}")
    lines += [f"  {line}" for line in describe_in_float(in_float(result.compiled))]
    return "\n".join([*lines, f"  {describe_training(result.compiled)}"])


def describe_training(compiled: Compiled) -> str:
    """Return one line on what trains, and how."""
    from ..report.image_reports import describe_optimizer

    if not compiled.parameters:
        return "trains nothing: this image only infers"
    scheme = f" ({compiled.scheme})" if compiled.scheme else ""
    return f"trains {', '.join(p.name for p in compiled.parameters)}{scheme}, {describe_optimizer(compiled)}"
