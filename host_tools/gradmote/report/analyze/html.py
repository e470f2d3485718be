"""A report as one self-contained HTML page: whether it fits, memory map, peak, and layers."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ..html_tables import table
from .gather import Report, macs
from .memory_map import memory_map
from .sections import Section, compared, whole
from .tables import rounded, verdict

VIEWPORT = "<meta name='viewport' content='width=device-width, initial-scale=1'>"
POINT = "Point at a buffer, or tap it, for its name."
STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2em auto 4em; max-width: 1200px; color: #1f2933; }
body { padding: 0 1.5em; }
h1 { font-size: 1.5em; margin-bottom: .2em; } h2 { font-size: 1.1em; margin: 2.2em 0 .6em; } p { margin: .4em 0; }
.hint { color: #66727c; } .fits, .not { display: inline-block; padding: .2em .8em; border-radius: 1em; color: #fff; }
.fits { background: #2e7d4f; } .not { background: #b3382c; }
.figures { display: flex; flex-wrap: wrap; gap: 1em; margin: 1.2em 0; }
.figures div { border: 1px solid #dde3e8; border-radius: 6px; padding: .6em 1.1em; min-width: 9em; }
.figures b { display: block; font-size: 1.45em; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2em .8em; text-align: left; border-bottom: 1px solid #edf0f2; white-space: nowrap; }
th { border-bottom: 2px solid #b8c1c8; color: #52606d; font-weight: 600; } tr:hover td { background: #f5f8fa; }
.n { text-align: right; } tr.sum td { border-top: 2px solid #b8c1c8; }
.bar { width: 14em; } .bar i { display: block; height: .8em; background: #4c78a8; border-radius: 2px; }
svg { width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; pointer-events: none; fill: #52606d; }
svg text.name { fill: #fff; } svg rect.buffer { stroke: #fff; stroke-width: .7; }
svg rect.buffer:hover, svg rect.told { stroke: #000; stroke-width: 2; }
svg line.peak { stroke: #000; stroke-dasharray: 4 3; }
output { display: block; min-height: 1.5em; font-weight: 600; overflow-wrap: anywhere; }
@media (max-width: 700px) {
  body { margin: 1em auto 2em; padding: 0 1em; } .figures { gap: .6em; }
  .figures div { flex: 1 1 8em; padding: .5em .8em; }
  th, td { padding: .35em .6em; } td:first-child, th:first-child { position: sticky; left: 0; background: #fff; }
  td:first-child { white-space: normal; min-width: 6em; overflow-wrap: anywhere; } svg { width: 1100px; }
}
"""
#: The handler of a tap: it writes the buffer's title above the drawing. For a mouse, the browser shows
#: the title.
TAP = (
    "const r = event.target.closest('rect.buffer'); if (!r) return;"
    " this.querySelectorAll('.told').forEach(o => o.classList.remove('told')); r.classList.add('told');"
    " document.querySelector('output').textContent = r.textContent.split('\\n').join(': ').replace(': ', ' · ')"
)


def page(report: Report) -> str:
    """Return the whole HTML document."""
    main = report.main
    fits, sentence = verdict(report)
    body = [
        f"<h1>{escape(report.name)}</h1>",
        f"<p class='hint'>Scheme: {escape(report.scheme)}</p>" if report.scheme else "",
        f"<p><span class='{'fits' if fits else 'not'}'>{escape(sentence)}</span></p>",
        "<div class='figures'>" + "".join(figures(report)) + "</div>",
        *map(drawn, compared(report)),
        section(f"Memory of one {main.kind}", tappable(memory_map(report, main)), POINT, "<output></output>"),
        *map(drawn, whole(report)),
        *(f"<p class='hint'>Note: {escape(note)}.</p>" for note in report.notes),
    ]
    head = f"<meta charset='utf-8'>{VIEWPORT}<title>{escape(report.name)}</title><style>{STYLE}</style>"
    return f"<!doctype html>\n<html lang='en'><head>{head}</head><body>\n" + "\n".join(body) + "\n</body></html>\n"


def figures(report: Report) -> Iterator[str]:
    """Yield the boxes with the most important figures."""
    main = report.main
    yield figure(f"{report.arena:,} B", "of RAM: arena")
    yield figure(f"{report.image:,} B", "of flash: image")
    yield figure(rounded(macs(report)), f"MAC in one {main.kind} of {report.batch}")
    if main.machine is not None:
        yield figure(f"≈ {rounded(main.machine)}", "machine instructions, Cortex-M4F")


def figure(value: str, meaning: str) -> str:
    """Return one box: a number, and its meaning below."""
    return f"<div><b>{escape(value)}</b>{escape(meaning)}</div>"


def drawn(one: Section) -> str:
    """Return a section of the report as HTML."""
    return section(one.title, table(one.content) if one.content else "", one.hint)


def tappable(drawing: str) -> str:
    """Return the drawing with a handler that shows the title of a tapped buffer."""
    return drawing.replace("<svg ", f'<svg onclick="{TAP}" ', 1)


def section(title: str, content: str, hint: str = "", above: str = "") -> str:
    """Return a heading, its explanation, and the content below, which scrolls if it is wide."""
    explained = (f"<p class='hint'>{escape(hint)}</p>" if hint else "") + above
    return f"<h2>{escape(title)}</h2>{explained}\n<div class='wide'>{content}</div>"
