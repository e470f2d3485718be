"""See the package."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import asdict
from pathlib import Path

import bench.speed
from bench.speed import boards, host, ort_shaped, page, peak, plot, results, roofline, shares, threads, webassembly
from bench.speed.cases import HOST_CASES, TITLES
from rich.progress import Progress

from gradmote.report.bench.counting import compiler_version, missing
from gradmote.report.bench.twin import processor
from gradmote.terminal.terminal import console, table


def main() -> None:
    arguments = parse()
    with Progress(console=console()) as progress:
        for part in results.PARTS:
            if arguments.part in (part, "all"):
                MEASURES[part](arguments, progress)
    for title, rows in page.tables(results.read()).items():
        console().print(table(title, rows))
    page.write(results.read())
    plot.write(results.read())


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed", description=bench.speed.__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("part", nargs="?", default="all", choices=["all", *results.PARTS, "page"])
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="environment of onnxruntime-training, torch")
    parser.add_argument(
        "--board", choices=list(boards.BOARDS), help="count on this one alone; the others keep their rows"
    )
    parser.add_argument("--rounds", type=int, default=11, help="of each timing on this computer (default: 11)")
    return parser.parse_args()


def measure_host(arguments: argparse.Namespace, progress: Progress) -> None:
    effort, rows = host.Effort(arguments.rounds), []
    task = progress.add_task("this computer", total=len(HOST_CASES))
    with host.children(arguments.peers) as children:
        versions = {name: child.ask(version=1) for name, child in children.items()}
        for case in HOST_CASES:
            progress.update(task, description=f"{TITLES[case.network]}, batch {case.batch}, {case.program}")
            try:
                rows.append({**asdict(case), **host.measure(case, children, effort)})
            except host.OtherWork as refusal:
                progress.console.print(f"not in the table: {refusal}")
            progress.advance(task)
    peers = [versions[host.ORT], versions[host.TORCH]]
    results.write("host", rows, machine=processor(), versions=peers, rounds=effort.rounds)


def measure_ort(arguments: argparse.Namespace, progress: Progress) -> None:
    effort, rows = host.Effort(arguments.rounds), []
    task = progress.add_task("onnxruntime's classes", total=len(ort_shaped.CASES))
    with ort_shaped.children(arguments.peers) as children:
        for case in ort_shaped.CASES:
            progress.update(task, description=f"{TITLES[case.network]}, batch {case.batch}, onnxruntime's classes")
            rows.append(ort_shaped.row_of(case, children, effort))
            progress.advance(task)
        versions = [children[ort_shaped.ORT].ask(version=1)]
    results.write("ort", rows, machine=processor(), versions=versions, rounds=effort.rounds)


def measure_boards(arguments: argparse.Namespace, progress: Progress) -> None:
    wanted = [name for name in boards.BOARDS if not missing(name) and arguments.board in (None, name)]
    rows = [row for row in results.read()["boards"]["rows"] if arguments.board and row["board"] not in wanted]
    task = progress.add_task("boards", total=sum(len(boards.cases_for(name)) for name in wanted))
    for name in wanted:
        progress.update(task, description=f"{name}: compiling")
        with tempfile.TemporaryDirectory() as folder:
            for case, figures in boards.measure(name, boards.cases_for(name), Path(folder)):
                rows.append({"board": name, **asdict(case), **figures})
                progress.update(task, description=f"{name}, {case}", advance=1)
    results.write(
        "boards", rows, versions=sorted({compiler_version(name) for name in boards.BOARDS if not missing(name)})
    )


def measure_roofline(arguments: argparse.Namespace, progress: Progress) -> None:
    task = progress.add_task("share of the peak", total=None)
    with tempfile.TemporaryDirectory() as folder:
        found = peak.measure(Path(folder))
    rows = list(roofline.measure(arguments.rounds))
    results.write("roofline", rows, machine=processor(), peak=asdict(found), rounds=arguments.rounds)
    progress.update(task, total=1, completed=1)


def measure_layers(arguments: argparse.Namespace, progress: Progress) -> None:
    task = progress.add_task("share of the peak, layer by layer", total=None)
    with tempfile.TemporaryDirectory() as folder:
        found = peak.measure(Path(folder))
    rows = list(shares.measure(arguments.rounds, found))
    results.write("layers", rows, machine=processor(), peak=asdict(found), rounds=arguments.rounds)
    progress.update(task, total=1, completed=1)


def measure_threads(arguments: argparse.Namespace, progress: Progress) -> None:
    rows = []
    task = progress.add_task("threads", total=len(threads.NETWORKS))
    for network in threads.NETWORKS:
        progress.update(task, description=f"{TITLES[network]}, {threads.counts()[-1]} threads")
        rows.append(threads.measure(network, arguments.rounds))
        progress.advance(task)
    results.write("threads", rows, machine=processor(), rounds=arguments.rounds)


def measure_wasm(arguments: argparse.Namespace, progress: Progress) -> None:
    effort, rows = host.Effort(arguments.rounds), []
    task = progress.add_task("WebAssembly", total=len(webassembly.CASES))
    with webassembly.children() as children:
        for case in webassembly.CASES:
            progress.update(task, description=f"{TITLES[case.network]}, batch {case.batch}, in WebAssembly")
            rows.append(webassembly.row_of(case, children, effort))
            progress.advance(task)
        versions = [f"node {children[webassembly.SIMD].ask(version=1)}"]
    results.write("wasm", rows, machine=processor(), versions=versions, rounds=effort.rounds)


MEASURES = {
    "host": measure_host, "ort": measure_ort, "boards": measure_boards, "roofline": measure_roofline,
    "layers": measure_layers,
    "threads": measure_threads, "wasm": measure_wasm,
}  # fmt: skip

if __name__ == "__main__":
    main()
