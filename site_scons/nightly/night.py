"""Run stages, keep a record of each in build/nightly, and resume after the last one that ended."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from .bounds import Refused
from .stages import STAGES

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Record:
    """The result of a stage. status: the exit status of its last command."""

    stage: str
    status: int
    seconds: int
    seed: int
    values: Mapping[str, str]


@dataclass(frozen=True)
class Night:
    """The chosen stages, the seed that they draw from, and the value of each of their sizes."""

    stages: tuple[str, ...]
    seed: int
    values: Mapping[str, str]

    def of_stage(self, name: str) -> dict[str, str]:
        """Return the sizes of one stage."""
        return {size: self.values[size] for size in STAGES[name].sizes}


class Records:
    """The files of a folder: the night as it began, and the result of each stage so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self, night: Night) -> None:
        """Begin a night, and forget the one before."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.glob("*.json"):
            path.unlink()
        self._write("night", asdict(night))

    def night(self) -> Night:
        """Return the newest night. Raises Refused."""
        path = self._path("night")
        if not path.is_file():
            raise Refused(f"there is no night to go on with in {self.folder}: leave --resume out")
        found = json.loads(path.read_text())
        night = Night(tuple(checked(found["stages"])), found["seed"], found["values"])
        if set(night.values) != {size for name in night.stages for size in STAGES[name].sizes}:
            raise Refused(f"the stages of {path} had other sizes: leave --resume out")
        return night

    def add(self, record: Record) -> None:
        self._write(record.stage, asdict(record))

    def of(self, night: Night) -> list[Record]:
        """Return the records of the stages that ended."""
        ended = [self._path(name) for name in night.stages]
        return [Record(**json.loads(path.read_text())) for path in ended if path.is_file()]

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _write(self, name: str, found: Mapping[str, object]) -> None:
        """Write a file completely or not at all, even if this program is killed."""
        part = self.folder / f"{name}.part"
        part.write_text(json.dumps(found, indent=1) + "\n")
        part.replace(self._path(name))


def checked(names: Iterable[str]) -> Iterator[str]:
    """Yield the names. Raises Refused if one is not a stage."""
    for name in names:
        if name not in STAGES:
            raise Refused(f"there is no stage {name}; there are {', '.join(STAGES)}")
        yield name


def go_through(night: Night, records: Records) -> list[Record]:
    """Run the stages that have no record yet, and return the records of all."""
    ended = {record.stage for record in records.of(night)}
    for name in night.stages:
        if name not in ended:
            print(f"--- {name}: {STAGES[name].shows}", flush=True)
            records.add(record_of(name, night))
    return records.of(night)


def record_of(name: str, night: Night) -> Record:
    """Run one stage."""
    values, start = night.of_stage(name), time.monotonic()
    status = run(name, values, night.seed)
    return Record(name, status, round(time.monotonic() - start), night.seed, values)


def run(name: str, values: Mapping[str, str], seed: int) -> int:
    """Run the commands of a stage until one fails; return its exit status, or 0."""
    stage = STAGES[name]
    environment = environment_of({"PYTHONPATH": "bindings/python", **stage.variables(values, seed)})
    for words in stage.words(values, seed):
        print("$", *words, flush=True)
        status = subprocess.run(words, cwd=ROOT / stage.folder, env=environment, check=False).returncode
        if status:
            return status
    return 0


def environment_of(variables: Mapping[str, str]) -> dict[str, str]:
    """Return this program's environment with these variables, the programs of .venv, and a PYTHONPATH below ROOT."""
    paths = os.pathsep.join(str(ROOT / path) for path in variables["PYTHONPATH"].split(":"))
    programs = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, **variables, "PYTHONPATH": paths, "PATH": programs}
