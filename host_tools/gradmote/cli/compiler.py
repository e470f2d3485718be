"""The options of every command that compiles a model, and the compiler configured by them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ModelError
from . import options as o
from .shared_options import parameters_of, with_shared

__all__ = ["Compiler", "batch_of", "parameters_of", "with_compiler"]

if TYPE_CHECKING:
    from ..artifacts.artifact_options import ArtifactOptions
    from ..artifacts.artifacts import Artifacts
    from ..artifacts.schemes import Scheme
    from ..budget.recompute import Wish
    from ..compiler.compile import Result
    from ..compiler.options import Options
    from ..data import Expected
    from ..frontend import Inputs, Source


@dataclass(frozen=True)
class Compiler:
    """A compiler from a model's path to an image, configured by the options of the command line.

    Each field is an option, in the order of --help. Heavy modules are imported when they are first used.
    """

    loss: o.LossOption = None
    optimizer: o.OptimizerOption = o.OptimizerName.sgd
    batch: o.Batch = 1
    train: o.Train = None
    freeze: o.Freeze = None
    scheme: o.SchemeOption = None
    accumulate: o.Accumulate = False
    lr: o.LearningRate = 1e-3
    optimizer_set: o.OptimizerSettings = None
    group: o.Groups = None
    max_update: o.MaxUpdate = None
    loss_set: o.LossSettings = None
    label_smoothing: o.LabelSmoothing = None
    ignore_index: o.IgnoreIndex = None
    mask: o.Mask = False
    output: o.Outputs = None
    batch_norm: o.BatchNormOption = None
    running_variance: o.RunningVarianceOption = o.RunningVariance.population
    untie: o.Untie = False
    tie: o.Tie = None
    dim: o.Dims = None
    shape: o.Shapes = None
    constant: o.Constants = None
    quantize: o.Quantize = False
    calibrate: o.Calibrate = None
    activations: o.ActivationsOption = None
    weights: o.WeightsOption = None
    gradients: o.GradientsOption = None
    moments: o.MomentsOption = None
    float_head: o.FloatHead = False
    loss_scale: o.LossScale = 1.0
    seed: o.Seed = 0
    properties: o.Properties = 4
    strip_names: o.StripNames = False
    image_version: o.ImageVersion = 0
    overwrite_inputs: o.OverwriteInputs = False
    stream_rows: o.StreamRows = None
    store: o.StoreSize = None
    store_as: o.StoreForm = o.StoreAs.int8
    store_data: o.StoreData = None
    recompute: o.RecomputeOption = None
    saved: o.SavedOption = None
    attention: o.AttentionOption = None
    plan: o.PlanOption = o.Plan.fast

    def __call__(self, model: Path, scheme: Scheme | None = None) -> Result:
        """Compile the model; a given scheme replaces that of the options."""
        return self.image_of(*self.prepared(model, scheme))

    def prepared(self, model: Path, scheme: Scheme | None = None) -> tuple[Artifacts, Options]:
        """Return the artifacts of the model and the options of their image."""
        from ..compiler.compile import artifacts_for

        self.check()
        wanted = self.artifact_options()
        options = self.options(model)
        chosen = wanted if scheme is None else replace(wanted, scheme=scheme)
        return artifacts_for(self.source(model), chosen, options), options

    def check(self) -> None:
        """Raise ModelError for options that are wrong for any model, before the model is read."""
        self.wish()
        if self.saved is o.Saved.bf16 and self.loss is None:
            raise ModelError("--saved bf16 without --loss: an image that only infers saves nothing", "give --loss")
        if self.saved is o.Saved.bf16 and self.quantize:
            hint = "leave one of them out: a quantized model keeps one byte per element"
            raise ModelError("--saved bf16 with --quantize", hint)

    def image_of(self, artifacts: Artifacts, options: Options) -> Result:
        """Compile artifacts, within the limits of --recompute. Raises BudgetError if no plan meets them."""
        from ..compiler.compile import compile_image

        wish = self.wish()
        if wish is None:
            return compile_image(artifacts, options)
        from ..budget.recompute import compile_within

        return compile_within(artifacts, options, wish)

    def wish(self) -> Wish | None:
        """Return the wish of --recompute. Raises ModelError if it is neither a size nor a percentage of time."""
        if self.recompute is None:
            return None
        from ..budget.recompute import Wish

        return Wish.parse(self.recompute)

    def source(self, model: Path) -> Source:
        """Return the model to compile: the file at the path, or its quantized form with --quantize."""
        from . import quantizing

        quantizing.check(self.quantize, self.calibrate, self.activations is not None)
        if not self.quantize or self.calibrate is None:
            return str(model)
        activations = self.activations or o.Activations.int8
        return quantizing.quantized(model, self.calibrate, activations.value)

    def artifact_options(self) -> ArtifactOptions:
        """Return the options of build_artifacts(). Raises ModelError."""
        from ..artifacts.artifact_options import ArtifactOptions

        name = None if self.loss is None else self.optimizer
        return ArtifactOptions.training(
            self.train,
            self.freeze,
            self.scheme,
            inputs=o.parse_inputs(self.shape, self.constant),
            loss=o.make_loss(self.loss, self.loss_set, self.label_smoothing, self.ignore_index, self.mask),
            optimizer=o.make_optimizer(name, self.lr, self.optimizer_set, self.max_update, self.group),
            outputs=self.output,
            batch_norm=self.batch_norm and self.batch_norm.value,
            running_variance=self.running_variance.value,
            loss_scale=self.loss_scale,
            untie=self.untie,
            tie=o.parse_ties(self.tie),
            float_head=self.float_head,
        )

    def expected(self, model: Path) -> Expected | None:
        """Return what the model takes; None if options change that."""
        from ..data.expected import expected_of_onnx

        return None if self.shape or self.constant else expected_of_onnx(model)

    def options(self, model: Path | None = None) -> Options:
        """Return the options of compile_image(). Raises ModelError or DataError.

        model: its path, to check the samples of --store-data against it.
        """
        from ..compiler.options import Options

        expected = self.expected(model) if self.store_data and model else None
        return Options(
            batch=batch_of(self.batch, o.parse_inputs(self.shape, self.constant)),
            accumulate=self.accumulate,
            dims=o.parse_dims(self.dim),
            seed=self.seed,
            properties=self.properties,
            strip_names=self.strip_names,
            overwrite_inputs=self.overwrite_inputs,
            stream_rows=self.stream_rows,
            store=o.make_store(self.store, self.store_as, self.store_data, expected),
            exact_plan=self.plan is o.Plan.exact,
            tell=o.tell,
            image_version=self.image_version,
            weights=self.weights and self.weights.value,
            gradients=self.gradients and self.gradients.value,
            moments=self.moments and self.moments.value,
            saved=self.saved and self.saved.value,
            attention=self.attention and self.attention.value,
        )


def batch_of(batch: int, inputs: Inputs | None) -> int | None:
    """Return the batch of the given shapes, or None if they have none in common; --batch if it names another.

    Inputs such as states besides data have no common first dimension.
    """
    shapes = list(inputs.shapes.values()) if inputs is not None else []
    if not shapes or any(isinstance(d, str) for shape in shapes for d in shape):
        return batch
    firsts = {int(shape[0]) for shape in shapes if shape}
    if len(firsts) != 1:
        return None
    return batch if batch != 1 else firsts.pop()


#: The decorator of commands that compile.
with_compiler = with_shared("compiler", Compiler)
