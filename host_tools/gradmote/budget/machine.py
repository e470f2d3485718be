"""A search as a dictionary for JSON."""

from __future__ import annotations

from typing import Any

from .search import Found, Tried


def as_dict(found: Found) -> dict[str, Any]:
    """Return the search, ready for json.dumps."""
    return {
        "worth": found.source,
        "given_up": found.given_up(),
        "tried": [tried_as_dict(t, found.best) for t in found.frontier()],
    }


def tried_as_dict(tried: Tried, best: Tried) -> dict[str, Any]:
    """Return one choice of a search; `taken` marks the best."""
    choice = tried.choice
    return {
        "scheme": str(choice.scheme),
        "taken": choice == best.choice,
        "rule": choice.optimizer.rule,
        "micro_batch": choice.micro_batch,
        "micro_batches": choice.micro_batches,
        "overwrites_inputs": choice.overwrite_inputs,
        "recompute": choice.recompute,
        "more_time": choice.more,
        "trained_numbers": tried.trained,
        "arena_bytes": tried.ram,
        "image_bytes": tried.flash,
        "ms": tried.ms,
        "worth": tried.score,
        "excess": list(tried.excess),
    }
