"""The offset diagrams of docs/SPEC.md; text outside the markers is written by hand and kept."""

from __future__ import annotations

from .markers import replace_block
from .spec import DOCS_OUT, Record, record_words, records

#: Words in a line of a diagram, and characters in each.
WORDS = 4
WIDTH = 19


def words_of(record: Record, every: list[Record]) -> list[str]:
    """Return the name of each word of a record."""
    inner = {other.name: other for other in every}
    found = []
    for field in record.fields:
        parts = [f".{word}" for word in words_of(inner[field.type], every)] if field.type in inner else [""]
        for i in range(field.count):
            index = f"[{i}]" if field.count > 1 else ""
            found += [f"{field.name}{index}{part}" for part in parts]
    assert len(found) == record_words(record, every)
    return found


def diagram(record: Record, every: list[Record]) -> str:
    """Return a record as rows of four words, each after the offset of its first byte."""
    names = words_of(record, every)
    lines = ["byte  " + "".join(f" +{4 * i:<{WIDTH}}" for i in range(WORDS)).rstrip()]
    for first in range(0, len(names), WORDS):
        row = "| ".join(f"{name:<{WIDTH}}" for name in names[first : first + WORDS])
        lines.append(f"{4 * first:4}  | {row}|")
    return "\n".join(("```", *lines, f"{4 * len(names):4}", "```"))


def render() -> dict[str, str]:
    """Return the page with every record's diagram."""
    text, every = (DOCS_OUT / "SPEC.md").read_text(), records()
    for record in every:
        if record.name != "section":
            text = replace_block(text, f"record {record.name}", diagram(record, every), "docs/SPEC.md")
    return {"SPEC.md": text}
