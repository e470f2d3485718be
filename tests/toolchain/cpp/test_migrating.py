"""docs/MIGRATING.md has each of onnxruntime's functions in C and C++, and programs call what it names for them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from bindings.digits import check_export, images

from bindings import cpp
from gradmote import Session
from gradmote.training import CheckpointState
from runtime_sources import NUMERICS_FLAGS, ROOT, WARNING_FLAGS
from support.objects import host_library, run

GUIDE = ROOT / "docs" / "MIGRATING.md"
C_PROGRAM = cpp.PROGRAMS / "Migrated.c"
CPP_PROGRAM = cpp.PROGRAMS / "Checks.cpp"
CPP_CLASSES = cpp.CPP / "include" / "gradmote" / "ort_training.hpp"

#: The functions of onnxruntime 1.19's training in C: the members of OrtTrainingApi.
OF_C = [
    "LoadCheckpoint",
    "SaveCheckpoint",
    "CreateTrainingSession",
    "CreateTrainingSessionFromBuffer",
    "TrainingSessionGetTrainingModelOutputCount",
    "TrainingSessionGetEvalModelOutputCount",
    "TrainingSessionGetTrainingModelOutputName",
    "TrainingSessionGetEvalModelOutputName",
    "LazyResetGrad",
    "TrainStep",
    "EvalStep",
    "SetLearningRate",
    "GetLearningRate",
    "OptimizerStep",
    "RegisterLinearLRScheduler",
    "SchedulerStep",
    "GetParametersSize",
    "CopyParametersToBuffer",
    "CopyBufferToParameters",
    "ReleaseTrainingSession",
    "ReleaseCheckpointState",
    "ExportModelForInferencing",
    "SetSeed",
    "TrainingSessionGetTrainingModelInputCount",
    "TrainingSessionGetEvalModelInputCount",
    "TrainingSessionGetTrainingModelInputName",
    "TrainingSessionGetEvalModelInputName",
    "AddProperty",
    "GetProperty",
    "LoadCheckpointFromBuffer",
    "GetParameterTypeAndShape",
    "UpdateParameter",
    "GetParameter",
]
#: Those in C++.
OF_CPP = {
    "CheckpointState": "LoadCheckpoint LoadCheckpointFromBuffer SaveCheckpoint AddProperty GetProperty UpdateParameter "
    "GetParameter",
    "TrainingSession": "TrainStep LazyResetGrad EvalStep SetLearningRate GetLearningRate RegisterLinearLRScheduler "
    "SchedulerStep OptimizerStep ExportModelForInferencing InputNames OutputNames ToBuffer FromBuffer",
}


def table(name: str) -> dict[str, str]:
    """Return the rows of a table of the guide."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n(.*?)<!-- end -->", GUIDE.read_text(), re.DOTALL)
    assert found is not None
    rows = [line.strip("|\n").split(" | ") for line in found[1].splitlines()[2:]]
    return {row[0].strip(" `"): row[1] for row in rows}


def test_the_table_of_c_has_every_function() -> None:
    assert sorted(table("C")) == sorted(OF_C)


def test_what_the_table_of_c_names_is_called() -> None:
    program = C_PROGRAM.read_text()
    for name, ours in table("C").items():
        functions = re.findall(r"`(gm_\w+)\(\)`", ours)
        assert functions or ours.startswith("none: "), name
        assert [function for function in functions if f"{function}(" not in program] == [], name


def test_the_table_of_cpp_has_every_function_and_it_is_called() -> None:
    rows = table("C++")
    assert {f"{owner}::{name}" for owner, names in OF_CPP.items() for name in names.split()} | {"SetSeed"} <= set(rows)
    classes, program = CPP_CLASSES.read_text(), CPP_PROGRAM.read_text()
    for row in rows:
        owner, _, name = row.rpartition("::")
        assert not owner or f"class {owner}\n" in classes
        assert re.search(rf"\b{name}\(", classes) and re.search(rf"(\.|::){name}\(", program), row


def test_the_program_of_the_guide_compiles(tmp_path: Path) -> None:
    code = re.search(r"```cpp\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert code is not None
    include, _, body = code[1].partition("\n")
    program = tmp_path / "guide.cpp"
    program.write_text(f"{include}\nfloat trained(std::vector<Ort::Value> &inputs)\n{{\n{body}return loss;\n}}\n")
    run(["g++", *cpp.FLAGS, "-fsyntax-only", str(program)])


def test_the_calls_in_c_train(tmp_path: Path) -> None:
    images(tmp_path)
    program = tmp_path / "migrated"
    flags = [*NUMERICS_FLAGS, "-std=c11", *WARNING_FLAGS, "-O0", "-DGM_THREADS=1", f"-I{cpp.INCLUDES[0]}"]
    run(["gcc", *flags, str(C_PROGRAM), str(host_library("strict")), "-pthread", "-o", str(program)])
    done = subprocess.run([str(program), str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    check_export(tmp_path)
    properties = {"epoch": 3, "best": 0.5}
    assert dict(CheckpointState.load_checkpoint(tmp_path / "trained.gmck").properties) == properties
    image = (tmp_path / "accumulating.mote").read_bytes()
    with Session(image, "strict") as trained, Session(image, "strict") as begun:
        trained.load((tmp_path / "trained.gmck").read_bytes())
        begun.set_parameters(trained.parameters())
        for name, value in properties.items():
            begun.set_property(name, value)
        assert (tmp_path / "begun.gmck").read_bytes() == begun.save()
