"""Bytes of what pages load, as they are and under brotli."""

from __future__ import annotations

from typing import Any

from bench.browser import site

#: Of this project: file -> what it is.
OWN = {
    "gradmote-simd.wasm": "runtime with vectors",
    "gradmote.wasm": "runtime without vectors",
    "gradmote-infer-simd.wasm": "runtime that infers, with vectors",
    "gradmote-infer.wasm": "runtime that infers, without vectors",
    "gradmote-int8-simd.wasm": "runtime with int8 and with vectors",
    "gradmote-int8.wasm": "runtime with int8, without vectors",
    "gradmote-infer-int8-simd.wasm": "runtime that infers, with int8 and with vectors",
    "gradmote-infer-int8.wasm": "runtime that infers, with int8, without vectors",
    "gradmote.min.js": "`load`, `Session`, `connect`, `train`",
    "worker.min.js": "what runs in the worker of `connect`",
    "infer.min.js": "inference alone: `load`, `InferenceSession`",
    "storage.min.js": "`persist`, `restore`, `discard`",
    "checkpoint.min.js": "`CheckpointState`: int64, texts, long names",
    "export.min.js": "`exportModel`",
    "federated.min.js": "rounds: `load`, `connect`, `FederatedSession`",
    "serial.min.js": "boards over WebSerial",
    "board.min.js": "`<gradmote-board>`",
    "training.min.js": "the classes of onnxruntime-web/training, with all of gradmote.min.js",
}


def measure() -> list[dict[str, Any]]:
    """Return a row for each file: of whom, what it is, bytes, and bytes under brotli."""
    reported = {site.SITE / "gradmote" / name: ("Gradmote", name, what) for name, what in OWN.items()}
    for path in site.loaded():
        package, _, _ = path.relative_to(site.PEERS).as_posix().partition("/dist/")
        reported[path] = (package, path.name, "")
    sizes = site.compress(reported)
    return [
        {"of": owner, "file": name, "what": what, "bytes": sizes[str(path)][0], "brotli": sizes[str(path)][1]}
        for path, (owner, name, what) in reported.items()
    ]
