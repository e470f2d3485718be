"""The list of passes over flat programs. The verifier runs after each pass that changed one."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from ...ir.program import Compiled
from ...ir.verify import verify_program
from . import (
    accumulate_gradients,
    check_updates,
    direct_writes,
    fit_panels,
    fuse_add,
    fuse_add_s16,
    fuse_attention,
    fuse_loss,
    fuse_relu,
    fuse_update,
    index_max_pool,
    limit_gradients,
    mask_activations,
    quantized_models,
    recompute,
    saved_bf16,
    schedule,
    share_in_place,
    stream_rows,
)

#: Passes that rewrite flat programs.
PROGRAMS: list[Callable[[Compiled], None]] = [
    index_max_pool.index_max_pool_s8,
    quantized_models.drop_unread,
    fuse_attention.run,
    direct_writes.run,
    fuse_relu.run,
    fuse_add.run,
    fuse_add_s16.run,
    accumulate_gradients.run,
    fuse_update.run,
    index_max_pool.run,
    fuse_loss.run,
    quantized_models.plain_losses,
    schedule.refuse_first,
    recompute.run,
    mask_activations.run,
    fit_panels.give_panels,
    schedule.run,
    recompute.rewrite_recomputed,
    saved_bf16.run,
    share_in_place.run,
    check_updates.run,
    limit_gradients.run,
    quantized_models.collect_gains,
    stream_rows.run,
    fit_panels.run,
]


def optimize(compiled: Compiled) -> None:
    """Apply PROGRAMS to all programs of an image."""
    operands, verified = attrgetter("reads", "writes"), dict[str, list[Any]]()
    for run in PROGRAMS:
        run(compiled)
        for program in compiled.programs:
            found = list(map(operands, program.instructions))
            if found != verified.get(program.kind):
                verify_program(program)
                verified[program.kind] = found
