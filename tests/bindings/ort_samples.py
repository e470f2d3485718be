"""Move the applications of onnxruntime-training-examples to Gradmote, and count the lines that change:

    git clone --depth 1 https://github.com/microsoft/onnxruntime-training-examples
    cd tests && python -m bindings.ort_samples ../onnxruntime-training-examples

It changes imports and the names of files in a copy, compiles that, and says what the compiler reports. Of C++, it then
trains handwritten digits with the application's own functions, and classifies others. --keep FOLDER keeps the copies.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bindings import cpp, csharp, java
from bindings.row import Missing, require

MOBILE = Path("on_device_training", "mobile", "android")
DESKTOP = Path("on_device_training", "desktop", "csharp")
ARTIFACTS = r'"[^"\n]*(?:training|eval|optimizer)(?:_model)?\.onnx"'
CHECKPOINT = r'"(?:training_artifacts/)?(?:checkpoint|[\w-]+\.ckpt)"'

Compile = Callable[[Path], str]


@dataclass(frozen=True)
class Sample:
    """An application: the folder of its files, what changes in them, and how they compile.

    changes: pattern and replacement. compile(folder): the compiler's errors, "" for none, for the changed copy.
    """

    language: str
    folder: Path
    files: str
    changes: Sequence[tuple[str, str]]
    compile: Compile


def main() -> int:
    """Print what changes in each file; return the number of applications that do not compile."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, help="a clone of onnxruntime-training-examples")
    parser.add_argument("--language", choices=sorted({sample.language for sample in SAMPLES}), help="only this one")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the changed files here")
    given = parser.parse_args()
    chosen = [sample for sample in SAMPLES if given.language in (None, sample.language)]
    failed = 0
    for sample in chosen:
        with tempfile.TemporaryDirectory() as temporary:
            folder = (given.keep or Path(temporary)) / sample.folder
            failed += report(sample, given.checkout / sample.folder, folder)
    return failed


def report(sample: Sample, original: Path, folder: Path) -> bool:
    """Change and compile one application; return whether it did not compile."""
    print(f"{sample.language}: {sample.folder}")
    total = 0
    for name, (changed, lines) in changed_copy(sample, original, folder).items():
        total += changed
        print(f"  {name}: {changed} of {lines} lines")
    try:
        errors = sample.compile(folder)
    except Missing as missing:
        print(f"  {total} lines changed; not compiled: no {missing}")
        return False
    print(f"  {total} lines changed; {'compiles' if not errors else 'does not compile:'}")
    print(errors, end="")
    if sample.language == "cpp" and not errors:
        print(f"  {trained_digits(folder)}")
    return bool(errors)


def changed_copy(sample: Sample, original: Path, folder: Path) -> dict[str, tuple[int, int]]:
    """Write the changed files; return how many lines of each changed, and how many it has."""
    found = sorted(path for path in original.glob(sample.files) if path.is_file())
    if not found:
        raise SystemExit(
            f"{original} has no {sample.files} - give the path of a clone of onnxruntime-training-examples"
        )
    counts = {}
    for path in found:
        before = path.read_text(encoding="utf-8-sig")
        after = before
        for pattern, replacement in sample.changes:
            after = re.sub(pattern, replacement, after)
        pairs = zip(before.splitlines(), after.splitlines(), strict=True)
        target = folder / path.relative_to(original)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(after)
        counts[str(path.relative_to(original))] = sum(a != b for a, b in pairs), len(before.splitlines())
    return counts


# ---- C++ -------------------------------------------------------------------------------------------------------------

#: Android's logging, which the application includes and does not use.
LOG = Path("android", "log.h")
CPP = Path("src", "main", "cpp")


def compile_cpp(folder: Path) -> str:
    """Compile the native library of the Android application; Java's headers come from the JDK."""
    (folder / LOG).parent.mkdir(exist_ok=True)
    (folder / LOG).write_text("")
    jdk = Path(require("javac")).resolve().parents[1] / "include"
    flags = ["-std=c++17", f"-I{cpp.INCLUDES[0]}", f"-I{cpp.CPP / 'include'}", f"-I{folder}", f"-I{jdk}"]
    sources = sorted(map(str, (folder / CPP).glob("*.cpp")))
    command = [require("g++"), *flags, f"-I{jdk / 'linux'}", "-fsyntax-only", *sources]
    return errors_of(command)


