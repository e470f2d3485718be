"""One training state and the sessions that work on it.

Between sessions the state is in arrays. The first call with a new batch size compiles an image for
it; a call with another batch size than the last one copies the state into arrays, and from there into
that batch size's session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gradmote_runtime import Session
from gradmote_runtime.frequent_calls import reset_of_gradients, update_on_sum

from ..artifacts.artifacts import Artifacts
from ..artifacts.files import with_weights
from ..artifacts.resume import with_corrections
from ..compiler.compile import Result, compile_image
from ..compiler.options import Options
from ..errors import CheckpointError, DataError
from ..formats import checkpoint as checkpoint_format
from ..formats import records
from ..formats.checkpoint import Checkpoint
from ..formats.onnxruntime import with_shapes
from ..formats.properties_trailer import fits_slot
from ..optimizers import Optimizer as OptimizerRule
from .inputs import Sizes, user_inputs

_CONTROL_SIZE = records.size_of("control")
_MODEL_ID = slice(16, 32)  # bytes of an image's header
_PROPERTY_SLOTS = 4
_ANY_MODEL = bytes(16)

#: What onnxruntime says if the data of a nominal checkpoint is needed.
LOAD_FIRST = "Please load the model parameters first."


@dataclass
class Opened:
    """A session with its image.

    update_on_sum(), reset_gradients(): the functions from frequent_calls.py for the session.
    """

    session: Session
    result: Result

    def __post_init__(self) -> None:
        """Make the functions of the session."""
        self.update_on_sum = update_on_sum(self.session)
        self.reset_gradients = reset_of_gradients(self.session)

    @cached_property
    def order(self) -> list[str]:
        """Return the names of inputs, then labels, in the order of the session's arguments."""
        return [str(t["name"]) for t in (*self.session.inputs(), *self.session.labels())]

    def outputs(self, names: Sequence[str], program: str) -> list[memoryview]:
        """Return views of outputs by name; each run of the program fills them again."""
        known = [t["name"] for t in self.session.outputs(program)]
        return [self.session.output(known.index(name), program) for name in names]

    def control(self) -> memoryview:
        """Return a writable view of the control record as 32-bit words.

        The runtime then checks the whole state before the next update. session.control() only reads.
        """
        at = self.result.layout.control_offset
        return self.session.state()[at : at + _CONTROL_SIZE].cast("I")

    def state_bytes(self, name: str) -> memoryview:
        """Return a view of the bytes of a parameter, statistic or moment."""
        buffer = next(p.buffer for p in self.result.compiled.state() if p.name == name)
        at = self.result.layout.offsets[buffer]
        return self.session.state()[at : at + buffer.size]


