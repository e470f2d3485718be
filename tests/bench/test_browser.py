"""The short form of bench.browser, without contestants from elsewhere; and that its tables are on the page."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator

import numpy as np
import pytest
from bench.browser import cases, cold, frames, layouts, page, results, site, sizes, speed
from bench.browser.chromium import Chromium, PageError, chromium
from bench.speed import cases as networks
from bench.speed.page import PAGE, markdown

from gradmote import Session
from support import npm_package

CASE = cases.Case("mlp", 1)
SHORT = speed.Effort(rounds=1, seconds=0.02, warm_up=0.02)


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    """Return Chromium, which shows the pages of the MLP and of LeNet."""
    if not shutil.which("chromium"):
        pytest.skip("there is no chromium")
    npm_package.require()
    with chromium(site.make(["mlp", "lenet"])) as found:
        yield found


def test_pages_train_as_the_twin(browser: Chromium):
    """The losses that contestants are held against are those of the strict twin."""
    losses, failed = speed.first_losses(CASE, cases.OWN, browser)
    image = networks.training("mlp", cases.RULE, 1, "batch").image
    with Session(image, "strict") as twin:
        expected = [twin.step(noise(64), np.array([step * 7 % 10])) for step in range(speed.CHECKED_STEPS)]
    assert losses == {"simd": expected, "plain": expected} and failed == {}


def noise(count: int) -> np.ndarray:
    """Return the inputs of page.mjs."""
    state, drawn = 1, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        drawn.append((state >> 8) / 2**23 - 1)
    return np.array([drawn], np.float32)


def test_steps_are_timed_in_turns_with_the_twin(browser: Chromium):
    found = speed.measure(CASE, cases.OWN, browser, SHORT)
    assert {name: len(times) for name, times in found["samples"].items()} == {"simd": 1, "plain": 1, "twin": 1}
    assert found["samples"]["twin"][0] > 0 and found["failed"] == {}


def test_a_cold_page_loads_every_file(browser: Chromium):
    found = cold.measure("lenet", [cases.SIMD], browser, rounds=2)
    files = ["gradmote/gradmote.min.js", "gradmote/gradmote-simd.wasm", "cases/lenet/1.mote"]
    compressed = sum(size for _, size in site.compress(site.SITE / name for name in files).values())
    pages = sum((site.SITE / "pages" / name).stat().st_size for name in ("gradmote.html", "page.mjs"))
    assert found["bytes"] == {"simd": compressed + pages} and found["files"] == {"simd": len(files) + 2}
    first, second = found["samples"]["simd"]
    assert first > 0 and second > 0


def test_frames_are_counted_while_a_worker_trains(browser: Chromium):
    found = frames.measure("lenet", "a worker", browser, seconds=0.5)
    assert found["steps"] > 0 and found["frames"] > 1 and found["longest"] >= found["p95"] >= found["median"] > 0


def test_who_cannot_train_is_told(browser: Chromium):
    with pytest.raises(PageError, match="no page nobody"):
        browser.ask(call=["nobody", "losses", 1])
    found = cold.measure("unknown", [cases.SIMD], browser, rounds=1)
    assert found == {"samples": {}, "bytes": {}, "files": {}}
    losses, failed = speed.first_losses(cases.Case("unknown", 1), [cases.SIMD], browser)
    assert losses == {} and list(failed) == ["simd"]


# ---- Arithmetic


def test_other_work_is_told_by_its_losses():
    losses = {"simd": [2.0, 1.9], "same": [2.001, 1.9], "other": [2.0, 1.8]}
    assert list(speed.strangers(losses)) == ["other"]


def test_slow_contestants_are_timed_once():
    asked: dict[str, list[int]] = {"slow": [], "quick": []}

    def timer(name: str, seconds: float) -> speed.Timer:
        return lambda steps: asked[name].append(steps) or steps * seconds

    found = speed.in_turns({"slow": timer("slow", 3.0), "quick": timer("quick", 0.001)}, speed.Effort(4, 0.1, 0.2))
    assert found == {"slow": [3.0], "quick": [0.001] * 4}
    assert asked["slow"] == [1, 1] and asked["quick"][-4:] == [100] * 4


def test_weights_lie_as_tensorflow_has_them():
    assert shapes("mlp") == [(64, 32), (32,), (32, 10), (10,)]
    assert shapes("lenet")[:4] == [(3, 3, 1, 8), (8,), (3, 3, 8, 16), (16,)]
    kernels = [shape for shape in shapes("ds_cnn") if len(shape) == 4]
    assert kernels[:3] == [(10, 4, 1, 64), (3, 3, 64, 1), (1, 1, 64, 64)]


def shapes(network: str) -> list[tuple[int, ...]]:
    return [array.shape for array in layouts.weights(networks.model(network), None)]


def test_a_flattened_picture_has_its_channels_last():
    kernel = np.arange(2 * 3 * 4 * 5).reshape(2, 60)
    found, bias = layouts.linear([kernel, np.zeros(2)], (3, 4, 5))
    picture = np.arange(60).reshape(3, 4, 5)
    assert (picture.transpose(1, 2, 0).ravel() @ found == kernel @ picture.ravel()).all() and bias.shape == (2,)


# ---- The page


def test_the_page_has_the_tables_of_the_results():
    text, found = PAGE.read_text(), page.tables(results.read())
    assert len(found) == len(results.PARTS)
    for rows in found.values():
        assert markdown(rows) in text


def test_contestants_are_pinned_as_the_page_says():
    pinned = json.loads((site.SCRIPTS / "package.json").read_text())["dependencies"]
    assert pinned["onnxruntime-web"] == "1.17.3" and all(version[0].isdigit() for version in pinned.values())
    reported = [f"onnxruntime-web {pinned['onnxruntime-web']}", f"TensorFlow.js {pinned['@tensorflow/tfjs']}"]
    assert results.read()["speed"]["versions"][1:] == reported


def test_sizes_name_every_script_of_the_package(browser: Chromium):
    scripts = {path.name for path in (site.SITE / "gradmote").glob("*.min.js")}
    modules = {path.name for path in (site.SITE / "gradmote").glob("*.wasm")}
    assert set(sizes.OWN) == scripts | modules