def trained_digits(folder: Path) -> str:
    """Train with the application's functions; return what the program prints."""
    sys.path.append(str(cpp.ROOT / "examples"))
    import digits_files
    import numpy as np

    from gradmote import losses, optimizers
    from gradmote.compiler import Options, compile_model
    from support.oracle import make_model, node

    from data import digits

    rng, data = np.random.default_rng(0), folder / "digits"
    data.mkdir()
    digits_files.write_samples(digits.load(), data)
    nodes = [
        node("Flatten", "input", "f"),
        node("Gemm", "f w1", "h"),
        node("Relu", "h", "a"),
        node("Gemm", "a w2", "output"),
    ]
    weights = {"w1": rng.normal(0, 0.1, (192, 32)), "w2": rng.normal(0, 0.2, (32, 10))}
    constants = {name: value.astype(np.float32) for name, value in weights.items()}
    model = make_model(nodes, constants, {"input": ("N", 3, 8, 8)}, ("output",))
    options = Options(batch=1, accumulate=True)
    image = compile_model(model, losses.cross_entropy(), optimizers.adamw(0.001), options).image
    (data / "model.mote").write_bytes(image)
    own = [folder / CPP / name for name in ("train.cpp", "inference.cpp")]
    flags = [f"-I{folder / CPP}", f"-I{folder}", *map(str, own), "-w"]
    program = cpp.compiled(cpp.PROGRAMS / "RunSample.cpp", folder, "strict", "g++", *flags)
    return subprocess.run([str(program), str(data)], capture_output=True, text=True, check=True).stdout.strip()


# ---- C# and Kotlin ---------------------------------------------------------------------------------------------------

#: Names that the project files of .NET 6 import everywhere, and mcs does not.
IMPLICIT = "".join(f"using System{part};\n" for part in ("", ".Collections.Generic", ".IO", ".Linq"))
JSON = "using System.Text.Json;"
#: What Mono lacks: System.Text.Json, and C# 8.
BEYOND_MONO = re.compile(r"\bJsonSerializer\b|\[[^\]\n]*\.\.[^\]\n]*\]")


def compile_csharp(folder: Path) -> str:
    """Compile with Mono against Gradmote's assembly, without an import of JSON that the application does not use."""
    csharp.build()
    sources = sorted(folder.glob("*.cs"))
    if any(BEYOND_MONO.search(source.read_text()) for source in sources):
        raise Missing("compiler for C# 8 with System.Text.Json")
    for source in sources:
        source.write_text(IMPLICIT + source.read_text().replace(JSON, ""))
    command = ["mcs", f"-r:{csharp.ASSEMBLY}", "-r:System.Drawing", "-target:library", f"-out:{folder / 'sample.dll'}"]
    return errors_of([*command, *map(str, sources)])


def compile_kotlin(folder: Path) -> str:
    """Compile the class that trains, without Android's imports that it does not use. It needs Kotlin 1.7 or later."""
    [source] = folder.glob("ORTTrainer.kt")
    plain = "".join(line for line in source.open() if not re.match(r"import (android|androidx)\.", line))
    (folder / "Trainer.kt").write_text(plain)
    command = [require("kotlinc"), str(folder / "Trainer.kt"), "-cp", str(java.jar()), "-d", str(folder / "classes")]
    return errors_of(command)


def errors_of(command: Sequence[str]) -> str:
    """Run a compiler and return its errors."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines() if done.returncode else []
    return "".join(f"    {line}\n" for line in lines if "error" in line)


IMAGE, STATE = (ARTIFACTS, '"model.mote"'), (CHECKPOINT, '"model.mote"')
OF_ORT = r'"onnxruntime(?:_training)?_cxx_api\.h"', '"gradmote/ort_training.hpp"'
EXPORTED = (r'"(/?(?:inference|inference_model|trained_\w+))\.onnx"', r'"\1.mote"')
PLUS_PLUS = (OF_ORT, EXPORTED, IMAGE, STATE)
SHARP = (r"Microsoft\.ML\.OnnxRuntime", "Gradmote.OnnxRuntime"), EXPORTED, IMAGE, STATE
SAMPLES = [
    Sample("cpp", MOBILE / "c-cpp/app/ORTPersonalize/app", "src/main/**/*.[chk]*", PLUS_PLUS, compile_cpp),
    Sample(
        "csharp", DESKTOP / "image_classification/mobilevit_console/mobilevit_console", "*.cs", SHARP, compile_csharp
    ),
    Sample("csharp", DESKTOP / "masked_language_modeling/csharp_console_app", "*.cs", SHARP, compile_csharp),
    Sample(
        "kotlin",
        MOBILE / "java/app/ORTPersonalize/app/src/main/java/com/example/ortpersonalize",
        "*.kt",
        [(r"\bai\.onnxruntime\b", "gradmote.onnxruntime"), EXPORTED, IMAGE, STATE],
        compile_kotlin,
    ),
]


if __name__ == "__main__":
    raise SystemExit(main())
