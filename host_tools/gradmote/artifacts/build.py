"""The offline phase, which turns an inference model into three models and a checkpoint.

All three models are plain ONNX: gradient operators that ONNX lacks are in the domain `gradmote` and
carry a body in standard operators, so any ONNX runtime can run them.

    training_model.onnx   inputs: data, labels; outputs: loss, [additional outputs],
                          <parameter>_grad ..., <running statistic>_new ...
    eval_model.onnx       inputs: data, labels; outputs: loss, the model's outputs
    optimizer_model.onnx  inputs: learning_rate, gradient_scale, <parameter>, <parameter>_grad,
                          moments ...; outputs: the same names with `_new`
    checkpoint            parameters and running statistics, in Gradmote's checkpoint format (.gmck)

Trained parameters and running statistics are both initializers and inputs: the models run as they
are, and a caller may pass newer values. Files of the first two have onnxruntime's inputs and outputs
(file_form.py).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import onnx_ir as ir

from ..errors import ModelError
from ..frontend import Inputs, Source, left_out, load_model
from ..frontend.parameters import candidates, some, trainable
from ..frontend.registry import attach_functions
from ..ir.collector import uncollected
from ..ir.graph import data_of
from ..ir.metadata import BATCH_NORM, EQUAL, LOSS_SCALE, SCHEME, SHARED_WEIGHTS, STATISTICS, TIED, UNSURE, WEIGHTS
from ..ir.metadata import FROZEN as FROZEN_WEIGHTS
from ..losses import Loss
from ..optimizers import Optimizer
from ..rewrite import pipeline
from ..rewrite.batch_norm import FROZEN, INFERENCE
from . import split_channels
from .artifact_options import ArtifactOptions
from .artifacts import Artifacts, Models
from .float_head import with_float_head
from .optimizer_model import optimizer_model
from .schemes import Scheme, choose
from .training_graph import expose_parameters, with_gradients, with_loss

log = logging.getLogger(__name__)


def build_artifacts(
    model: Source,
    train: Sequence[str] | None = None,
    loss: Loss | None = None,
    optimizer: Optimizer | None = None,
    *,
    freeze: Sequence[str] | None = None,
    scheme: Scheme | str | None = None,
    keep: Sequence[str] = (),
    outputs: Sequence[str] | None = None,
    additional_outputs: Sequence[str] = (),
    loss_inputs: Sequence[str] | None = None,
    batch_norm: str | None = None,
    running_variance: str = "population",
    loss_scale: float = 1.0,
    untie: bool = False,
    tie: Sequence[tuple[str, str]] = (),
    inputs: Inputs | None = None,
    float_head: bool = False,
    input_gradients: Sequence[str] = (),
) -> Artifacts:
    """Return the artifacts in memory. ArtifactOptions explains all other arguments.

    train / freeze: names or patterns (None, None: all weights; [] trains nothing). scheme: a Scheme
    or its text, instead of both.
    """
    options = ArtifactOptions.training(
        train,
        freeze,
        scheme,
        loss=loss,
        optimizer=optimizer,
        keep=keep,
        outputs=outputs,
        additional_outputs=additional_outputs,
        loss_inputs=loss_inputs,
        batch_norm=batch_norm,
        running_variance=running_variance,
        loss_scale=loss_scale,
        untie=untie,
        tie=tie,
        inputs=inputs,
        float_head=float_head,
        input_gradients=input_gradients,
    )
    return make(model, options)


@uncollected
def make(model: Source, options: ArtifactOptions, known: Forwards | None = None) -> Artifacts:
    """Return the artifacts in memory, as the options ask.

    known: forward graphs of this model, for options that differ only in the scheme and the optimizer.
    """
    forward, names = read_forward(model, options, known)
    made = Artifacts(
        Models(forward),
        data_of(forward.graph, names),
        options.optimizer.learning_rate if options.optimizer else 1e-3,
        data_of(forward.graph, STATISTICS.read(forward.graph, []) if names else []),
        [n for n in left_out(forward.graph) if n not in names] if options.trained else [],
        data_of(forward.graph, check_frozen(forward.graph, options.keep)),
    )
    log.info("%d of %d initializers are trained", len(names), len(forward.graph.initializers))
    made.models = make_models(made, options)
    return made


# ---- The forward graph


def read_forward(model: Source, options: ArtifactOptions, known: Forwards | None = None) -> tuple[ir.Model, list[str]]:
    """Return the forward graph in normal form, and the names of the trained parameters.

    Weights that train only some channels are split in two in that graph.
    """
    scheme = options.trained
    named = [name for part in scheme.parts() if part.kind != "freeze" for name in part.names] if scheme else []
    forward = load_forward(model, options, named) if known is None else known.of(model, options, named)
    forward.producer_name = "gradmote"
    log.info("read the model: %d nodes in normal form", len(forward.graph))
    warn_without_batch_norm(options.batch_norm, forward.graph)
    return (forward, []) if scheme is None else choose_trained(forward, scheme)


def load_forward(model: Source, options: ArtifactOptions, named: Sequence[str]) -> ir.Model:
    """Return the forward graph in normal form; constants in `named` are not folded."""
    mode = options.batch_norm or FROZEN
    if options.trained is None and mode == FROZEN:
        mode = INFERENCE
    source = with_float_head(model, options) if options.float_head else model
    return load_model(source, options.outputs, mode, options.ties, options.inputs, named)


class Forwards:
    """The forward graphs that several calls of make() for one model share.

    They can differ only in the names of what trains: constants of these names are not folded. A weight of
    the model never is.
    """

    def __init__(self) -> None:
        """Start without graphs."""
        self.read: dict[tuple[bool, frozenset[str]], ir.Model] = {}
        self.weights: set[str] = set()

    def of(self, model: Source, options: ArtifactOptions, named: Sequence[str]) -> ir.Model:
        """Return a copy of the forward graph."""
        key = options.trained is None, frozenset(named) - self.weights
        if key not in self.read:
            forward = load_forward(model, options, named)
            self.weights = set(WEIGHTS.read(forward.graph, []))
            key = key[0], key[1] - self.weights
            self.read[key] = forward
        return self.read[key].clone()


def choose_trained(forward: ir.Model, scheme: Scheme) -> tuple[ir.Model, list[str]]:
    """Return the forward graph, with some weights split, and the names of what trains."""
    names, shares = choose(forward.graph, scheme)
    if shares:
        forward, names = split_channels.run(forward, shares, names)
    warn_of_shared(forward.graph, names)
    warn_of_ties(forward.graph)
    if any(part.kind in ("full", "freeze") for part in scheme.parts()):
        warn_of_unsure(forward.graph, names)
    return forward, names


def warn_without_batch_norm(wanted: str | None, graph: ir.Graph) -> None:
    """Warn if a mode was requested but the model has no BatchNormalization."""
    if wanted is not None and not BATCH_NORM.stands_in(graph):
        log.warning(
            "this model has no BatchNormalization, so batch norm '%s' changes nothing. PyTorch's exporter folds it "
            "into the weights before; torch.onnx.export(..., optimize=False) keeps it",
            wanted,
        )


def warn_of_unsure(graph: ir.Graph, names: Sequence[str]) -> None:
    """Warn of constants that train although they may be buffers of the model's code."""
    unsure = [n for n in UNSURE.read(graph, []) if n in names]
    if unsure:
        log.warning(
            "%s: trained, though no layer uses %s as its weight, bias or scale; if these are tables or settings of the "
            "model's code, leave them as they are: --freeze NAME (freeze=[...]), or --scheme freeze:NAME",
            some(unsure, 5),
            "it" if len(unsure) == 1 else "them",
        )


