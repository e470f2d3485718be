"""What two reports, or several, have in common and in what they differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .gather import Layer, Report

#: Of a layer, what is compared.
FIELDS = ("parameters", "macs_forward", "macs_backward", "saved", "scratch", "flash", "machine")

#: None: not known, or not there.
Number = float | None


@dataclass(frozen=True)
class Change:
    """One quantity, in the other report and in this one."""

    name: str
    before: Number
    after: Number

    @property
    def difference(self) -> Number:
        return None if self.before is None or self.after is None else self.after - self.before


def quantities(report: Report) -> dict[str, Number]:
    """What a report tells as a whole: bytes, but for counts of MAC and of instructions."""
    main = report.main
    arena = {f"arena: {r.name}": r.size for r in report.regions if r.size}
    image = {f"image: {s.name}": s.size for s in report.sections if s.size}
    return {
        "arena": report.arena,
        **arena,
        "scratch that is unavoidable": main.bound,
        "image": report.image,
        **image,
        "trained parameters": sum(n.parameters for n in report.layers),
        "MAC forward": sum(n.macs_forward for n in report.layers),
        "MAC backward": sum(n.macs_backward for n in report.layers),
        "instructions of the image": len(main.steps),
        "machine instructions": main.machine,
    }


def changes(before: Report, after: Report) -> list[Change]:
    """Of every quantity of either, those that stayed included; a region that a report lacks takes nothing."""
    old, new = quantities(before), quantities(after)
    names = [*new, *(name for name in old if name not in new)]
    return [Change(name, old.get(name, 0), new.get(name, 0)) for name in names]


def layer_changes(before: Report, after: Report) -> dict[str, list[Change]]:
    """Layer -> what of it changed; what only one report has counts as nothing in the other."""
    old, new = by_name(before), by_name(after)
    nothing = Layer("", None)
    found: dict[str, list[Change]] = {}
    for name in [*new, *(n for n in old if n not in new)]:
        a, b = old.get(name, nothing), new.get(name, nothing)
        found[name] = [Change(f, getattr(a, f), getattr(b, f)) for f in FIELDS if getattr(a, f) != getattr(b, f)]
    return {name: some for name, some in found.items() if some}


def by_name(report: Report) -> dict[str, Layer]:
    """Single instructions of an image count anew for each opcode, so that one more does not rename those behind it."""
    seen: Counter[str] = Counter()
    found: dict[str, Layer] = {}
    for layer in report.layers:
        opcode, number, _ = layer.name.partition(" #")
        seen[opcode] += 1
        found[f"{opcode} ({seen[opcode]})" if number else layer.name] = layer
    return found
