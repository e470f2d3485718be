"""The differences between two reports."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .gather import Layer, Report

#: The compared figures of a layer.
FIELDS = ("parameters", "macs_forward", "macs_backward", "saved", "scratch", "flash", "machine")

#: A figure; None if it is unknown.
Number = float | None


@dataclass(frozen=True)
class Change:
    """One quantity, before and after."""

    name: str
    before: Number
    after: Number

    @property
    def difference(self) -> Number:
        """Return how much the quantity grew; None if either number is unknown."""
        return None if self.before is None or self.after is None else self.after - self.before


def quantities(report: Report) -> dict[str, Number]:
    """Return the figures of a whole report by name.

    All are bytes, except the counts of parameters, of multiply-accumulates (MAC) and of instructions.
    """
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
    """Return every quantity of either report, changed or not.

    A region that is missing in one report counts as 0 bytes there.
    """
    old, new = quantities(before), quantities(after)
    names = [*new, *(name for name in old if name not in new)]
    return [Change(name, old.get(name, 0), new.get(name, 0)) for name in names]


def layer_changes(before: Report, after: Report) -> dict[str, list[Change]]:
    """Return the changed figures of each layer; layers without a change are left out.

    A layer that only one report has counts as 0 in the other.
    """
    old, new = by_name(before), by_name(after)
    nothing = Layer("", None)
    found: dict[str, list[Change]] = {}
    for name in [*new, *(n for n in old if n not in new)]:
        a, b = old.get(name, nothing), new.get(name, nothing)
        found[name] = [Change(f, getattr(a, f), getattr(b, f)) for f in FIELDS if getattr(a, f) != getattr(b, f)]
    return {name: some for name, some in found.items() if some}


def by_name(report: Report) -> dict[str, Layer]:
    """Return the layers of a report under names that match between two images.

    In an image alone, an instruction is named after its opcode and index. Here each opcode is numbered
    separately, so that an additional instruction does not rename all later ones.
    """
    seen: Counter[str] = Counter()
    found: dict[str, Layer] = {}
    for layer in report.layers:
        opcode, number, _ = layer.name.partition(" #")
        seen[opcode] += 1
        found[f"{opcode} ({seen[opcode]})" if number else layer.name] = layer
    return found
