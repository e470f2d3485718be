"""A network that scores each word of a vocabulary as the next one, from the three words before.

The embeddings of these words, joined, go through a hidden layer with tanh; the head has a row for each word of the
vocabulary (Bengio et al., 2003, "A Neural Probabilistic Language Model").
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx

from gradmote.device import Dataset

from data import bible
from next_word.vocabulary import CONTEXT, SPARE, UNKNOWN, Vocabulary, most_frequent, samples
from shared.pretraining import pretrained

GRAPH = """
<ir_version: 10, opset_import: ["" : 18]>
next_word (int64[batch, {context}] words) => (float[batch, {rows}] scores) <int64[2] joined = {{0, {inputs}}}> {{
  embedded = Gather (embedding, words)
  together = Reshape (embedded, joined)
  sums = Gemm <transB = 1> (together, hidden_weight, hidden_bias)
  features = Tanh (sums)
  {head}
}}
"""
HEAD = "scores = Gemm <transB = 1> (features, head_weight, head_bias)"
#: The head with an adapter of low rank: scores = W f + b + U (D f) (Hu et al., 2021, "LoRA").
ADAPTED = """known = Gemm <transB = 1> (features, head_weight, head_bias)
  low = Gemm <transB = 1> (features, lora_down)
  learned = Gemm <transB = 1> (low, lora_up)
  scores = Add (known, learned)"""

PRETRAINING_EPOCHS, BATCH, RATE = 1, 64, 0.003


class Size(NamedTuple):
    """The sizes of a keyboard's vocabulary and network."""

    words: int = 1022  #: of the general text, which have rows from the beginning
    spare: int = 256  #: rows for the owner's own words
    width: int = 32  #: of an embedding
    hidden: int = 64  #: units of the hidden layer


SIZE = Size()


def general_model(
    seed: int, epochs: int = PRETRAINING_EPOCHS, size: Size = SIZE, verses: int | None = None
) -> tuple[onnx.ModelProto, list[str]]:
    """Return the model that has seen the other writers' verses, and the words that it knows.

    It takes minutes, once (shared/pretraining.py). verses: of the others, to use only so many.
    """
    text = bible.load().others[:verses]
    words = most_frequent(text, size.words)
    x, y = samples(text, Vocabulary(words, 0))
    network = fresh(SPARE + len(words), size, seed)
    return pretrained("keyboard", network, Dataset(x, y), epochs, RATE, BATCH, None), words


def fresh(rows: int, size: Size, seed: int) -> onnx.ModelProto:
    """Return the network with random weights for a vocabulary of so many rows."""
    random, inputs, hidden = np.random.default_rng(seed), CONTEXT * size.width, size.hidden
    shapes = {"embedding": (rows, size.width), "hidden_weight": (hidden, inputs), "head_weight": (rows, hidden)}
    deviations = {"embedding": 0.3, "hidden_weight": inputs**-0.5, "head_weight": 0.1}
    weights = {name: random.normal(0, deviations[name], shape) for name, shape in shapes.items()}
    weights |= {"hidden_bias": np.zeros(size.hidden), "head_bias": np.zeros(rows)}
    return model_of(weights, HEAD)


def personal_model(general: onnx.ModelProto, spare: int, rank: int, seed: int = 0) -> onnx.ModelProto:
    """Return the general model with `spare` rows for new words after row UNKNOWN, and an adapter of this rank.

    A spare row begins as that of UNKNOWN, which the general text has trained, and scores high if a rare word is
    likely. Its embedding gets noise of half the embeddings' deviation, so that the hidden layer can distinguish new
    words. Its bias is lower by log(10,000), as many rare words share the probability of UNKNOWN. Rank 0 means no
    adapter.
    """
    random, weights = np.random.default_rng(seed), weights_of(general)
    for name in ("embedding", "head_weight", "head_bias"):
        known = weights[name]
        weights[name] = np.concatenate(
            [known[:SPARE], np.repeat(known[UNKNOWN : UNKNOWN + 1], spare, 0), known[SPARE:]]
        )
    deviation = weights["embedding"].std() / 2
    weights["embedding"][SPARE : SPARE + spare] += random.normal(0, deviation, (spare, weights["embedding"].shape[1]))
    weights["head_bias"][SPARE : SPARE + spare] -= np.log(10_000)
    if not rank:
        return model_of(weights, HEAD)
    rows, hidden = weights["head_weight"].shape
    weights |= {"lora_down": random.normal(0, hidden**-0.5, (rank, hidden)), "lora_up": np.zeros((rows, rank))}
    return model_of(weights, ADAPTED)


def weights_of(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """Return the float32 weights by name."""
    float32 = onnx.TensorProto.FLOAT
    return {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer if t.data_type == float32}


def model_of(weights: dict[str, np.ndarray], head: str) -> onnx.ModelProto:
    """Return GRAPH with this head and these weights, as float32."""
    rows, width = weights["embedding"].shape
    model = onnx.parser.parse_model(GRAPH.format(context=CONTEXT, rows=rows, inputs=CONTEXT * width, head=head))
    for name, values in weights.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32), name))
    return model
