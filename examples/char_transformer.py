"""Char transformer: attention learns, character by character, to write like Python's manual, on the twin.

    ./run example char_transformer
    ./run example char_transformer --steps 1000

28,000 parameters: two blocks of width 32 with four heads see the last 32 characters. Figures are bits per character
of held-out text, next to those from counting single characters and pairs.
"""

from __future__ import annotations

import numpy as np
import onnx
from rich.progress import track

from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote_runtime import Session

from data import manual
from data.manual import CHARACTERS
from shared import report

LENGTH, WIDTH, HEADS, BLOCKS = 32, 32, 4, 2
BATCH, RATE = 2, 0.002
#: The temperature of writing: below 1, likely characters are chosen even more often than their probability.
TEMPERATURE = 0.7

BLOCK = """
  n{i} = LayerNormalization <axis = -1> (x{i}, gamma{i}, beta{i})
  qkv{i} = MatMul (n{i}, qkv_weight{i})
  cut{i} = Reshape (qkv{i}, cut)
  q{i}, k{i}, v{i} = Split <axis = 2, num_outputs = 3> (cut{i})
  rows{i} = Squeeze (q{i}, two)
  columns{i} = Squeeze (k{i}, two)
  values{i} = Squeeze (v{i}, two)
  q_heads{i} = Transpose <perm = [0, 2, 1, 3]> (rows{i})
  k_heads{i} = Transpose <perm = [0, 2, 3, 1]> (columns{i})
  v_heads{i} = Transpose <perm = [0, 2, 1, 3]> (values{i})
  product{i} = MatMul (q_heads{i}, k_heads{i})
  scaled{i} = Mul (product{i}, scale)
  masked{i} = Add (scaled{i}, mask)
  attention{i} = Softmax <axis = -1> (masked{i})
  mixed{i} = MatMul (attention{i}, v_heads{i})
  turned{i} = Transpose <perm = [0, 2, 1, 3]> (mixed{i})
  joined{i} = Reshape (turned{i}, joined)
  out{i} = MatMul (joined{i}, out_weight{i})
  r{i} = Add (x{i}, out{i})
  m{i} = LayerNormalization <axis = -1> (r{i}, gamma_mlp{i}, beta_mlp{i})
  wide{i} = MatMul (m{i}, wide_weight{i})
  active{i} = Gelu (wide{i})
  narrow{i} = MatMul (active{i}, narrow_weight{i})
  x{next} = Add (r{i}, narrow{i})"""


def network() -> onnx.ModelProto:
    """Return the model from tokens (N, LENGTH) to the scores of each next character, (N, characters, LENGTH)."""
    blocks = "".join(BLOCK.format(i=i, next=i + 1) for i in range(BLOCKS))
    model = onnx.parser.parse_model(f"""<ir_version: 10, opset_import: ["": 20]>
    transformer (int64[N,{LENGTH}] tokens) => (float[N,{len(CHARACTERS)},{LENGTH}] scores)
    <int64[5] cut = {{0, {LENGTH}, 3, {HEADS}, {WIDTH // HEADS}}}, int64[3] joined = {{0, {LENGTH}, {WIDTH}}},
     int64[1] two = {{2}}, float scale = {{{(WIDTH // HEADS) ** -0.5}}}> {{
      embedded = Gather (table, tokens)
      x0 = Add (embedded, positions){blocks}
      last = LayerNormalization <axis = -1> (x{BLOCKS}, gamma, beta)
      head = Transpose (table)
      by_token = MatMul (last, head)
      scores = Transpose <perm = [0, 2, 1]> (by_token)
    }}""")
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in weights().items())
    return model


def weights() -> dict[str, np.ndarray]:
    """Return small random matrices, normalizations without effect, and the mask that hides later tokens."""
    rng = np.random.default_rng(0)
    shapes = {"table": (len(CHARACTERS), WIDTH), "positions": (LENGTH, WIDTH)}
    for i in range(BLOCKS):
        shapes |= {f"qkv_weight{i}": (WIDTH, 3 * WIDTH), f"out_weight{i}": (WIDTH, WIDTH)}
        shapes |= {f"wide_weight{i}": (WIDTH, 4 * WIDTH), f"narrow_weight{i}": (4 * WIDTH, WIDTH)}
    made = {name: rng.normal(0, 0.08, shape) for name, shape in shapes.items()}
    for suffix in ("", *(f"{part}{i}" for i in range(BLOCKS) for part in ("", "_mlp"))):
        made |= {f"gamma{suffix}": np.ones(WIDTH), f"beta{suffix}": np.zeros(WIDTH)}
    made["mask"] = np.triu(np.full((LENGTH, LENGTH), -np.inf), 1)
    return {name: array.astype(np.float32) for name, array in made.items()}


def windows(text: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the characters from each start on, and the character after each of them."""
    places = starts[:, None] + np.arange(LENGTH)
    return text[places], text[places + 1]


def held_out_bits(session: Session, text: np.ndarray, batches: int = 160) -> float:
    starts = np.linspace(0, len(text) - LENGTH - 1, batches * BATCH).astype(int).reshape(batches, BATCH)
    return float(np.mean([session.eval_step(*windows(text, s)) for s in starts])) / np.log(2)


def counted_bits(train: np.ndarray, text: np.ndarray, order: int) -> float:
    """Return the mean bits per character of `text`, predicted from counts in `train`.

    The counts are of characters (order 0) or of pairs (order 1), with one added to each.
    """
    n = len(CHARACTERS)
    counts = np.bincount(train[:-1] * order * n + train[1:], minlength=n * n).reshape(n, n) + 1.0
    return float(-np.log2(counts / counts.sum(1, keepdims=True))[text[:-1] * order, text[1:]].mean())


def write(session: Session, seen: np.ndarray, count: int = 160) -> str:
    """Return `count` characters that continue `seen`, each drawn by its probability."""
    rng, text = np.random.default_rng(1), list(seen[:LENGTH])
    for _ in range(count):
        tokens = np.tile(np.array(text[-LENGTH:]), (BATCH, 1))
        scores = np.array(session.infer(tokens)[0])[0, :, -1] / TEMPERATURE
        chances = np.exp(scores - scores.max())
        text.append(int(rng.choice(len(chances), p=chances / chances.sum())))
    return manual.decode(np.array(text[LENGTH:]))


def main(steps: int = 10000) -> float:
    """Train for STEPS steps of 2 windows. Returns bits per character of held-out text."""
    train, held_out = manual.load()
    compiled = compile_model(network(), losses.cross_entropy(), optimizers.adamw(RATE), Options(batch=BATCH))
    rng = np.random.default_rng(0)
    with Session(compiled.image) as session:
        before = held_out_bits(session, held_out)
        report.say(f"before: {write(session, held_out)!r}")
        session.set_linear_schedule(RATE, warmup_steps=0, total_steps=steps)
        for _ in track(range(steps), "training"):
            session.step(*windows(train, rng.integers(0, len(train) - LENGTH - 1, BATCH)))
        after = held_out_bits(session, held_out)
        report.say(f"after:  {write(session, held_out)!r}")
    report.before_after("Char transformer, on the twin", {"bits per held-out character": (before, after)}, ".2f")
    single, pairs = (counted_bits(train, held_out, order) for order in (0, 1))
    report.say(f"counting single characters gives {single:.2f} bits, counting pairs {pairs:.2f}")
    report.on_the_board(compiled)
    return after


if __name__ == "__main__":
    report.run(main)
