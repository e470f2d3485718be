"""Lowering, which turns an ONNX graph with static shapes into flat instructions over buffers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import onnx_ir as ir

from ..errors import ModelError, UnsupportedOperator
from .copies import COPY_RANK, copy_of
from .generated.instructions import DequantizeS16
from .graph import constant_array, describe, runtime_type, static_shape, without_kernel
from .instruction import ELEMENT_BYTES, Buffer, Instruction, Ref
from .metadata import BACKWARD, LAYER, is_label
from .program import Binding, Program, control_ref
from .strides import contiguous, fit, is_gapless, physical_order, same_walk

#: The reader of values that no node reads.
API = "the API"
#: The types of elements -> NumPy's.
NUMPY_TYPE = {"f32": np.float32, "i32": np.int32, "i8": np.int8, "u8": np.uint8, "i16": np.int16}
#: The types of initializers whose elements are stored in less than a word.
NARROW = {ir.DataType.INT8: "i8", ir.DataType.UINT8: "u8", ir.DataType.INT16: "i16"}


@dataclass(frozen=True)
class View:
    """The address, the element strides and the element type of a value.

    `dtype` is a key of ELEMENT_BYTES. `exponent` is the word that holds e if an element q stands for
    q 2^e, as in an int16 gradient.
    """

    ref: Ref
    strides: list[int]
    dtype: str = "f32"
    exponent: Ref | None = None

    @property
    def element(self) -> int:
        """Return the bytes of one element."""
        return ELEMENT_BYTES[self.dtype]

    @property
    def is_narrow(self) -> bool:
        """Return whether an element has fewer bytes than a word."""
        return self.element < 4

    def high_bytes(self) -> View:
        """Return the view of the upper byte of each int16 master, which is the int8 weight."""
        return View(Ref(self.ref.buffer, self.ref.offset + 1), [self.element * s for s in self.strides], "i8")

    def with_strides(self, strides: Sequence[int]) -> View:
        """Return the view of the same bytes with other strides."""
        return replace(self, strides=list(strides))

    def at(self, index: Sequence[int], steps: Sequence[int] | None = None) -> View:
        """Return the view of a strided part of the value.

        It starts at element `index`, and takes every steps-th element along each axis.
        """
        skipped = sum(i * s for i, s in zip(index, self.strides, strict=True))
        taken = [s * step for s, step in zip(self.strides, steps or [1] * len(self.strides), strict=True)]
        return replace(self, ref=Ref(self.ref.buffer, self.ref.offset + self.element * skipped), strides=taken)


class LoweringRule(Protocol):
    """The part of an operator that lowering needs."""

    @property
    def lower(self) -> Callable[[Lowering, ir.Node], None] | None:
        """Return the function that emits a node's instructions; None if there is no kernel."""

    @property
    def any_type(self) -> bool:
        """Return whether the operator moves integers as it moves floats."""

    @property
    def any_width(self) -> bool:
        """Return whether the operator takes elements of 1 and 2 bytes."""

    @property
    def any_exponent(self) -> bool:
        """Return whether the operator takes int16 gradients, each with its exponent."""


@dataclass
class Shared:
    """The buffers, operators and random streams that all programs of one image share."""

    control: Buffer
    operators: Mapping[tuple[str, str], LoweringRule]  # by domain and op_type
    state: dict[str, Ref] = field(default_factory=dict)  # parameters by name
    state_types: dict[str, str] = field(default_factory=dict)  # types of their elements
    inputs: dict[str, Binding] = field(default_factory=dict)
    constants: dict[bytes, Buffer] = field(default_factory=dict)
    streams: dict[str, int] = field(default_factory=dict)  # Dropout's output -> random stream
    overwrites_inputs: bool = False  # inputs are scratch; labels, small and needed late, never are
    trains_integers: bool = False  # some parameter is stored as integers

    def constant(self, data: bytes) -> Ref:
        """Return a reference to a constant; constants with equal bytes share one buffer."""
        if data not in self.constants:
            self.constants[data] = Buffer(f"constant_{len(self.constants)}", len(data), "constant", data)
        return Ref(self.constants[data])

    def input(self, value: ir.Value) -> Binding:
        """Return the binding of an input or label, the same in every program.

        Raises ModelError for a shape with a dimension of 0.
        """
        assert value.name is not None
        if value.name not in self.inputs:
            dtype = runtime_type(value)
            shape = static_shape(value)
            if 0 in shape:
                raise ModelError(f"input '{value.name}' has shape {list(shape)}", "give each dimension at least 1")
            role = "label" if is_label(value) else "input"
            region = "scratch" if self.overwrites_inputs and role == "input" else "input"
            buffer = Buffer(value.name, ELEMENT_BYTES[dtype] * math.prod(shape), region)
            self.inputs[value.name] = Binding(value.name, role, dtype, shape, Ref(buffer))
        return self.inputs[value.name]


