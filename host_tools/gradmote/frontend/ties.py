"""Weights that an exporter has taken apart, joined again.

Exporters compute what they can. They store the transpose of a tied embedding as a second initializer under a name
of their own, and both would train separately. This module makes such copies computed from the weight again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import onnx
from onnx import numpy_helper

from ..errors import ModelError
from .buffers import COMPUTED
from .free_batch import new_name

#: Smaller tensors may be equal by chance.
LEAST = 16
#: Names that exporters give to views of a weight; PyTorch's are its view operators, as in w.t() and w.T.
VIEWED = re.compile(
    r"(t|transpose|permute|select|squeeze|flatten|unflatten|getitem|as_strided|_unsafe_view)(_\d+)?|const_fold_opt__\d+"
)


@dataclass(frozen=True)
class Ties:
    """The caller's decisions on equal weights.

    untie: make a copy of a weight for each node that uses it, and join no weights. join: pairs of weights that are
    one, though both have names of their own.
    """

    untie: bool = False
    join: tuple[tuple[str, str], ...] = ()


NO_TIES = Ties()


@dataclass(frozen=True)
class Tie:
    """A copy of a weight, computed from it. steps: operators with their tensors or attributes, in order."""

    weight: str
    copy: str
    steps: tuple[tuple[str, tuple[int, ...]], ...]

    def of(self, array: np.ndarray) -> np.ndarray:
        """Return the copy of the weight's array."""
        for kind, numbers in self.steps:
            if kind == "Transpose":
                array = array.transpose(numbers)
            elif kind == "Reshape":
                array = array.reshape(numbers)
            else:
                axis, start, end = numbers
                array = array[(slice(None),) * axis + (slice(start, end),)]
        return array


def find_ties(arrays: Mapping[str, np.ndarray], join: Sequence[tuple[str, str]] = ()) -> list[Tie]:
    """Return the ties of weights: those that an exporter took apart, and those to join.

    Raises ModelError for a pair to join that does not exist, or is not equal.
    """
    found = [joined(arrays, *pair) for pair in join]
    names = sorted(alike(arrays), key=is_computed)  # a weight with a name of its own precedes its copies
    sums = {n: sum_of_bits(arrays[n]) for n in names} if any(map(is_computed, names)) else {}
    for copy in filter(is_computed, names):
        tied = {tie.copy for tie in found}
        if copy not in tied:
            others = (n for n in names if n != copy and n not in tied)
            alike_ones = (n for n in others if arrays[n].size != arrays[copy].size or sums[n] == sums[copy])
            found.extend(first_tie(arrays, alike_ones, copy))
    return found


def is_computed(name: str) -> bool:
    """Return whether an exporter made the name."""
    return bool(COMPUTED.fullmatch(name) or VIEWED.fullmatch(name))


def first_tie(arrays: Mapping[str, np.ndarray], weights: Iterable[str], copy: str) -> Iterator[Tie]:
    """Yield the tie of a copy to the first of the weights that it can be made from."""
    for weight in weights:
        steps = steps_between(arrays[weight], arrays[copy])
        if steps is not None and not (
            is_computed(weight) and arrays[weight].size == arrays[copy].size and weight > copy
        ):
            yield Tie(weight, copy, steps)
            return


def joined(arrays: Mapping[str, np.ndarray], weight: str, copy: str) -> Tie:
    """Return the tie of a pair that the caller names."""
    for name in (weight, copy):
        if name not in arrays:
            raise ModelError(f"--tie: no weight is called '{name}'", f"the model's weights are {', '.join(arrays)}")
    steps = steps_between(arrays[weight], arrays[copy])
    if steps is None or weight == copy:
        raise ModelError(
            f"'{copy}' is not a copy of '{weight}', nor its transpose, its reshape or a part of it",
            "tie weights whose numbers are equal",
        )
    return Tie(weight, copy, steps)


def equal_pairs(arrays: Mapping[str, np.ndarray], ties: Sequence[Tie]) -> list[tuple[str, str]]:
    """Return pairs of weights that are equal, transposes or reshapes, but separate: both have names of their own."""
    tied, known = {tie.copy for tie in ties}, defaultdict[tuple[int, int], list[str]](list)
    pairs = []
    for name in alike(arrays):
        if name not in tied:
            others = known[arrays[name].size, sum_of_bits(arrays[name])]
            equal = next((o for o in others if steps_between(arrays[o], arrays[name]) is not None), None)
            if equal is None:
                others.append(name)
            else:
                pairs.append((equal, name))
    return pairs


