"""An evaluation as tables, as text, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from io import StringIO
from typing import Any

import numpy as np

from ...metrics.classes import BINS
from ...terminal.printable import Rows, finite
from ...terminal.terminal import WIDTH, Console, table
from .findings import Findings

#: The most classes whose confusion matrix is printed whole; of more, the most frequent mistakes.
_WHOLE = 16
#: How many mistakes that are.
_MISTAKES = 12
Titled = tuple[str, Rows]


def figures(report: Findings) -> list[tuple[str, str, float]]:
    """Return the name, the text and the number of each figure about all samples, the important ones first."""
    found = []
    if report.confusion is not None:
        found += [("accuracy", ".2%", report.confusion.accuracy), ("macro F1", ".2%", report.confusion.macro_f1)]
    if report.roc is not None:
        found.append(("area under ROC", ".4f", report.roc.area))
    if report.errors is not None:
        found.append(("mean |error|", ".6g", float(report.errors.mean_absolute.mean())))
        found.append(("RMSE", ".6g", float(np.sqrt((report.errors.root_mean_square**2).mean()))))
    found.append(("loss", ".4f", report.loss))
    if report.calibration is not None:
        found.append(("calibration error", ".2%", report.calibration.error))
    return [(name, shown(value, form), value) for name, form, value in found]


def tables(report: Findings) -> Iterator[Titled]:
    """Yield the title and rows of each table."""
    names = [(name, text) for name, text, _ in figures(report)]
    if report.ignored:
        names.append(("labels that do not count: no class, or masked", f"{report.ignored:,}"))
    yield f"{report.samples:,} samples", (("measure", "value#"), names)
    if report.confusion is not None:
        yield class_table(report)
        yield confusion_table(report)
    if report.roc is not None:
        yield thresholds(report)
    if report.calibration is not None:
        yield calibration_table(report)
    if report.errors is not None:
        yield error_table(report)
    if report.worst:
        yield worst_table(report)


def class_table(report: Findings) -> Titled:
    """Return a row for each class."""
    assert report.confusion is not None
    counts = report.confusion
    rows = [
        (name_of(report, c), f"{int(counts.samples[c]):,}", *(shown(float(v[c]), ".1%") for v in shares))
        for shares in [(counts.precision, counts.recall, counts.f1)]
        for c in range(len(counts.counts))
    ]
    return "Classes", (("class", "samples#", "precision#", "recall#", "F1#"), rows)


def confusion_table(report: Findings) -> Titled:
    """Return the confusion matrix, or of many classes the most frequent mistakes."""
    assert report.confusion is not None
    counts = report.confusion.counts
    if len(counts) > _WHOLE:
        return mistakes_table(report)
    columns = ("class", *(f"{name_of(report, c)}#" for c in range(len(counts))))
    rows = [(name_of(report, c), *(f"{n:,}" if n else "·" for n in counts[c])) for c in range(len(counts))]
    return "Confusion: rows are classes, columns what was predicted", (columns, rows)


def mistakes_table(report: Findings) -> Titled:
    """Return the pairs of classes that are most often mistaken."""
    assert report.confusion is not None
    wrong = report.confusion.counts * (1 - np.eye(len(report.confusion.counts), dtype=np.int64))
    order = np.argsort(-wrong, axis=None, kind="stable")[:_MISTAKES]
    pairs = [np.unravel_index(at, wrong.shape) for at in order if wrong.flat[at]]
    rows = [(name_of(report, int(a)), name_of(report, int(b)), f"{wrong[a, b]:,}") for a, b in pairs]
    return "Most frequent mistakes", (("class", "predicted as", "times#"), rows)


def thresholds(report: Findings) -> Titled:
    """Return what the present threshold finds, and what the best one would."""
    assert report.roc is not None
    curve = report.roc
    chosen = [("largest difference", float(curve.thresholds[curve.best]), curve.best)]
    if report.threshold is not None:
        now = int(np.searchsorted(-curve.thresholds, -report.threshold, side="right")) - 1
        chosen.insert(0, ("the image's", report.threshold, now))
    rows = [
        (name, f"{at:.6g}", f"{curve.true_positives[k]:.1%}", f"{curve.false_positives[k]:.1%}")
        for name, at, k in chosen
    ]
    of = " of the mean squared error" if report.threshold is None else ""
    title = f"Thresholds{of}: above one the answer is {name_of(report, 1)}"
    return title, (("threshold", "score#", "found#", "false alarms#"), rows)


def calibration_table(report: Findings) -> Titled:
    """Return confidence and accuracy of each interval that has predictions."""
    assert report.calibration is not None
    found = report.calibration
    rows = [
        (f"{k / BINS:.1f} .. {(k + 1) / BINS:.1f}", f"{n:,}", f"{found.confidence[k]:.1%}", f"{found.accuracy[k]:.1%}")
        for k, n in enumerate(found.samples)
        if n
    ]
    return "Calibration", (("confidence", "predictions#", "its mean#", "accuracy#"), rows)


def error_table(report: Findings) -> Titled:
    """Return a row for each number that the model predicts."""
    assert report.errors is not None
    found = report.errors
    values = (found.mean_absolute, found.root_mean_square, found.largest)
    rows = [
        (str(k), *(f"{v[k]:.6g}" for v in values), shown(float(found.r2[k]), ".4f"))
        for k in range(min(len(found.r2), _WHOLE))
    ]
    more = f", the first {_WHOLE} of {len(found.r2):,}" if len(found.r2) > _WHOLE else ""
    return f"Numbers{more}", (("output#", "mean |error|#", "RMSE#", "largest |error|#", "R²#"), rows)


def worst_table(report: Findings) -> Titled:
    """Return the samples that the model gets most wrong."""
    if report.confusion is None:
        rows = [(f"{w.sample:,}", f"{w.label:.6g}", f"{w.answer:.6g}", f"{w.error:.6g}") for w in report.worst]
        return "Largest errors", (("sample#", "target#", "predicted#", "RMS error#"), rows)
    rows = [
        (f"{w.sample:,}", name_of(report, int(w.label)), name_of(report, int(w.answer)), f"{1 - w.error:.2%}")
        for w in report.worst
    ]
    return "Least sure of their class", (("sample#", "class", "predicted as", "probability of its class#"), rows)


def name_of(report: Findings, label: int) -> str:
    """Return the name of a class, or its number."""
    return report.classes[label] if label < len(report.classes) else str(label)


def shown(value: float, form: str) -> str:
    """Return a number as text; "-" for NaN."""
    return "-" if math.isnan(value) else format(value, form)


# ---- Two reports ----------------------------------------------------------------------------------------------------


def compared(names: tuple[str, str], reports: tuple[Findings, Findings]) -> Iterator[Titled]:
    """Yield two reports side by side: the figures about all samples, and those of each class."""
    first, second = reports
    pairs = [(a, b) for a in figures(first) for b in figures(second) if a[0] == b[0]]
    rows = [(a[0], a[1], b[1], _change(a[1], a[2], b[2])) for a, b in pairs]
    yield f"{second.samples:,} samples", (("measure", f"{names[0]}#", f"{names[1]}#", "change#"), rows)
    if first.confusion is None or second.confusion is None:
        return
    f1, recall = ((first.confusion.f1, second.confusion.f1), (first.confusion.recall, second.confusion.recall))
    each = range(min(len(f1[0]), len(f1[1])))
    cells = [(name_of(second, c), *(shown(float(v[c]), ".1%") for v in (*recall, *f1))) for c in each]
    columns = ("class", *(f"{what}, {name}#" for what in ("recall", "F1") for name in names))
    yield "Classes", (columns, cells)


def _change(text: str, before: float, after: float) -> str:
    if math.isnan(before) or math.isnan(after):
        return ""
    return f"{100 * (after - before):+.2f} points" if text.endswith("%") else f"{after - before:+.4g}"


# ---- Text and JSON --------------------------------------------------------------------------------------------------


def as_text(report: Findings) -> str:
    """Return all tables as text."""
    page = Console(file=StringIO(), width=WIDTH)
    for title, rows in tables(report):
        page.print(table(title, rows))
    return page.file.getvalue()  # type: ignore[attr-defined]


def as_dict(report: Findings) -> dict[str, Any]:
    """Return everything for JSON; NaN becomes None."""
    plain = ("samples", "ignored", "loss", "threshold")
    found: dict[str, Any] = {name: getattr(report, name) for name in plain}
    found |= {"classes": list(report.classes), "confusion": None, "calibration": None, "roc": None, "errors": None}
    if (counts := report.confusion) is not None:
        shares = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
        found["confusion"] = {
            "accuracy": counts.accuracy, "macro_f1": counts.macro_f1, "counts": counts.counts.tolist(),
            **{name: values.tolist() for name, values in shares.items()},
        }  # fmt: skip
    if report.calibration is not None:
        found["calibration"] = {"error": report.calibration.error, **_lists(vars(report.calibration))}
    if (curve := report.roc) is not None:
        best = float(curve.thresholds[curve.best])
        found["roc"] = {"area": curve.area, "best_threshold": best, **_lists(vars(curve))}
    if report.errors is not None:
        found["errors"] = _lists(vars(report.errors))
    found["worst"] = [dict(vars(each)) for each in report.worst]
    return dict(finite(found))


def _lists(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}
