"""The class Session: one image, one arena, and the calls of gradmote.h.

It needs only the buffer protocol, not numpy.

    session = Session(open("model.mote", "rb").read())
    for pixels, labels in batches:
        loss = session.step(pixels, labels)
    open("model.gmck", "wb").write(session.save())

Signatures are positional and plain, so that the same script runs with MicroPython's module. A session serves one thread
at a time: a simultaneous call from another thread, including close(), raises GradmoteError and changes nothing, or
waits if it came at the same moment. infer() returns copies; every other array is a view of the arena, valid (but no
longer updated) after close().
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from typing import Any, TypeVar

from gradmote.errors import DataError, GradmoteError, RuntimeFault
from gradmote.formats.rounds import check_bits, shared_mask

from .aligned_memory import Memory, of_image, of_zeros
from .arrays import F32, ITEM_CODE, ITEM_SIZE, U8, buffer_of, tensor_bytes
from .describe import describe
from .exclusive import Exclusive
from .input_buffers import InputBuffer, InputBuffers, feed, require_given
from .library import load
from .names import text, utf8
from .tensors import PROGRAMS, ROLES, Tensor, program_names, read_tensors

_ARENA_LIMIT = 1 << 30  # gm_open()'s limit
_U32_MAX = 0xFFFFFFFF
_SPARE_LIMIT = 1 << 20  # maximum bytes for a thread's rows of a gradient or block of scores
_POISON = struct.pack("<I", 0x7FC00000)  # a quiet NaN

_WITH_LOSS = ("eval", "train", "step")
_SCHEDULES = ("constant", "linear")

_STORE_DTYPES = ("int8", "f32", "bytes")

_REQUIREMENTS = ("arena_size", "state_size", "parameters_size", "gradients_size", "batch")

_Found = TypeVar("_Found", InputBuffer, Tensor)


class Session:
    """A session that trains and runs one image.

    If the C runtime refuses a call, RuntimeFault has its code.
    """

    # ---- Opening and closing ------------------------------------------------------------------------------------

    def __init__(self, image: Any, profile: str = "fused", threads: int = 1) -> None:
        """Verify the image (bytes of a .mote file) and set the state to its initial values.

        profile: "fused" if the board fuses multiply and add, "strict" if it rounds them separately. threads: 1 to 16,
        which share the work of large instructions. The results are bitwise equal to those of one thread. The other
        threads sleep between programs, and end with close().
        """
        self._session: Any = None
        module = load(profile)
        self.profile = profile
        self._ffi: Any = module.ffi
        self._lib: Any = Exclusive(module.lib)
        self._image = of_image(self._ffi, image)
        needs = _requirements(self._ffi, self._lib, self._image)
        shared = _threads(self._ffi, self._lib, threads)
        spare = min(needs["arena_size"], _SPARE_LIMIT) * (threads - 1)
        state = needs["state_size"] + needs["gradients_size"]
        self._arena = of_zeros(self._ffi, needs["arena_size"] + spare, state)
        self._memory = self._arena.view
        session, file, arena = self._ffi.new("gm_session *"), self._image.pointer, self._arena.pointer
        code = self._lib.gm_open(session, file, len(file), arena, len(arena))
        if code < 0:
            raise RuntimeFault(code, "open")
        self._needs = needs
        self._session = session
        self._threads: Any = shared
        if threads > 1:
            splitter = self._lib.gm_threads_splitter(shared)
            self._check(self._lib.gm_set_splitter(session, splitter, len(self._memory)), "threads")
        tensors = read_tensors(self._ffi, self._lib, session)
        self._by_role = {role: [tensor for tensor in tensors if tensor.role == role] for role in ROLES}
        self._buffers = InputBuffers(self._ffi, self._lib, self._arena, self._by_role, needs["batch"])
        self._inferred = self._outputs("infer")
        self._loss = self._ffi.new("float *")
        self._round = self._ffi.new("gm_federated_round *")
        self._counted = 0  # the samples of the last run; 0: the whole batch
        self._base: Any = None  # memory for the base of a round, if there is one

    @staticmethod
    def required(image: Any) -> dict[str, Any]:
        """Return what the image needs, reading only its header.

        The entries are arena_size, state_size, parameters_size and gradients_size in bytes, batch in samples, and the
        names of its programs.
        """
        module = load("strict")
        return _requirements(module.ffi, module.lib, of_image(module.ffi, image))

    def requirements(self) -> dict[str, Any]:
        """Return what this session's image needs, like required()."""
        return dict(self._needs)

    def __repr__(self) -> str:
        """Return the session in a line, like describe()."""
        if self._session is None:
            return "<Session: closed>"
        image, arena_size = bytes(self._ffi.buffer(self._image.pointer)), self._needs["arena_size"]
        return describe(image, self.parameter_names(), arena_size, self.control()["train_steps"], self.profile)

    def reset(self) -> None:
        """Reset parameters, moments, counters and properties to the image's initial values."""
        self._check(self._lib.gm_reset(self._open()), "reset")

    def close(self) -> None:
        """Close the session; closing it again does nothing.

        Raises GradmoteError while another thread is in a call of this session, which then continues
        undisturbed.
        """
        if self._session is not None:
            self._lib.gm_close(self._session)
            self._session = None
            self._ffi.release(self._threads)

    def __enter__(self) -> Session:
        """Return the session."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the session."""
        self.close()

    def poison(self) -> None:
        """Fill the scratch region with NaN, to expose reads of memory that no instruction wrote.

        Inputs and labels stay unchanged.
        """
        start = self._open().header.scratch_offset
        size = len(self._memory) - start
        given = [buffer.tensor.view(self._memory).cast("B") for buffer in self._buffers.overwritable]
        kept = [bytes(view) for view in given]
        self._memory[start:] = (_POISON * (size // 4 + 1))[:size]
        for view, data in zip(given, kept):
            view[:] = data

    # ---- Data in and out ----------------------------------------------------------------------------------------

    def inputs(self) -> list[dict[str, Any]]:
        """Return name, dtype, shape, size in bytes, and programs of each input, in order."""
        return [tensor.describe() for tensor in self._with_role("input")]

    def labels(self) -> list[dict[str, Any]]:
        """Return name, dtype, shape, size in bytes, and programs of each label, in order."""
        return [tensor.describe() for tensor in self._with_role("label")]

    def outputs(self, program: str = "infer") -> list[dict[str, Any]]:
        """Return name, dtype, shape, size in bytes, and programs of each output of one program."""
        return [tensor.describe() for tensor in self._outputs(program)]

    def set_input(self, index: int, data: Any) -> None:
        """Copy one input into the arena.

        data: a buffer of the input's dtype, mostly float32, with all samples of the batch, or the first ones, which the
        next runs then count. An int8 or uint8 input accepts any integers in its range.
        """
        self._feed([_pick(self._buffers.inputs, index, "input")], [data])

    def set_label(self, index: int, data: Any) -> None:
        """Copy one label into the arena.

        Class labels may be of any integer type; all values must fit int32.
        """
        self._feed([_pick(self._buffers.labels, index, "label")], [data])

    def input_view(self, index: int) -> memoryview:
        """Return a writable view of one input, to avoid a copy.

        No program changes an input that `lasts`. For other inputs, call this again before each run.
        """
        return self._writable_view(_pick(self._buffers.inputs, index, "input"))

    def label_view(self, index: int) -> memoryview:
        """Return a view of one label, as input_view() does."""
        return self._writable_view(_pick(self._buffers.labels, index, "label"))

    def output(self, index: int, program: str = "infer") -> memoryview:
        """Return a view of one output of the program, valid until the next program runs.

        If the last run counted fewer samples than the batch, it has only these.
        """
        return _pick(self._outputs(program), index, f"output of {program}").view(self._memory, self._counted, program)

    # ---- Running ------------------------------------------------------------------------------------------------

    def infer(self, *data: Any) -> list[memoryview]:
        """Run the model and return copies of its outputs, which later calls do not change.

        data: every input in order, or nothing to use the inputs in the arena. It may have fewer samples than the batch;
        then so have the outputs. To avoid copies, call run_program("infer"), then output().
        """
        session, rows = self._ready("infer", self._buffers.inputs, data)
        status = self._run_rows(session, "infer", rows) if rows else self._lib.gm_infer(session)
        self._check(status, "infer")
        return [tensor.copy(self._memory, rows, "infer") for tensor in self._inferred]

    def eval_step(self, *data: Any) -> float:
        """Return the loss, without training.

        data: every input, then every label, or nothing to use those in the arena. All may have fewer samples than the
        batch: then the loss is the mean over these, and a step equals that of an image compiled for this batch
        (docs/NUMERICS.md, "Fewer rows"). Raises DataError if samples of the model depend on each other.
        """
        return self._run_with_loss(self._lib.gm_eval_step, "eval", data)

    def train_step(self, *data: Any) -> float:
        """Add the gradients of one micro-batch and return its loss.

        data: as for eval_step().
        """
        return self._run_with_loss(self._lib.gm_train_step, "train", data)

    def step(self, *data: Any) -> float:
        """Train on one batch, update, and return the loss before the update.

        data: as for eval_step().
        """
        return self._run_with_loss(self._lib.gm_step, "step", data)

    @property
    def skipped_steps(self) -> int:
        """Return the number of steps that raised NOT_FINITE. It is part of the state.

        In those, data, loss or a gradient was NaN or infinite.
        """
        return int(self._lib.gm_control_view(self._open()).skipped_steps)

    def optimizer_step(self) -> None:
        """Apply the mean of the accumulated gradients and advance the schedule by one step."""
        session, _ = self._ready("optimizer", [], ())
        self._check(self._lib.gm_optimizer_step(session), "optimizer_step")

    def lazy_reset_grad(self) -> None:
        """Make the next train_step() start from zero gradients."""
        self._check(self._lib.gm_lazy_reset_grad(self._open()), "lazy_reset_grad")

    def begin(self, program: str, rows: int | None = None) -> None:
        """Start a program that run() then executes in slices.

        rows: it counts only this many samples of the batch, and the others are lost; by default as many as were given.
        """
        kind = _program_kind(program)
        session, given = self._ready(program, [], ())
        counted = given if rows is None else _u32(rows, "rows")
        is_whole = rows is None and given == 0
        begin = self._lib.gm_begin(session, kind) if is_whole else self._lib.gm_begin_rows(session, kind, counted)
        self._check(begin, f"begin {program}")
        self._counted = self._buffers.keep_rows(program, counted)

    def run(self, max_instructions: int) -> bool:
        """Execute up to max_instructions instructions, and return whether the program has ended."""
        code = self._lib.gm_run(self._open(), _u32(max_instructions, "max_instructions"))
        self._check(code, "run")
        return bool(code != self._lib.GM_AGAIN)

    def abort(self) -> None:
        """Abandon the current program.

        Finish "step" and "optimizer" instead, because abandoning them leaves half an update.
        """
        self._lib.gm_abort(self._open())

    def run_program(self, program: str, rows: int | None = None) -> float | None:
        """Run a program on the data in the arena and return its loss.

        It is None for "infer" and "optimizer". rows: as for begin().
        """
        kind = _program_kind(program)
        session, given = self._ready(program, [], ())
        counted = given if rows is None else _u32(rows, "rows")
        is_whole = rows is None and given == 0
        status = self._lib.gm_host_run_program(session, kind) if is_whole else self._run_rows(session, program, counted)
        self._check(status, program)
        self._counted = self._buffers.keep_rows(program, counted)
        return self.loss(program) if program in _WITH_LOSS else None

    def loss(self, program: str) -> float:
        """Return the loss of the last run of this program ("eval", "train" or "step")."""
        self._check(self._lib.gm_loss(self._open(), _program_kind(program), self._loss), f"loss of {program}")
        return float(self._loss[0])

    @property
    def instructions(self) -> int:
        """Return the number of instructions executed since the session was opened, modulo 2^32."""
        return int(self._open().instructions)

    def classify(self, row: int = 0) -> tuple[int, float]:
        """Return the class with the highest score in a row of the last infer(), and the score."""
        label, score = self._ffi.new("uint32_t *"), self._ffi.new("float *")
        self._check(self._lib.gm_classify(self._open(), _u32(row, "row"), label, score), "classify")
        return int(label[0]), float(score[0])

    def class_names(self) -> list[str]:
        """Return the names of the classes, in the order of the first output's scores; empty if there are none.

        They come from compilation (`gradmote compile --classes`, Options.classes).
        """
        found: list[str] = []
        while (name := self._lib.gm_class_name(self._open(), len(found))) != self._ffi.NULL:
            found.append(self._ffi.string(name).decode("utf-8", "replace"))
        return found

    # ---- The sample store ---------------------------------------------------------------------------------------

    def store(self) -> dict[str, Any]:
        """Return capacity, classes, elements per sample, dtype, and the number of samples ("kept").

        dtype is "int8" or "f32" for samples of float32, and "bytes" for those of int8 or uint8.

        Raises RuntimeFault (NO_STORE) if the image was compiled without a store.
        """
        info = self._ffi.new("gm_store_info *")
        self._check(self._lib.gm_store_view(self._open(), info), "store")
        found: dict[str, Any] = {name: getattr(info, name) for name in ("capacity", "classes", "elements", "kept")}
        return {**found, "dtype": _STORE_DTYPES[info.dtype]}

    def store_class(self, label: int) -> dict[str, int]:
        """Return how many samples of a class were learned ("seen") and are in the store ("kept")."""
        own = self._ffi.new("gm_store_class *")
        self._check(self._lib.gm_store_class_view(self._open(), _u32(label, "label"), own), "store_class")
        return {"seen": own.seen, "kept": own.kept}

    def learn(self, label: int, sample: Any = None) -> None:
        """Add a sample of this class to the store.

        sample: a buffer of one sample, of the input's dtype, which becomes the first of the input. Without it, the
        input's first sample is added.
        """
        if sample is not None:
            self._buffers.inputs[0].write_first_sample(sample, self.store()["elements"])
        require_given(self._buffers.inputs[:1])
        self._check(self._lib.gm_learn(self._open(), _u32(label, "label")), "learn")

    def replay(self) -> float:
        """Run step() on samples of the store, and return the loss.

        Each class is equally likely. Of the input, only the first sample is preserved.
        """
        self._check(self._lib.gm_replay(self._open(), self._loss), "replay")
        self._buffers.mark_overwritten()
        return float(self._loss[0])

    def begin_replay(self, program: str = "step") -> None:
        """Start "step" or "train", as begin() does, on samples of the store."""
        self._check(self._lib.gm_begin_replay(self._open(), _program_kind(program)), "begin_replay")
        self._buffers.mark_overwritten()

    def forget(self, label: int) -> None:
        """Remove all samples of a class from the store."""
        self._check(self._lib.gm_forget(self._open(), _u32(label, "label")), "forget")

    def score(self, label: int) -> tuple[int, int]:
        """Return how many samples of a class are in the store, and how many the model assigns to it."""
        kept, right = self._ffi.new("uint32_t *"), self._ffi.new("uint32_t *")
        self._check(self._lib.gm_score(self._open(), _u32(label, "label"), kept, right), "score")
        self._buffers.mark_overwritten()
        return int(kept[0]), int(right[0])

    # ---- Learning rate ------------------------------------------------------------------------------------------

    @property
    def learning_rate(self) -> float:
        """Return the rate of the next update.

        Setting it (finite, >= 0) ends any schedule.
        """
        return float(self._lib.gm_learning_rate(self._open()))

    @learning_rate.setter
    def learning_rate(self, rate: float) -> None:
        self._check(self._lib.gm_set_learning_rate(self._open(), rate), f"learning rate {rate}")

    def set_linear_schedule(self, rate: float, warmup_steps: int, total_steps: int) -> None:
        """Raise the rate linearly from 0 to `rate` in warmup_steps, then lower it to 0.

        It reaches 0 at total_steps. The schedule begins with the next update.
        """
        warmup, total = _u32(warmup_steps, "warmup_steps"), _u32(total_steps, "total_steps")
        code = self._lib.gm_set_linear_schedule(self._open(), rate, warmup, total)
        self._check(code, f"schedule of {rate}, {warmup_steps} of {total_steps} steps")

    def set_seed(self, seed: int) -> None:
        """Set the dropout seed, 0 .. 2^32-1, and restart its sequence."""
        self._check(self._lib.gm_set_seed(self._open(), _u32(seed, "seed")), "set_seed")

    def control(self) -> dict[str, Any]:
        """Return counters, learning rates and schedule, as in a checkpoint."""
        record = self._lib.gm_control_view(self._open())
        fields = [name for name, _ in self._ffi.typeof("gm_control").fields if name != "reserved"]
        return {name: getattr(record, name) for name in fields} | {"schedule": _schedule(record.schedule)}

    # ---- Parameters ---------------------------------------------------------------------------------------------

    def parameter_names(self) -> list[str]:
        """Return the names of the trained parameters in order.

        If the image has no names, each is the index as text.
        """
        count = self._lib.gm_parameter_count(self._open())
        return [self._name(self._parameter(index), index) for index in range(count)]

    def parameter(self, name_or_index: str | int) -> memoryview:
        """Return a writable view of one trained parameter, in the ONNX model's shape."""
        return self._view(self._parameter(name_or_index))

    def gradient(self, name_or_index: str | int) -> memoryview:
        """Return a view of the accumulated gradient of one parameter.

        It is the sum over the micro-batches since lazy_reset_grad().
        """
        index = self._parameter_index(name_or_index)
        view = self._ffi.new("gm_view *")
        self._check(self._lib.gm_gradient(self._open(), index, view), f"gradient of parameter '{name_or_index}'")
        return self._view(view)

    def parameters(self) -> memoryview[Any]:
        """Return all trained parameters as one view, in the order of parameter_names().

        Its items are float32; if any parameter has another type, they are bytes, with each parameter at a multiple of
        4.
        """
        view = self._ffi.new("gm_view *")
        self._check(self._lib.gm_parameters(self._open(), view), "parameters")
        return self._bytes(view).cast("f") if self._has_float_parameters() else self._bytes(view)

    def set_parameters(self, data: Any) -> None:
        """Overwrite all trained parameters.

        data: an array like that of parameters(), or its bytes.
        """
        self._check(self._lib.gm_set_parameters(self._open(), *self._flat(data, "parameters")), "set_parameters")

    def delta(self) -> bytes:
        """Return parameters - initial parameters of the image, as bytes.

        A federated client sends this difference. For float32 it is float32; for integers it is modulo 2^8, 2^16 or
        2^32, so that apply_delta() restores their bits.
        """
        size = self._needs["parameters_size"]
        out = self._ffi.new("float[]", size // 4)
        self._check(self._lib.gm_delta(self._open(), out, size), "delta")
        return bytes(self._ffi.buffer(out, size))

    def apply_delta(self, data: Any) -> None:
        """Set the parameters to initial parameters + delta."""
        pointer, size = self._flat(data, "delta")
        self._check(self._lib.gm_apply_delta(self._open(), self._ffi.cast("float *", pointer), size), "apply_delta")

    # ---- Rounds of federated learning ---------------------------------------------------------------------------

    @property
    def round(self) -> int:
        """Return the number of the round; in round 0 the base is the image's initial parameters."""
        return int(self._round.number)

    def begin_round(self, number: int) -> None:
        """Make the current parameters the base of a round, which must be the same on all devices.

        number: 1 .. 2^32-1, or 0 to go back to the image's initial parameters as the base.
        """
        begin, base = self._lib.gm_host_begin_round, self._memory_of_base()
        self._check(begin(self._open(), self._round, _u32(number, "number"), base), "begin_round")

    def round_delta(self, bits: int = 4, seed: int = 0, shared: str | Sequence[str] | None = None) -> bytes:
        """Return this device's delta: parameters - base, quantized to 2, 4 or 8 bits per number.

        seed: of the rounding, different on each device. shared: names of the parameters to send, or patterns of names
        ("conv*"); all by default. The others are personal, and stay on the device. Raises RuntimeFault (NOT_FINITE) if
        a difference is NaN or at least 2^61.
        """
        mask = self._ffi.from_buffer(shared_mask(self.parameter_names(), shared))
        record = self._round_record(check_bits(bits), seed, mask)
        size = self._lib.gm_round_delta_size(self._open(), record)
        out = self._ffi.new("uint8_t[]", size)
        self._check(self._lib.gm_round_delta_part(self._open(), record, 0, out, size), "round_delta")
        return bytes(self._ffi.buffer(out, size))

    def check_delta(self, delta: Any) -> None:
        """Check whether a delta applies to the base of this round; changes nothing.

        Raises RuntimeFault if it is damaged, of another model, round or base, or would make a parameter not finite.
        """
        file, record = self._ffi.from_buffer(bytes(buffer_of(delta, "the delta"))), self._round_record(0, 0, b"")
        self._check(self._lib.gm_round_check(self._open(), record, file, len(file)), "check_delta")

    def end_round(self, delta: Any, bits: int = 0, seed: int = 0) -> int:
        """Go on to the base of the next round, and return its number.

        delta: the bytes of next base - base, in the form of round_delta(). All of it is checked before anything
        changes. bits, seed: of this round's round_delta(), to add its quantization error to the parameters, so that the
        next one includes it; with 0 bits, the parameters become the new base. Raises RuntimeFault if the delta is
        refused.
        """
        file = self._ffi.from_buffer(bytes(buffer_of(delta, "the delta")))
        own_bits, base = check_bits(bits) if bits else 0, self._memory_of_base()
        room = self._ffi.new("uint32_t[]", self._needs["parameters_size"] // 2)  # twice the parameters
        end, given = self._lib.gm_host_end_round, (own_bits, _u32(seed, "seed"), file, len(file))
        self._check(end(self._open(), self._round, *given, base, room), "end_round")
        return self.round

    def _memory_of_base(self) -> Any:
        if self._base is None:
            self._base = self._ffi.new("uint32_t[]", self._needs["parameters_size"] // 4)
        return self._base

    def _round_record(self, bits: int, seed: int, mask: Any) -> Any:
        """Return the runtime's record of the round, with the settings of a delta."""
        base, number = self._round.base, self._round.number
        values = (base, mask if len(mask) else self._ffi.NULL, number, bits, _u32(seed, "seed"), bits != 0)
        return self._ffi.new("gm_federated_round *", values)

    # ---- The whole state ----------------------------------------------------------------------------------------

    def state(self) -> memoryview:
        """Return a view of the whole state as bytes: parameters, moments, control, properties."""
        view = self._ffi.new("gm_view *")
        self._check(self._lib.gm_state(self._open(), view), "state")
        return self._bytes(view)

    def state_sha256(self) -> str:
        """Return the SHA-256 of state(), which is equal on board and twin after the same steps."""
        return hashlib.sha256(self.state()).hexdigest()

    # ---- Checkpoints --------------------------------------------------------------------------------------------

    def save(self, half: bool = False) -> bytes:
        """Return the bytes of a .gmck checkpoint.

        half: store float32 numbers in 16 bits, which rounds them.
        """
        lib, session = self._lib, self._open()
        size, save = lib.gm_checkpoint_size, lib.gm_checkpoint_save
        if half:
            size, save = lib.gm_checkpoint_half_size, lib.gm_checkpoint_save_half
        file = self._ffi.new("uint8_t[]", size(session))
        record = self._ffi.new("gm_host_file *", (file, len(file)))
        self._check(save(session, lib.gm_host_write, record), "save")
        return bytes(self._ffi.buffer(file))

    def load(self, data: Any) -> None:
        """Load the state from a checkpoint's bytes, plain or half.

        All bytes are checked before anything changes.
        """
        file, content = self._file(data)
        code = self._lib.gm_checkpoint_load(self._open(), self._lib.gm_host_read, file, len(content))
        self._check(code, "load")

    def carry_over(self, data: Any) -> int:
        """Load the matching entries of another model's checkpoint; return how many.

        These are parameters, running statistics, moments and properties of equal name, dtype and shape. All other
        state, including the rate and the counters, gets the image's initial values. So do all moments if one of them
        has no match.
        """
        (file, content), carried = self._file(data), self._ffi.new("uint32_t *")
        read = self._lib.gm_host_read
        self._check(self._lib.gm_checkpoint_carry_over(self._open(), read, file, len(content), carried), "carry over")
        return int(carried[0])

    def export_model(self, table: Any) -> bytes:
        """Return the trained model as an ONNX file: what `gradmote export` writes of a checkpoint.

        table: the bytes of the model's export table (.gmex), which `gradmote compile --export-table` writes. Raises
        RuntimeFault if it is another model's, or damaged.
        """
        lib, session, size = self._lib, self._open(), self._ffi.new("uint32_t *")
        content = self._ffi.from_buffer(bytes(buffer_of(table, "the export table")))
        file = self._ffi.new("gm_host_file *", (content, len(content)))
        self._check(lib.gm_export_check(session, lib.gm_host_read, file, len(content), size), "export")
        out = self._ffi.new("uint8_t[]", int(size[0]))
        self._check(lib.gm_export_part(session, lib.gm_host_read, file, 0, out, int(size[0])), "export")
        return bytes(self._ffi.buffer(out))

    def _file(self, data: Any) -> tuple[Any, Any]:
        """Return gm_host_read's argument, and the checkpoint's bytes, which must outlive it."""
        content = self._ffi.from_buffer(bytes(buffer_of(data, "the checkpoint")))
        return self._ffi.new("gm_host_file *", (content, len(content))), content

    # ---- Properties ---------------------------------------------------------------------------------------------

    def set_property(self, key: str, value: int | float) -> None:
        """Store a number in the state: an int as int32, a float as float32.

        key: up to 19 bytes of UTF-8.
        """
        if not isinstance(value, float) and not -(2**31) <= value < 2**31:
            raise DataError(f"property '{key}' is {value}", "an int must fit 32 bits; pass a float instead")
        set_value = self._lib.gm_property_set_f32 if isinstance(value, float) else self._lib.gm_property_set_i32
        self._check(set_value(self._open(), utf8(key, "the property's key"), value), f"property '{key}'")

    def get_property(self, key: str) -> int | float:
        """Return the number stored under this key."""
        record = self._ffi.new("gm_property *")
        code = self._lib.gm_property_get(self._open(), utf8(key, "the property's key"), record)
        self._check(code, f"property '{key}'")
        return self._property(record)[1]

    def properties(self) -> dict[str, int | float]:
        """Return all numbers stored in the state."""
        found = {}
        record = self._ffi.new("gm_property *")
        index = 0
        while self._lib.gm_property_at(self._open(), index, record) == 0:
            key, value = self._property(record)
            found[key] = value
            index += 1
        return found

    def remove_property(self, key: str) -> None:
        """Remove the number stored under this key."""
        self._check(self._lib.gm_property_remove(self._open(), utf8(key, "the property's key")), f"property '{key}'")

    # ---- Inside -------------------------------------------------------------------------------------------------

    def _open(self) -> Any:
        if self._session is None:
            raise GradmoteError("the session is closed", "open another one")
        return self._session

    def _check(self, code: int, where: str) -> None:
        if code < 0:
            raise RuntimeFault(code, where)

    def _with_role(self, role: str) -> list[Tensor]:
        self._open()
        return self._by_role[role]

    def _outputs(self, program: str) -> list[Tensor]:
        _program_kind(program)
        return [tensor for tensor in self._with_role("output") if program in tensor.programs]

    def _writable_view(self, buffer: InputBuffer) -> memoryview:
        self._open()
        buffer.given, buffer.rows = True, 0
        return buffer.tensor.view(self._memory)

    def _feed(self, buffers: list[InputBuffer], data: Sequence[Any], program: str | None = None) -> Any:
        """Copy an array into each buffer, and return the open session.

        Raises RuntimeFault (BUSY) while a program is running, like gm_write().
        """
        session = self._session or self._open()
        if session.pc:
            raise RuntimeFault(self._lib.GM_ERR_BUSY, buffers[0].tensor.title)
        feed(buffers, data, program)
        return session

    def _ready(self, program: str, buffers: list[InputBuffer], data: Sequence[Any]) -> tuple[Any, int]:
        """Copy the data, if any; return the open session, and how many samples the run counts (0: the whole batch)."""
        session = self._feed(buffers, data, program) if data else self._open()
        if self._buffers.overwritable:
            self._buffers.begin_run(program)
        self._counted = rows = self._buffers.rows_given(program)
        return session, rows

    def _run_rows(self, session: Any, program: str, rows: int) -> int:
        """Run a program on the first rows, and return its status; a loss is in self._loss."""
        loss = self._loss if program in _WITH_LOSS else self._ffi.NULL
        return int(self._lib.gm_run_rows(session, _program_kind(program), rows, loss))

    def _run_with_loss(self, call: Any, program: str, data: Sequence[Any]) -> float:
        result = self._loss
        session, rows = self._ready(program, self._buffers.all, data)
        status = self._run_rows(session, program, rows) if rows else call(session, result)
        if status < 0:
            raise RuntimeFault(status, program)
        loss: float = result[0]
        return loss

    def _parameter(self, name_or_index: str | int) -> Any:
        view, found = self._ffi.new("gm_view *"), self._lib.GM_ERR_NOT_FOUND
        if isinstance(name_or_index, str):
            found = self._lib.gm_parameter_named(self._open(), utf8(name_or_index, "the parameter's name"), view)
        if found == self._lib.GM_ERR_NOT_FOUND:  # an index, as a number or, if names were stripped, as the name
            found = self._lib.gm_parameter(self._open(), self._parameter_index(name_or_index), view)
        self._check(found, f"parameter '{name_or_index}'")
        return view

    def _parameter_index(self, name_or_index: str | int) -> int:
        if not isinstance(name_or_index, str):
            return _u32(name_or_index, "the parameter's index")
        names = self.parameter_names()
        if name_or_index not in names:
            raise RuntimeFault(self._lib.GM_ERR_NOT_FOUND, f"parameter '{name_or_index}'")
        return names.index(name_or_index)

    def _name(self, view: Any, index: int) -> str:
        return text(self._ffi.string(view.name)) if view.name else str(index)

    def _bytes(self, view: Any) -> memoryview:
        """Return the arena's bytes under a gm_view.

        Unlike a pointer, they keep the arena alive.
        """
        offset = int(self._ffi.cast("char *", view.data) - self._ffi.cast("char *", self._arena.pointer))
        return self._memory[offset : offset + view.size]

    def _view(self, view: Any) -> memoryview:
        shape = tuple(view.dims[axis] for axis in range(view.rank))
        return self._bytes(view).cast(ITEM_CODE[view.dtype], shape)  # type: ignore[call-overload]

    def _has_float_parameters(self) -> bool:
        count = self._lib.gm_parameter_count(self._open())
        return all(self._parameter(index).dtype == F32 for index in range(count))

    def _flat(self, data: Any, what: str) -> tuple[Any, int]:
        size = self._needs["parameters_size"]
        dtype = F32 if self._has_float_parameters() else U8
        source = bytes(tensor_bytes(data, dtype, (size // ITEM_SIZE[dtype],), size, what))
        return self._ffi.from_buffer(source), size

    def _property(self, record: Any) -> tuple[str, int | float]:
        key = text(bytes(self._ffi.buffer(record.key)).split(b"\0")[0])
        code = "<f" if record.type == self._lib.GM_PROPERTY_TYPE_F32 else "<i"
        return key, struct.unpack(code, struct.pack("<I", record.value))[0]


def _requirements(ffi: Any, lib: Any, image: Memory) -> dict[str, Any]:
    out = ffi.new("gm_requirements *")
    code = lib.gm_required(image.pointer, len(image.pointer), out)
    if code == 0 and out.arena_size > _ARENA_LIMIT:
        code = lib.GM_ERR_BAD_REGION  # gm_open()'s code, returned before such an arena is allocated
    if code < 0:
        raise RuntimeFault(code, "image")
    return {name: getattr(out, name) for name in _REQUIREMENTS} | {"programs": program_names(out.programs)}


def _threads(ffi: Any, lib: Any, count: int) -> Any:
    """Return a pool of `count` threads, which end when it is released.

    They start when there is work.
    """
    if not 1 <= count <= lib.GM_MAX_PARTS:
        raise GradmoteError(f"threads is {count}", f"use 1 to {lib.GM_MAX_PARTS}")
    threads = lib.gm_threads_open(count)
    if threads == ffi.NULL:
        raise MemoryError
    return ffi.gc(threads, lib.gm_threads_close)


def _program_kind(name: str) -> int:
    if name not in PROGRAMS:
        raise GradmoteError(f"there is no program '{name}'", f"use one of {', '.join(PROGRAMS)}")
    return PROGRAMS.index(name)


def _schedule(number: int) -> str:
    """Return the name of a schedule.

    A checkpoint may have any number; an unknown one leaves the rate unchanged.
    """
    return _SCHEDULES[number] if number < len(_SCHEDULES) else f"unknown {number}"


def _pick(found: list[_Found], index: int, what: str) -> _Found:
    if not 0 <= index < len(found):
        raise DataError(f"there is no {what} {index}", f"there are {len(found)}, counted from 0")
    return found[index]


def _u32(value: int, what: str) -> int:
    if not 0 <= value <= _U32_MAX:
        raise DataError(f"{what} is {value}", f"it must be in 0 .. {_U32_MAX}")
    return value
