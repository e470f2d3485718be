"""Reads files in a process of little memory: `python tests/fuzz/hostile_files.py FOLDER`, a line of JSON for each file.

By its ending, a file is an image, a checkpoint, samples, or a model, which is compiled. A line has the file's name,
what became of it (accepted, refused, or broke), the exception, seconds of CPU, and the peak of memory until then.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

MEMORY = 3 << 30  # bytes of address space; numpy and onnx map about 1 GiB of it
SECONDS = 20  # of CPU, for one file


def main(folder: Path) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    readers = readers_by_ending()
    for path in (found for found in sorted(folder.iterdir()) if found.suffix in readers):
        spent = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(spent.ru_utime + spent.ru_stime) + SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))  # the process ends there
        print(json.dumps({"file": path.name, **outcome(readers[path.suffix], path)}), flush=True)
    return 0


def outcome(read: Callable[[Path], object], path: Path) -> dict[str, object]:
    from gradmote.errors import GradmoteError

    start = time.process_time()
    became, error = "accepted", None
    try:
        read(path)
    except GradmoteError as raised:
        became, error = "refused", raised
    except (Exception, MemoryError, RecursionError) as raised:
        became, error = "broke", raised
    reported = {"became": became, "error": f"{type(error).__name__}: {error}"[:300]}
    return {**reported, "seconds": time.process_time() - start, "peak": peak()}


def peak() -> int:
    """Return the most bytes that this process has had in memory; ru_maxrss has those of who started it, too."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) << 10


def readers_by_ending() -> dict[str, Callable[[Path], object]]:
    from gradmote import losses
    from gradmote.artifacts import build_artifacts
    from gradmote.compiler import Options, compile_image
    from gradmote.device.dataset import Dataset
    from gradmote.formats import checkpoint
    from gradmote.formats.image.read import read_image
    from gradmote_runtime import Session

    def read_both(path: Path) -> None:
        read_image(path)
        Session(path.read_bytes(), "strict").close()

    def compile_file(path: Path) -> None:
        compile_image(build_artifacts(path, loss=losses.mse()), Options(batch=2, accumulate=True))

    return {".mote": read_both, ".gmck": checkpoint.load, ".npz": Dataset.read, ".onnx": compile_file}


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
