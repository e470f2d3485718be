"""Runs the libFuzzer target under ASan and UBSan: some seconds here, GRADMOTE_FUZZ_SECONDS=300 for the long form."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = int(os.environ.get("GRADMOTE_FUZZ_SECONDS", "15"))

pytestmark = pytest.mark.skipif(
    shutil.which("clang-14") is None, reason="apt-get install clang-14 libclang-rt-14-dev"
)


@pytest.fixture(scope="module")
def target():
    subprocess.run([sys.executable, "-m", "SCons", "-Q", "fuzz"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return ROOT / "build" / "fuzz" / "fuzz_open"


@pytest.fixture(scope="module")
def corpus(target, tmp_path_factory):
    """Hand-built images and checkpoints of every opcode, and what the compiler makes of a real model."""
    folder = tmp_path_factory.mktemp("corpus")
    subprocess.run([target.parent / "make_corpus", folder], check=True, stdout=subprocess.DEVNULL)
    for name, image in compiled_images().items():
        (folder / name).write_bytes(image)
    return folder


def compiled_images():
    from gradmote import losses, optimizers
    from gradmote.artifacts import build_artifacts
    from gradmote.compile import Options, compile_image

    model = ROOT / "tests" / "data" / "keras_classifier.onnx"
    images = {}
    for optimizer in (optimizers.sgd(0.1, momentum=0.9), optimizers.adamw(clip_norm=1.0)):
        made = build_artifacts(model, None, losses.cross_entropy(through_softmax=True), optimizer)
        for accumulate in (False, True):
            result = compile_image(made, Options(batch=2, accumulate=accumulate))
            images[f"{optimizer.rule}_{accumulate}.mote"] = result.image
    return images


@pytest.mark.slow
def test_no_image_or_checkpoint_breaks_the_runtime(target, corpus):
    """Mutated files are refused, or run without touching a byte outside their arena."""
    options = [f"-max_total_time={SECONDS}", "-max_len=20000", "-print_final_stats=1", "-verbosity=0"]
    run = subprocess.run([target, *options, corpus], capture_output=True, text=True, cwd=corpus, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", run.stderr))
    executed = int(stats["number_of_executed_units"])
    print(f"{executed} inputs in {SECONDS} s")
    assert executed > 1000