def warn_of_shared(graph: ir.Graph, names: Sequence[str]) -> None:
    """Warn of weights that several nodes share, which may surprise the model's user."""
    told = TIED.read(graph, {}).values()
    shared = {n: users for n, users in SHARED_WEIGHTS.read(graph, {}).items() if n in names and n not in told}
    if shared:
        log.warning(
            "%s; each trains as one weight. If they are not tied on purpose, an exporter merged what was equal: "
            "--untie (untie=True) gives each node its own copy",
            "; ".join(f"'{name}' is used by {some(users)}" for name, users in shared.items()),
        )


def warn_of_ties(graph: ir.Graph) -> None:
    """Warn of weights that were joined because they are copies, and of equal ones that were not."""
    tied, equal = TIED.read(graph, {}), EQUAL.read(graph, [])
    if tied:
        log.warning(
            "%s that an exporter computed, and both train as one weight again; --untie (untie=True) trains them apart",
            "; ".join(f"'{copy}' is a copy of '{weight}'" for copy, weight in tied.items()),
        )
    if equal:
        log.warning(
            "the same numbers at the start, and trained apart: %s; --tie A,B (tie=[(A, B)]) trains a pair as one",
            some([f"{one} and {other}" for one, other in equal], 3),
        )


def check_frozen(graph: ir.Graph, names: Sequence[str]) -> list[str]:
    """Return the names, each once.

    Raises ModelError for a name that is not a trainable initializer.
    """
    known = trainable(graph)
    missing = [name for name in names if name not in known]
    if missing:
        raise ModelError(f"no weight is called {', '.join(missing)}", f"the model's weights are {some(known)}")
    return list(dict.fromkeys(names))


# ---- The other models


def make_models(made: Artifacts, options: ArtifactOptions) -> Models:
    """Return all models that the options ask for; `made` has only the forward graph so far."""
    forward, names = made.models.inference, list(made.parameters)
    changeable = {*names, *made.frozen, *made.statistics}
    scored = with_loss(forward, options) if options.loss is not None else None
    is_training = bool(names or options.input_gradients)
    training = make_training(scored, made, options) if scored is not None and is_training else None
    inference = for_inference(forward.clone(), changeable)
    if scored is not None:
        for_inference(scored, changeable)
        expose_parameters(scored.graph, [*names, *made.statistics])
    step = optimizer_model(options.optimizer, made.parameters, forward) if options.optimizer and names else None
    return Models(inference, scored, training, step)


def make_training(scored: ir.Model, made: Artifacts, options: ArtifactOptions) -> ir.Model:
    """Return the training model, with notes on the settings that Artifacts and load_artifacts() read."""
    training = with_gradients(scored, list(made.parameters), options)
    FROZEN_WEIGHTS.write(training, list(made.frozen))
    SCHEME.write(training, str(chosen(options, made.models.inference.graph, made)))
    if options.loss_scale != 1.0:
        LOSS_SCALE.write(training, options.loss_scale)
    return training


def chosen(options: ArtifactOptions, graph: ir.Graph, made: Artifacts) -> Scheme | None:
    """Return the scheme, or the full one if it names all weights."""
    is_named = options.scheme is not None and options.scheme.kind == "named" and options.scheme.beside is None
    return Scheme() if is_named and set(made.parameters) >= set(candidates(graph)) else options.scheme


def for_inference(model: ir.Model, changeable: set[str]) -> ir.Model:
    """Apply the passes for inference to the model, and return it.

    changeable: initializers that are not folded, because their data may change later.
    """
    return attach_functions(pipeline.for_inference(model, changeable))
