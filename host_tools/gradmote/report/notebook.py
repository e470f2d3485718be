"""Images, trainings and evaluations in notebooks: each is one element, whose style touches nothing else."""

from __future__ import annotations

from collections.abc import Iterable

#: Colours come from the notebook's theme, light or dark, except those of drawings.
_STYLE = """
.gradmote { font-variant-numeric: tabular-nums; } .gradmote h4 { margin: 1.2em 0 .4em; }
.gradmote .wide { overflow: auto; max-height: 26em; } .gradmote table { border-collapse: collapse; }
.gradmote th, .gradmote td { text-align: left; padding: .15em .7em; white-space: nowrap; }
.gradmote .n { text-align: right; } .gradmote tr.sum td { border-top: 1px solid currentColor; }
.gradmote .bar { width: 12em; }
.gradmote .bar i { display: block; height: .8em; background: #4c78a8; border-radius: 2px; }
.gradmote svg { max-width: min(100%, 1000px); height: auto; }
.gradmote svg text { font: 11px system-ui, sans-serif; fill: currentColor; pointer-events: none; }
.gradmote svg text.name { fill: #fff; } .gradmote svg rect.buffer { stroke: #fff; stroke-width: .7; }
.gradmote svg rect.buffer:hover { stroke: currentColor; stroke-width: 2; }
.gradmote svg line { stroke: currentColor; } .gradmote svg line.peak { stroke-dasharray: 4 3; }
"""


def shown(parts: Iterable[str]) -> str:
    """Return HTML as one element with its style. It has no scripts, and loads nothing."""
    return f"<div class='gradmote'><style>{_STYLE}</style>\n" + "\n".join(parts) + "\n</div>"


def scrolled(content: str) -> str:
    """Return HTML that scrolls if it is wide or long."""
    return f"<div class='wide'>{content}</div>"