class Twin:
    """The parameters, moments, counters and gradients of one model, at any batch size.

    current: the session that has the state, or None while the state is in arrays.
    """

    def __init__(self, start: Checkpoint) -> None:
        """Begin with the contents of a checkpoint; no model is attached yet."""
        self.artifacts: Artifacts | None = None
        self._arrays = start  # the state, while it is in no session
        self._gradients: dict[str, np.ndarray] = {}
        self._missing = set(start.parameters) if start.nominal else set()
        self._frozen = {} if start.nominal else dict(start.frozen)
        self._slots = _PROPERTY_SLOTS if start.property_slots is None else start.property_slots
        self._sessions: dict[Sizes, Opened] = {}
        self.current: Opened | None = None
        self._default = Sizes(1)

    # ---- Models

    def attach(self, artifacts: Artifacts) -> None:
        """Attach models, or newer ones (when an optimizer is added).

        The state is unchanged, including its frozen weights.
        """
        self._settle()
        self._sessions.clear()
        check_frozen(artifacts.frozen, self._frozen)
        changed = {n: a for n, a in self._frozen.items() if not np.array_equal(a, artifacts.frozen[n])}
        self.artifacts = with_weights(artifacts, changed) if changed else artifacts
        self._frozen = dict(self.artifacts.frozen)
        self._default = default_sizes(artifacts)
        if artifacts.models.optimizer is not None:
            self._arrays.control.setdefault("learning_rate", artifacts.learning_rate)
            self._arrays.control.setdefault("base_learning_rate", artifacts.learning_rate)

    def taken_over(self, shapes: dict[str, list[int]]) -> Checkpoint:
        """Return the state for onnxruntime's models, from which a nominal checkpoint gets its shapes.

        Raises CheckpointError for a nominal checkpoint of a model with frozen parameters.
        """
        self._settle()
        if self._arrays.nominal and self._arrays.frozen:
            raise CheckpointError(
                f"the nominal checkpoint has no data for {', '.join(self._arrays.frozen)}, which stay as they are",
                "load the checkpoint that generate_artifacts wrote beside it",
            )
        self._arrays = with_shapes(self._arrays, shapes)
        return replace(self._arrays, frozen=dict(self._frozen))

    def move_statistics(self, statistics: Mapping[str, np.ndarray]) -> None:
        """Turn frozen weights that training updates, the running statistics, into state."""
        for name in [name for name in self._frozen if name in statistics]:
            self._arrays.tensors[name] = self._frozen.pop(name)
            self._arrays.statistics.append(name)

    def complete(self, optimizer: OptimizerRule, corrects_bias: bool) -> None:
        """Add what onnxruntime recomputes in each step: the bias corrections of the moments."""
        self._settle()
        self._arrays = with_corrections(self._arrays, optimizer, corrects_bias)

    def at(self, sizes: Sizes) -> Opened:
        """Return the session for these sizes, with the state in it.

        Raises ModelError or CheckpointError; the state is then unchanged.
        """
        if self.artifacts is None:
            raise CheckpointError("the state has no model yet", "pass it to a Module")
        if self._missing:
            raise CheckpointError(
                f"the nominal checkpoint has no data for {', '.join(sorted(self._missing))}. {LOAD_FIRST}",
                "call copy_buffer_to_parameters()",
            )
        if sizes not in self._sessions:
            self._sessions[sizes] = self._open(self.artifacts, sizes)
        target = self._sessions[sizes]
        if target is not self.current:
            self._settle()
            self._restore(target)
            self.current = target
        return target

    def any(self) -> Opened:
        """Return the session that has the state, or else one for a single sample.

        A model that fixes its batch gets that batch.
        """
        if self.current is None:
            self.at(self._default)
        assert self.current is not None
        return self.current

    # ---- Parameters

    @property
    def missing(self) -> set[str]:
        """Return the names of the parameters that have no data, because the checkpoint was nominal."""
        return self._missing

    @property
    def names(self) -> list[str]:
        """Return the names of the trained parameters."""
        return list(self._arrays.parameters)

    @property
    def frozen_names(self) -> list[str]:
        """Return the names of the state's untrained weights."""
        return list(self._frozen)

    def parameter(self, name: str) -> np.ndarray:
        """Return a copy of one parameter, trained or frozen.

        Raises DataError if a nominal checkpoint has no data for it.
        """
        if name in self._frozen:
            return self._frozen[name].copy()
        if name in self._missing:
            raise no_data(name, LOAD_FIRST)
        if self.current:
            return np.array(self.current.session.parameter(name))
        return self._arrays.tensors[name].copy()

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of one parameter, trained or frozen."""
        if name in self._frozen:
            return self._frozen[name].shape
        return self._arrays.tensors[name].shape

    def dtype(self, name: str) -> np.dtype:
        """Return the type of one parameter's elements, trained or frozen."""
        return (self._frozen[name] if name in self._frozen else self._arrays.tensors[name]).dtype

    def loaded(self) -> dict[str, np.ndarray]:
        """Return the parameters as last copied into arrays; zeros for a nominal checkpoint."""
        return {n: self._arrays.tensors[n] for n in self.names}

    def set_parameter(self, name: str, data: np.ndarray) -> None:
        """Overwrite one parameter, trained or frozen.

        Raises DataError for another dtype or shape.
        """
        if name in self._frozen:
            self._set_frozen(name, data)
            return
        target = np.asarray(self.current.session.parameter(name)) if self.current else self._arrays.tensors[name]
        check_data(name, target, data)
        target[...] = data
        self._missing.discard(name)

    def _set_frozen(self, name: str, data: np.ndarray) -> None:
        """Replace a frozen weight.

        It is a constant in images, so each image is compiled again when it is needed.
        """
        check_data(name, self._frozen[name], data)
        self._settle()
        self._sessions.clear()
        self._frozen[name] = data.copy()
        self._arrays.model_id = _ANY_MODEL  # the model's id is a digest of frozen weights too
        if self.artifacts is not None:
            self.artifacts = with_weights(self.artifacts, {name: self._frozen[name]})

    def statistics(self) -> dict[str, np.ndarray]:
        """Return copies of the running statistics."""
        arrays = self._arrays
        if self.current is None:
            return {n: arrays.tensors[n].copy() for n in arrays.statistics}
        return {n: np.frombuffer(self.current.state_bytes(n), np.float32).copy() for n in arrays.statistics}

    def gradient(self, name: str) -> np.ndarray | None:
        """Return a copy of the gradients' sum since the last reset; zeros without gradients.

        None for a frozen weight, and if no model is attached.
        """
        if self.artifacts is None or name in self._frozen:
            return None
        found = self._accumulated(name)
        return np.zeros(self.shape(name), np.float32) if found is None else found

    def _accumulated(self, name: str) -> np.ndarray | None:
        if self.current is None:
            array = self._gradients.get(name)
            return None if array is None else array.copy()
        session = self.current.session
        return np.array(session.gradient(name)) if session.control()["accumulated"] else None

    def lazy_reset_grad(self) -> None:
        """Make the next training step start from zero gradients."""
        if self.current:
            self.current.reset_gradients()
            return
        self._gradients.clear()
        self._arrays.control.pop("accumulated", None)

    # ---- Updates

    @property
    def learning_rate(self) -> float:
        """Return the rate of the next update.

        Setting it ends any schedule, and raises DataError unless the rate is finite and not
        negative.
        """
        return self.current.session.learning_rate if self.current else float(self._arrays.control["learning_rate"])

    @learning_rate.setter
    def learning_rate(self, rate: float) -> None:
        if not (np.isfinite(rate) and rate >= 0):
            raise DataError(f"learning rate {rate}", "it must be finite and not negative")
        if self.current:
            self.current.session.learning_rate = rate
        else:
            self._arrays.control.update(learning_rate=rate, base_learning_rate=rate, schedule=0)

    @property
    def optimizer_steps(self) -> int:
        """Return the number of updates since the state was made."""
        if self.current:
            return int(self.current.session.control()["optimizer_steps"])
        return int(self._arrays.control.get("optimizer_steps", 0))

    def step_on_sum(self) -> None:
        """Update once with the sum of the accumulated gradients, like onnxruntime."""
        (self.current or self.any()).update_on_sum()

    # ---- Checkpoints

    def save(self) -> bytes:
        """Return a host checkpoint: only parameters, running statistics and frozen weights."""
        trained = {n: self.parameter(n) for n in self.names}
        return checkpoint_format.pack(trained, self.statistics(), frozen=self._frozen)

    def save_with_optimizer(self, properties: Mapping[str, int | float | str]) -> bytes:
        """Return a checkpoint in the form that a device writes and reads.

        properties: those that fit go into its slots. Raises CheckpointError if no optimizer is attached.
        """
        if self.artifacts is None or self.artifacts.models.optimizer is None:
            raise CheckpointError("there is no optimizer state to save", "attach an Optimizer, or leave it out")
        session = self.any().session
        fill_slots(session, properties, self._slots)
        return session.save() + (checkpoint_format.pack(self._frozen) if self._frozen else b"")

    # ---- Internals

    def _open(self, artifacts: Artifacts, sizes: Sizes) -> Opened:
        options = Options(batch=sizes.batch, accumulate=True, dims=dict(sizes.dims), properties=self._slots)
        result = compile_image(artifacts, options)
        return Opened(Session(result.image), result)

    def _settle(self) -> None:
        """Copy the state from the current session into arrays."""
        if self.current is None:
            return
        before, session = self._arrays, self.current.session
        self._gradients = {n: g for n in self.names if (g := self._accumulated(n)) is not None}
        self._arrays = checkpoint_format.unpack(session.save())
        if self.artifacts is not None and self.artifacts.models.optimizer is None:
            keep_optimizer_state(self._arrays, before)
        self.current = None

    def _restore(self, target: Opened) -> None:
        """Copy the arrays into a session."""
        self._check_model(target)
        for tensor in target.result.compiled.state():
            if tensor.name in self._arrays.tensors:
                target.state_bytes(tensor.name)[:] = self._arrays.tensors[tensor.name].tobytes()
        control = target.control().cast("B")
        control[:] = records.pack("control", {**records.unpack("control", bytes(control)), **self._arrays.control})
        if not self._gradients:
            target.session.lazy_reset_grad()
        for name, gradient in self._gradients.items():
            np.asarray(target.session.gradient(name))[...] = gradient

    def _check_model(self, target: Opened) -> None:
        """Raise CheckpointError if the state's moments belong to another model or rule."""
        with_optimizer = self.artifacts is not None and self.artifacts.models.optimizer is not None
        if with_optimizer and self._arrays.model_id not in (_ANY_MODEL, target.result.image[_MODEL_ID]):
            raise CheckpointError(
                "the checkpoint belongs to another model or optimizer",
                "load the one that was saved with this model, or one without optimizer state",
            )