class Samples(Protocol):
    """The samples of a graph whose program can count fewer of them than its batch."""

    def axis(self, value: ir.Value | None) -> int | None:
        """Return the value's axis of samples, or None."""

    def is_sum(self, node: ir.Node) -> bool:
        """Return whether a reduction sums over all samples."""

    def is_spread(self, node: ir.Node) -> bool:
        """Return whether a gradient (dy, x) spreads one number over all samples."""


class Lowering:
    """The lowering of one graph into one program; operators' lowering rules call its methods."""

    def __init__(
        self, program: Program, shared: Shared, phase: str = "forward", samples: Samples | None = None
    ) -> None:
        """Start without values.

        `phase` is the phase of nodes that are not marked as backward. `samples` are the graph's if the program
        can count fewer of them.
        """
        self.program = program
        self.shared = shared
        self.samples = samples
        self.phase = phase  # the phase of nodes that are not marked as backward
        self.views: dict[ir.Value, View] = {}
        self.converted: dict[ir.Value, View] = {}  # int16 gradients as float32, and row-major bytes of masters
        self.reader = API  # the operator that asks for values
        self.any_width = True  # whether it takes elements of 1 and 2 bytes
        self.any_exponent = True  # whether it takes int16 gradients, each with its exponent

    # ---- methods for the driver

    def run(self, graph: ir.Graph) -> None:
        """Lower every node, in the graph's order."""
        for value in graph.inputs:
            if value not in self.views:
                self.bind_input(value)
        for node in graph:
            self.reader = node.op_type
            self.lower_node(node)
        self.reader = API

    def bind_input(self, value: ir.Value) -> None:
        """Give a graph input its address.

        A parameter is in the state; any other input has the binding that programs share.
        """
        if value.name in self.shared.state:
            self.place(value, self.shared.state[value.name])
        elif not value.is_initializer() and (value.uses() or 0 not in static_shape(value)):
            binding = self.shared.input(value)
            self.set_view(value, View(binding.ref, contiguous(binding.shape), binding.dtype))
            if value.uses():
                self.program.bindings.append(binding)

    def lower_node(self, node: ir.Node) -> None:
        """Lower one node by its operator's rule.

        Raises UnsupportedOperator for an operator without a kernel, for arithmetic on integers, and
        for elements with fewer bytes than the operator's kernel takes.
        """
        operator = self.shared.operators.get((node.domain, node.op_type))
        if all(is_integer(o) and not o.is_graph_output() for o in node.outputs) and not self.reads_data(node):
            # Such a node computes shapes. A rule that needs its data asks for it as a constant.
            return
        if operator is None or operator.lower is None:
            raise refusal(node)
        if all(is_integer(o) for o in node.outputs) and not (operator.any_type or operator.any_width):
            raise UnsupportedOperator(
                f"{node.op_type} of integers", "the runtime moves integers, and computes with float32", describe(node)
            )
        self.any_width, self.any_exponent = operator.any_width, operator.any_exponent
        operator.lower(self, node)
        self.any_width = self.any_exponent = True
        self.check_exponents(node)
        layer = LAYER.read(node)
        if layer is not None and not BACKWARD.stands_in(node):
            self.program.shapes[layer] = static_shape(node.outputs[0])

    def check_exponents(self, node: ir.Node) -> None:
        """Raise ModelError if a rule has made an int16 gradient without its exponent."""
        for value in node.outputs if BACKWARD.stands_in(node) else ():
            view = self.views.get(value)
            if view is not None and view.dtype == "i16" and view.exponent is None:
                hint = "compile with --gradients float"
                raise ModelError(f"{node.op_type} made int16 without an exponent", hint, describe(node))

    def reads_data(self, node: ir.Node) -> bool:
        """Return whether some input has an address or is trained."""
        return any(i in self.views or i.name in self.shared.state for i in node.inputs if i is not None)

    # ---- methods for lowering rules

    def emit(self, node: ir.Node, made: Instruction) -> None:
        """Append an instruction with the node's name, layer and phase."""
        made.origin = describe(node)
        made.layer = LAYER.read(node, "")
        made.phase = "backward" if BACKWARD.stands_in(node) else self.phase
        self.program.instructions.append(made)

    def joins_samples(self, value: ir.Value, view: View) -> None:
        """Note that the next instruction joins the samples of a value along the first dimension in memory.

        If another one is first there, the program takes whole batches only.
        """
        if self.samples is not None and physical_order(static_shape(value), view.strides)[0] != 0:
            self.samples = None

    def elements(self, value: ir.Value) -> int:
        """Return the number of elements of a value."""
        return math.prod(static_shape(value))

    def stored(self, value: ir.Value | None) -> View:
        """Return the value as it is stored, of any type, for rules that handle all types."""
        assert value is not None
        if value not in self.views:
            self.place(value, self.known(value))
        return self.views[value]

    def view(self, value: ir.Value | None) -> View:
        """Return the value as it is stored, perhaps strided, for kernels that take strides.

        A rule that does not handle int16 gradients gets them as float32, and each rule gets the int8
        weights of int16 masters. Raises UnsupportedOperator if the rule does not handle the type of the
        elements.
        """
        view = self.stored(value)
        if view.exponent is not None and not self.any_exponent:
            return self.converted[value] if value in self.converted else self.dequantized(value)  # type: ignore[arg-type]
        if self.is_master(value):
            view = self.converted.get(value, view.high_bytes())  # type: ignore[arg-type]
        if view.is_narrow and view.exponent is None and not self.any_width:
            raise UnsupportedOperator(
                f"{self.reader} of {view.dtype} elements, those of '{value.name}'",  # type: ignore[union-attr]
                "put a DequantizeLinear before it, and a QuantizeLinear after it",
            )
        return view

    def ref(self, value: ir.Value | None) -> Ref:
        """Return the value's contiguous bytes; a strided view is copied first, once."""
        view = self.view(value)
        assert value is not None
        shape = static_shape(value)
        if not same_walk(shape, view.strides, contiguous(shape)):
            view = replace(view, ref=self.copy(value, view), strides=contiguous(shape))
            as_float = value in self.converted and not self.any_exponent
            (self.converted if as_float or self.is_master(value) else self.views)[value] = view
        return view.ref

    def is_master(self, value: ir.Value | None) -> bool:
        """Return whether the state has an int16 for each int8 weight of the value."""
        return value is not None and self.shared.state_types.get(str(value.name)) == "i16"

    def words(self, value: ir.Value) -> Ref:
        """Return the contiguous bytes of a value of 4-byte elements, for readers other than operators."""
        self.any_width = self.any_exponent = False
        ref = self.ref(value)
        self.any_width = self.any_exponent = True
        return ref

    def output(self, value: ir.Value, layout: Sequence[int] | None = None, dtype: str = "") -> Ref:
        """Return new scratch for a value that the next instruction makes.

        `layout` gives the value's strides if they are not row-major. `dtype` is the type of its elements;
        by default they have 4 bytes.
        """
        dtype = dtype or word_type(value)
        ref = Ref(Buffer(str(value.name), ELEMENT_BYTES[dtype] * self.elements(value), "scratch"))
        strides = list(layout) if layout is not None else contiguous(static_shape(value))
        self.views[value] = View(ref, strides, dtype)
        return ref

    def scratch(self, name: str, shape: Sequence[int], strides: Sequence[int], dtype: str = "f32") -> View:
        """Return new scratch for an intermediate result within a rule."""
        return View(Ref(Buffer(name, ELEMENT_BYTES[dtype] * math.prod(shape), "scratch")), list(strides), dtype)

    def common_layout(self, values: Sequence[ir.Value | None]) -> list[int] | None:
        """Return the strides of values of one shape if all have the same strides without gaps.

        Returns None otherwise: the rule must then use ref().
        """
        views = [self.view(v) for v in values]
        shape = static_shape(values[0])  # type: ignore[arg-type]
        alike = all(same_walk(shape, v.strides, views[0].strides) for v in views)
        return views[0].strides if alike and is_gapless(shape, views[0].strides) else None

    def move(self, node: ir.Node, shape: Sequence[int], source: View, target: View, reason: str | None = None) -> None:
        """Append one COPY of `shape` elements from `source` to `target`, which have the same type.

        `target` may be a part of a buffer; other instructions must then write the rest. `reason` names the
        reader that needs the copy, by default the node's operator.
        """
        assert source.element == target.element
        dims, (read, written) = fit(node, shape, source.strides, target.strides, rank=COPY_RANK)
        copy = copy_of(source.ref, target.ref, dims, read, written, source.dtype)
        copy.reason = reason or node.op_type
        self.emit(node, copy)

    def fill(self, node: ir.Node, target: Ref, number: float, dtype: str = "f32") -> None:
        """Write one number to every element of a buffer."""
        n = target.buffer.size // ELEMENT_BYTES[dtype]
        source, whole = View(self.scalar(number, dtype), [0], dtype), View(Ref(target.buffer), [1], dtype)
        self.move(node, [n], source, whole, "fill")

    def alias(self, value: ir.Value, source: ir.Value | None) -> None:
        """Give `value` the bytes of `source`, under its own shape."""
        ref = self.ref(source)
        self.views[value] = replace(self.view(source), ref=ref, strides=contiguous(static_shape(value)))

    def set_view(self, value: ir.Value, view: View) -> None:
        """Set the address, the strides and the type of a value."""
        self.views[value] = view

    def constant(self, data: bytes) -> Ref:
        """Return a reference to a constant of these bytes."""
        return self.shared.constant(data)

    def scalar(self, number: float, dtype: str = "f32") -> Ref:
        """Return a reference to a constant of one element."""
        return self.constant(np.array(number, NUMPY_TYPE[dtype]).tobytes())

    def control(self, field_name: str) -> Ref:
        """Return a reference to a word of the control record."""
        return control_ref(self.shared.control, field_name)

    def is_one(self, ref: Ref) -> bool:
        """Return whether an operand is the constant 1, so that multiplying by it is a no-op."""
        return ref.buffer.data == np.float32(1).tobytes() and ref.buffer.region == "constant"

    def random_stream(self, node: ir.Node, part: str = "") -> int:
        """Return the number of the random stream of a node, or of one part of a node.

        Each node that draws random numbers has its own. The key is the output's name, because ONNX lets
        nodes share a name, but not outputs.
        """
        return self.shared.streams.setdefault(f"{node.outputs[0].name}{part}", len(self.shared.streams))

    # ---- internal methods

    def place(self, value: ir.Value, ref: Ref, strides: Sequence[int] | None = None) -> None:
        """Give a value its address; its strides are row-major by default.

        Initializers and state have their own type, and all other values have elements of 4 bytes.
        """
        stored = self.shared.state_types.get(str(value.name))
        narrow = stored or (NARROW.get(value.dtype) if value.is_initializer() else None)  # type: ignore[arg-type]
        strides = contiguous(static_shape(value)) if strides is None else list(strides)
        self.views[value] = View(ref, strides, narrow or word_type(value))

    def known(self, value: ir.Value) -> Ref:
        """Return the address of an initializer: state if it is trained, else a constant.

        Booleans become the float32 numbers 1 and 0. Raises UnsupportedOperator for data that is neither
        float32 nor integers of at most 32 bits.
        """
        if value.name in self.shared.state:
            return self.shared.state[value.name]
        array = constant_array(value)
        if array is not None and value.dtype in NARROW:
            return self.constant(np.ascontiguousarray(array).tobytes())
        if array is not None and array.dtype == np.bool_:
            array = array.astype(np.float32)  # booleans are 1 and 0
        if array is not None and array.dtype in (np.int32, np.int64) and np.array_equal(array, array.astype(np.int32)):
            array = array.astype(np.int32)
        elif array is None or array.dtype != np.float32:
            raise UnsupportedOperator(
                f"'{value.name}' ({value.dtype}) is needed as float32 data",
                "feed the model float32 and keep it float32",
                describe(value.producer()) if value.producer() else "",  # type: ignore[arg-type]
            )
        return self.constant(np.ascontiguousarray(array).tobytes())

    def dequantized(self, value: ir.Value) -> View:
        """Return an int16 gradient as float32, in its own layout."""
        shape, node = static_shape(value), value.producer()
        view = self.stored(value)
        exponent = view.exponent
        assert node is not None
        assert exponent is not None
        if not is_gapless(shape, view.strides):
            ref = self.copy(value, view)
            view = self.views[value] = replace(view, ref=ref, strides=contiguous(shape))
        made = self.scratch(f"{value.name}.float", shape, view.strides)
        dequantize = DequantizeS16(x=view.ref, x_exponent=exponent, y=made.ref, n=math.prod(shape))
        dequantize.reason = f"float32 for {self.reader}"
        self.emit(node, dequantize)
        self.converted[value] = made
        return made

    def copy(self, value: ir.Value, view: View) -> Ref:
        """Return a row-major copy of a strided view."""
        shape = static_shape(value)
        node = value.producer() or next(iter(value.uses())).node  # no node makes an int16 master
        copy = self.scratch(f"{value.name}.copy", shape, contiguous(shape), view.dtype)
        self.move(node, shape, view, copy, f"row-major for {self.reader}")
        return copy.ref


def refusal(node: ir.Node) -> UnsupportedOperator:
    """Return the refusal of a node without a kernel."""
    if node.op_type == "QuantizeLinear":
        return UnsupportedOperator(
            "QuantizeLinear has a kernel for int8 and uint8 alone, with one constant scale for the tensor",
            "quantize activations in that form; weights may have a scale for each channel",
            describe(node),
        )
    return without_kernel(node)


def word_type(value: ir.Value) -> str:
    """Return the type of a value's elements if they have 4 bytes."""
    return "i32" if is_integer(value) else "f32"


def is_integer(value: ir.Value) -> bool:
    """Return whether a value holds integers; booleans do not count, since they are float32."""
    return value.dtype not in (None, ir.DataType.BOOL) and not value.dtype.is_floating_point()
