"""Update schemes, and the parameters of a model that they select for training.

    full                    every weight
    head                    the last layer
    last:3                  the last three layers
    bias, bias:last:5       parameters that are only added: biases, also those of normalizations
    sparse:0.25             the first quarter of each layer's output channels: weights and biases
    sparse:0.25:last:4      the same for the last four layers
    sparse:0.25:named:conv* the same for the layers of these weights
    named:conv1.*,head.*    names or patterns
    freeze:conv1.*          all except these
    head+bias:last:5        several together

A layer is a node with a matrix or kernel of weights. Other parameters (biases, scale and shift of a
normalization, slopes) belong to the layer to whose result they are applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

import onnx_ir as ir

from ..errors import ModelError
from ..frontend.parameters import candidates, left_out, some, trainable
from ..ir.graph import DOMAIN, origin

KINDS = ("full", "bias", "sparse", "named", "freeze")
#: Operators that have weights -> the inputs for weights; MatMul's may be on either side.
LAYERS = {
    "Conv": (1,), "ConvTranspose": (1,), "Gemm": (0, 1), "MatMul": (0, 1), "Gather": (0,), "LSTM": (1, 2),
    "GRU": (1, 2), "RNN": (1, 2), "Einsum": (0, 1),
}  # fmt: skip
#: Inputs that are only added to the result.
ADDED = {"Add": (0, 1), "Sub": (1,), "Conv": (2,), "ConvTranspose": (2,), "Gemm": (2,), "LSTM": (3,), "GRU": (3,),
         "RNN": (3,), "BatchNormalization": (2,), "Normalize": (4,)}  # fmt: skip
#: Operators that only give a parameter another shape or type.
VIEWS = ("Unsqueeze", "Squeeze", "Reshape", "Transpose", "Identity", "Flatten", "Expand", "Cast", "DequantizeLinear")
#: The kinds that take names; sparse takes them after the word named.
_NAMED = ("named", "freeze", "sparse")
_NAMED_CHANNELS = re.compile(r"sparse:(?P<ratio>[^:]+):named:(?P<names>.*)")
_FORM = re.compile(r"full|head|(?P<kind>bias|sparse:(?P<ratio>[^:]+))?((?(kind):)last:(?P<last>\d+))?")
_JOIN = re.compile(r"\+(?=(?:full|head|last|bias|sparse|named|freeze)\b)")
_HINT = (
    "write full, head, last:3, bias, bias:last:5, sparse:0.25, sparse:0.25:last:4, sparse:0.25:named:conv1.* "
    "or named:conv1.*,head.*, joined by +"
)


@dataclass(frozen=True)
class Scheme:
    """The selection of parameters to train; str() gives its text, Scheme.parse() reads it.

    ratio: of the output channels, for kind sparse. last: layers counted from the end; None: all. names: names or
    patterns, for kinds named, freeze and optionally sparse. beside: a scheme whose parameters are trained too.
    """

    kind: str = "full"
    ratio: float | None = None
    last: int | None = None
    names: tuple[str, ...] = ()
    beside: Scheme | None = None

    def __post_init__(self) -> None:
        """Raise ModelError for values that contradict each other or are out of range."""
        if self.kind not in KINDS or (self.ratio is not None) != (self.kind == "sparse"):
            raise ModelError(f"scheme of kind '{self.kind}' with ratio {self.ratio}", _HINT)
        if self.ratio is not None and not 0.0 < self.ratio <= 1:
            raise ModelError(f"scheme '{self}': the ratio must be above 0 and at most 1", _HINT)
        if self.last is not None and self.last < 1:
            raise ModelError(f"scheme '{self}': at least one layer must be trained", _HINT)
        needed = self.kind in ("named", "freeze") and not self.names
        if needed or (self.names and (self.kind not in _NAMED or self.last is not None)):
            raise ModelError(f"scheme '{self}': names belong to named, freeze and sparse, without last", _HINT)

    def parts(self) -> list[Scheme]:
        """Return the schemes that + joins, one by one."""
        if self.beside is None:
            return [self]
        return [replace(self, beside=None), *self.beside.parts()]

    def plus(self, names: Sequence[str]) -> Scheme:
        """Return a scheme that trains these parameters too."""
        *rest, last = self.parts()
        if last.kind == "named":
            last = replace(last, names=(*last.names, *names))
        else:
            rest, last = [*rest, last], Scheme("named", names=tuple(names))
        return joined([*rest, last])

    @classmethod
    def parse(cls, text: str) -> Scheme:
        """Return the scheme that a text names.

        Raises ModelError for a text that is not a scheme.
        """
        return joined([cls._parse_one(part) for part in _JOIN.split(text.strip())])

    @classmethod
    def _parse_one(cls, text: str) -> Scheme:
        kind, _, rest = text.partition(":")
        if kind in ("named", "freeze"):
            return cls(kind, names=split_names(rest))
        if (channels := _NAMED_CHANNELS.fullmatch(text)) is not None:
            return cls._of_channels(channels["ratio"], split_names(channels["names"]))
        found = _FORM.fullmatch(text)
        if found is None or not found[0]:
            raise ModelError(f"'{text}' is not a scheme", _HINT)
        if found[0] == "head":
            return cls(last=1)
        ratio, last = found["ratio"], found["last"]
        kind = (found["kind"] or "full").partition(":")[0]
        return cls(kind, number(ratio) if ratio is not None else None, int(last) if last is not None else None)

    @classmethod
    def _of_channels(cls, ratio: str, names: tuple[str, ...]) -> Scheme:
        if not names:
            raise ModelError(f"'sparse:{ratio}:named:' names no weights", _HINT)
        return cls("sparse", number(ratio), names=names)

    def __str__(self) -> str:
        """Return the text that parse() reads."""
        if self.beside is not None:
            return "+".join(map(str, self.parts()))
        if self.kind in ("named", "freeze"):
            return f"{self.kind}:{','.join(self.names)}"
        if self == Scheme(last=1):
            return "head"
        words = [] if self.kind == "full" and self.last is not None else [self.kind]
        words += [f"{self.ratio:g}"] if self.ratio is not None else []
        words += ["named", ",".join(self.names)] if self.names else []
        return ":".join([*words, f"last:{self.last}"] if self.last is not None else words)


def split_names(text: str) -> tuple[str, ...]:
    """Return the names or patterns, separated by commas."""
    return tuple(name for name in text.split(",") if name)


def joined(parts: Sequence[Scheme]) -> Scheme:
    """Return one scheme that trains the parameters of all of them."""
    *before, scheme = parts
    for part in reversed(before):
        scheme = replace(part, beside=scheme)
    return scheme


def number(word: str) -> float:
    """Return the ratio in a word.

    Raises ModelError for a word that is not a number.
    """
    try:
        return float(word)
    except ValueError:
        raise ModelError(f"'{word}' is not a ratio of channels", _HINT) from None


def resolve(scheme: Scheme | str | None, train: Sequence[str] | None, freeze: Sequence[str] | None) -> Scheme:
    """Return one scheme from either form.

    Raises ModelError if both are given, and for a text instead of a list of names.
    """
    for text in (train, freeze):
        if isinstance(text, str):
            raise ModelError(
                f"'{text}' is a string, but a list of names or patterns of weights is expected",
                f"pass ['{text}'], or scheme='{text}' if it is a scheme",
            )
    if scheme is not None and (train is not None or freeze is not None):
        raise ModelError("a scheme, and names to train or freeze", "give one of them: named:NAME,... is a scheme too")
    if scheme is not None:
        return Scheme.parse(scheme) if isinstance(scheme, str) else scheme
    if train:
        return Scheme("named", names=tuple(train))
    return Scheme("freeze", names=tuple(freeze)) if freeze else Scheme()


# ---- The layers of a graph


@dataclass
class Layer:
    """The names of the parameters of one layer.

    others: parameters that are neither weights nor only added, such as a normalization's scale.
    """

    weights: list[str] = field(default_factory=list)
    biases: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def all(self) -> list[str]:
        """Return the names of all parameters of the layer."""
        return [*self.weights, *self.biases, *self.others]


def layers(graph: ir.Graph, weights: Sequence[str] | None = None) -> list[Layer]:
    """Return the layers that can be trained, in the order in which the graph uses them.

    A parameter belongs to the layer that uses it first. weights: the names of the model's own weights, if known.
    """
    names, found = set(candidates(graph) if weights is None else weights), [Layer()]
    below: dict[ir.Value, int] = {}  # value -> index of the last layer that it comes from
    taken: set[str] = set()
    for node in graph:
        own = {p: i for i, p in parameters_of(node, names) if p not in taken}
        matrices = {p for p, i in own.items() if i in LAYERS.get(node.op_type, ()) and not node.domain}
        if matrices:
            found.append(Layer())
        index = len(found) - 1 if matrices else max((below.get(v, 0) for v in node.inputs if v is not None), default=0)
        below.update(dict.fromkeys(node.outputs, index))
        for p, i in own.items():
            file_under(found[index], node, i, p, p in matrices)
        taken.update(own)
    return [layer for layer in found if layer.all()]


def parameters_of(node: ir.Node, names: set[str]) -> Iterator[tuple[int, str]]:
    """Yield (input, parameter) of a node that uses parameters, directly or through views.

    Views themselves have none.
    """
    if node.op_type in VIEWS:
        return
    for index, value in enumerate(node.inputs):
        source = origin(value, VIEWS)
        if source is not None and source.name in names:
            yield index, str(source.name)


def file_under(layer: Layer, node: ir.Node, index: int, name: str, is_weight: bool) -> None:
    """Add a parameter to the weights, the biases or the others of its layer."""
    added = index in ADDED.get(node.op_type, ()) and node.domain in ("", DOMAIN)
    (layer.weights if is_weight else layer.biases if added else layer.others).append(name)


def parts_of(known: Sequence[Layer], scheme: Scheme) -> dict[str, float]:
    """Return the share of channels, 0 .. 1, of each parameter that a scheme trains."""
    shares: dict[str, float] = {}
    for part in scheme.parts():
        for name in picked(known, part):
            shares[name] = max(shares.get(name, 0.0), part.ratio or 1.0)
    return shares


def picked(known: Sequence[Layer], part: Scheme) -> list[str]:
    """Return the parameters of one part of a scheme.

    Raises ModelError if it counts more layers than the model has.
    """
    if part.names:
        names = [name for layer in known for name in layer.all()]
        matched = {name for pattern in part.names for name in matching(pattern, names, names)}
        names = [name for layer in known for name in layer.weights] if part.kind == "sparse" else names
        return [n for n in names if (n in matched) == (part.kind != "freeze")]
    if part.last is not None and part.last > len(known):
        raise ModelError(f"scheme '{part}', but the model has {len(known)} layers", "train `full`, or fewer layers")
    pick = {"full": Layer.all, "bias": lambda layer: layer.biases, "sparse": lambda layer: layer.weights}[part.kind]
    return [name for layer in known[-(part.last or 0) :] for name in pick(layer)]


# ---- The choice


@dataclass(frozen=True)
class Choice:
    """The choice of a scheme: the model's weights, and all initializers that could train, by their names."""

    graph: ir.Graph
    weights: list[str]
    constants: list[str]

    def of(self, part: Scheme) -> list[str]:
        """Return the initializers that one part of a scheme trains, in the model's order.

        Without names these are weights. A constant that is not a weight trains only if it is named in full.

        Raises ModelError for a pattern that matches nothing, or if nothing is left.
        """
        if part.kind == "named":
            return self._left(self._matching(part.names))
        if part.kind == "freeze":
            return self._left(set(self.weights) - self._matching(part.names))
        if part.kind == "full" and part.last is None:
            return self._left(set(self.weights))
        self._matching(part.names)  # refuses a pattern that matches nothing
        found = picked(layers(self.graph, self.weights), part)
        if not found:
            raise ModelError(f"scheme '{part}' leaves nothing to train", "these layers have no such parameters")
        return found

    def _matching(self, patterns: Sequence[str]) -> set[str]:
        """Return every name that equals or matches one of the patterns. Raises ModelError for one without a match."""
        found: set[str] = set()
        for pattern in patterns:
            hits = matching(pattern, self.weights, self.constants)
            if not hits:
                raise ModelError(f"no weight matches '{pattern}'", f"the model's weights are {some(self.weights)}")
            found.update(hits)
        return found

    def _left(self, picked: set[str]) -> list[str]:
        if not picked:
            others = left_out(self.graph)
            hint = f"; what looks like tables of its code trains if it is named: {some(others)}" if others else ""
            raise ModelError("no parameter is left to train", f"the model's weights are {some(self.weights)}{hint}")
        return [name for name in self.constants if name in picked]


def matching(pattern: str, names: Sequence[str], constants: Sequence[str]) -> list[str]:
    """Return the constant of that name, or else the names that match the pattern.

    The name comes first, because it may contain characters that have a meaning in patterns.
    """
    return [pattern] if pattern in constants else [n for n in names if fnmatchcase(n, pattern)]


def choose(graph: ir.Graph, scheme: Scheme) -> tuple[list[str], dict[str, float]]:
    """Return the initializers to train whole, and the weights to train in part, with their share of channels.

    Both are in the model's order. If several parts name a weight, the largest share counts. Raises
    ModelError if nothing is left.
    """
    choice = Choice(graph, candidates(graph), trainable(graph))
    whole: set[str] = set()
    shares: dict[str, float] = {}
    for part in scheme.parts():
        for name in choice.of(part):
            if part.ratio is None:
                whole.add(name)
            else:
                shares[name] = max(shares.get(name, 0.0), part.ratio)
    own = choice.constants
    return [n for n in own if n in whole], {n: shares[n] for n in own if n in shares and n not in whole}