def alike(arrays: Mapping[str, np.ndarray]) -> list[str]:
    """Return the names of arrays that are large enough to be equal on purpose, and not constant."""
    return [n for n, a in arrays.items() if a.size >= LEAST and (a != a.flat[0]).any()]


# ---- How one array becomes another


def steps_between(one: np.ndarray, other: np.ndarray) -> tuple[tuple[str, tuple[int, ...]], ...] | None:
    """Return the steps that turn `one` into `other`, or None."""
    if one.size == other.size:
        return reordered(one, other)
    if one.ndim != other.ndim or one.size < other.size:
        return None
    return part(one, other)


def reordered(one: np.ndarray, other: np.ndarray) -> tuple[tuple[str, tuple[int, ...]], ...] | None:
    """Return the steps between arrays of the same size: a transpose, a reshape, or one after the other."""
    reshape = (("Reshape", other.shape),)
    if np.array_equal(one.ravel(), other.ravel()):
        return () if one.shape == other.shape else reshape
    for axes in permutations(range(one.ndim)) if one.ndim <= 4 else ():
        turned = one.transpose(axes)
        if np.array_equal(turned.ravel(), other.ravel()):
            transpose = (("Transpose", axes),)
            return transpose if turned.shape == other.shape else transpose + reshape
    return None


def sum_of_bits(array: np.ndarray) -> int:
    """Return a sum that is equal for arrays with the same numbers in any order."""
    return int(np.add.reduce(np.ascontiguousarray(array).ravel().view(np.uint32), dtype=np.uint64))


def part(one: np.ndarray, other: np.ndarray) -> tuple[tuple[str, tuple[int, ...]], ...] | None:
    """Return the slice along one axis that is `other`."""
    unlike = [axis for axis in range(one.ndim) if one.shape[axis] != other.shape[axis]]
    if len(unlike) != 1:
        return None
    axis = unlike[0]
    size = other.shape[axis]
    line = one[tuple(slice(None) if a == axis else 0 for a in range(one.ndim))]  # the first number at each place
    for start in np.flatnonzero(line[: len(line) - size + 1] == other.flat[0]).tolist():
        if np.array_equal(one[(slice(None),) * axis + (slice(start, start + size),)], other):
            return (("Slice", (axis, start, start + size)),)
    return None


# ---- In a model


def arrays_of(graph: onnx.GraphProto, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the float32 initializers of these names."""
    wanted = set(names)
    return {
        t.name: numpy_helper.to_array(t)
        for t in graph.initializer
        if t.name in wanted and t.data_type == onnx.TensorProto.FLOAT
    }


def tie(graph: onnx.GraphProto, ties: Sequence[Tie]) -> None:
    """Compute each copy from its weight, and remove its tensor."""
    copies = {found.copy: found for found in ties}
    for tensor in [tensor for tensor in graph.initializer if tensor.name in copies]:
        graph.initializer.remove(tensor)
    for found in reversed(ties):
        for node in reversed(list(nodes_of(graph, found))):
            graph.node.insert(0, node)


def nodes_of(graph: onnx.GraphProto, found: Tie) -> Iterator[onnx.NodeProto]:
    """Yield the nodes that compute a copy from its weight."""
    steps = found.steps or (("Identity", ()),)
    value = found.weight
    for number, (kind, numbers) in enumerate(steps, 1):
        made = found.copy if number == len(steps) else new_name(graph, f"{found.copy}.step_{number}")
        if kind == "Transpose":
            yield onnx.helper.make_node(kind, [value], [made], perm=numbers)
        elif kind == "Slice":
            axis, start, end = numbers
            ends = [
                constant(graph, f"{found.copy}.{name}", [n])
                for name, n in (("start", start), ("end", end), ("axis", axis))
            ]
            yield onnx.helper.make_node(kind, [value, *ends], [made])
        else:
            shape = [constant(graph, f"{found.copy}.shape", numbers)] if kind == "Reshape" else []
            yield onnx.helper.make_node(kind, [value, *shape], [made])
        value = made


def constant(graph: onnx.GraphProto, stem: str, numbers: Sequence[int]) -> str:
    """Add an initializer of integers, and return its name."""
    name = new_name(graph, stem)
    graph.initializer.append(numpy_helper.from_array(np.array(numbers, np.int64), name))
    return name