def no_data(name: str, words: str) -> DataError:
    """Return the error for a parameter that has no data. words: onnxruntime's."""
    return DataError(f"the nominal checkpoint has no data for '{name}'. {words}", "call copy_buffer_to_parameters()")


def check_data(name: str, own: np.ndarray, data: np.ndarray) -> None:
    """Raise DataError if dtype or shape differs from the parameter's."""
    if data.dtype != own.dtype or data.shape != own.shape:
        given = f"{data.dtype} {list(data.shape)} was given"
        raise DataError(f"parameter '{name}' is {own.dtype} {list(own.shape)}; {given}")


def check_frozen(expected: Mapping[str, np.ndarray], found: Mapping[str, np.ndarray]) -> None:
    """Raise CheckpointError unless each frozen weight in the checkpoint is one of the model's."""
    for name, array in found.items():
        if name not in expected or expected[name].shape != array.shape:
            raise CheckpointError(
                f"the checkpoint belongs to another model: it has a frozen weight '{name}' of shape "
                f"{list(array.shape)}",
                "use files of one generate_artifacts call",
            )


def default_sizes(artifacts: Artifacts) -> Sizes:
    """Return sizes for one sample, or for the batch that the model fixes."""
    assert artifacts.models.training is not None
    fixed = [i.dims[0] for i in user_inputs(artifacts.models.training) if i.dims and isinstance(i.dims[0], int)]
    return Sizes(int(fixed[0]) if fixed else 1)


def keep_optimizer_state(now: Checkpoint, before: Checkpoint) -> None:
    """Copy moments and rates from `before`.

    A session without an optimizer has neither; they are kept for an optimizer that is attached later.
    """
    rates = ("learning_rate", "base_learning_rate", "schedule", "warmup_steps", "total_steps", "schedule_start")
    now.control = {k: v for k, v in now.control.items() if k not in rates}
    now.control.update({k: before.control[k] for k in rates if k in before.control})
    now.tensors = {**before.tensors, **now.tensors}
    now.model_id = before.model_id


def fill_slots(session: Session, properties: Mapping[str, int | float | str], slots: int) -> None:
    """Set the device's property slots to the first properties that fit."""
    for key in session.properties():
        session.remove_property(key)
    fitting = [(k, v) for k, v in properties.items() if fits_slot(k, v)]
    for key, value in fitting[:slots]:
        session.set_property(key, value)  # type: ignore[arg-type]
