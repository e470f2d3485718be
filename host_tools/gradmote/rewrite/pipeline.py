"""The lists of passes over ONNX graphs, before differentiation and before lowering. A verifier runs after each."""

from __future__ import annotations

from collections.abc import Callable, Set

import onnx_ir as ir
from onnx_ir.passes import common

from ..ir.verify import verify_graph
from . import (
    batch_norm,
    fold_constants,
    fuse_group_norm,
    fuse_standardize,
    integers_in_float,
    join_bags,
    layers,
    matrix_products,
    planar_convolutions,
    planar_pools,
    quantized,
    remove_no_ops,
    rewrite_einsum,
    rewrite_grid_sample,
    rewrite_normalizations,
    rewrite_operators,
    rewrite_recurrent,
    rewrite_reductions,
    rewrite_sequence_lens,
    rewrite_synonyms,
)
from .batch_norm import running_statistics
from .qdq import check_forms, fuse_bounds, remove_repeated, signed_values, weights

#: Passes that bring quantized values to one form.
QUANTIZED: list[Callable[[ir.Graph, Set[str]], None]] = [
    check_forms.run,
    weights.quantize_weights,
    signed_values.run,
    weights.centre_weights,
    weights.dequantize_last,
    remove_repeated.run,
]

#: Passes that rewrite ONNX graphs, in order; each takes the graph and the names of parameters that must stay.
PREPARE: list[Callable[[ir.Graph, Set[str]], None]] = [
    rewrite_synonyms.run,
    *QUANTIZED,
    fold_constants.run,
    remove_no_ops.drop_empty_parts,
    join_bags.run,
    rewrite_operators.binary_chains,
    remove_no_ops.remove_identity,
    matrix_products.simplify_gemm,
    matrix_products.fuse_gemm_bias,
    layers.note_shared,
]

#: Passes that follow, after BatchNormalization in the chosen mode.
REWRITE: list[Callable[[ir.Graph, Set[str]], None]] = [
    integers_in_float.run,
    matrix_products.matmul_vectors,
    planar_pools.run,
    planar_convolutions.run,
    fuse_group_norm.run,
    fuse_standardize.run,
    rewrite_normalizations.run,
    rewrite_operators.rewrite_depth_space,
    rewrite_einsum.run,
    rewrite_operators.rewrite_global_pool,
    rewrite_grid_sample.run,
    rewrite_operators.rewrite_lp_normalization,
    rewrite_operators.rewrite_lrn,
    rewrite_operators.rewrite_mod,
    rewrite_operators.rewrite_one_hot,
    rewrite_reductions.run,
]

#: Passes for graphs that never train, and need no random numbers.
INFERENCE: list[Callable[[ir.Graph, Set[str]], None]] = [
    remove_no_ops.remove_dropout,
    remove_no_ops.remove_identity,
    running_statistics.run_inference,
]

#: Passes that make operators of our own domain. They run before differentiation or lowering, so that models for
#: inference stay plain ONNX.
DECOMPOSE: list[Callable[[ir.Graph, Set[str]], None]] = [
    rewrite_sequence_lens.run,
    rewrite_recurrent.run,
    rewrite_operators.rewrite_trilu,
    fuse_bounds.run,
]


def flatten(model: ir.Model) -> ir.Model:
    """Inline all functions, and turn constants into initializers."""
    model = common.InlinePass()(model).model
    return common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(model).model


def normalize(model: ir.Model, keep: Set[str], mode: str) -> ir.Model:
    """Apply prepare() and REWRITE."""
    model = prepare(model, keep, mode)
    for run in REWRITE:
        with layers.inherited(model.graph):
            run(model.graph, keep)
        verify_graph(model.graph)
    return model


def prepare(model: ir.Model, keep: Set[str], mode: str) -> ir.Model:
    """Apply PREPARE to a flat model, then BatchNormalization in `mode`.

    The result is still standard ONNX.
    """
    layers.name_layers(model.graph)
    for run in PREPARE:
        with layers.inherited(model.graph):
            run(model.graph, keep)
        verify_graph(model.graph)
    with layers.inherited(model.graph):
        batch_norm.run(model.graph, keep, mode)
    verify_graph(model.graph)
    return model


def quantize(model: ir.Model, keep: Set[str]) -> ir.Model:
    """Apply QUANTIZED to a flat model; return the same model."""
    for run in QUANTIZED:
        run(model.graph, keep)
        verify_graph(model.graph)
    return model


def for_inference(model: ir.Model, keep: Set[str]) -> ir.Model:
    """Remove the parts that only training needs; return the same model."""
    for run in INFERENCE:
        with layers.inherited(model.graph):
            run(model.graph, keep)
        verify_graph(model.graph)
    return model


def decompose(graph: ir.Graph, keep: Set[str]) -> bool:
    """Apply DECOMPOSE to a graph whose ranks are known; return whether anything changed.

    After a change, shapes are unknown.
    """
    before = [id(node) for node in graph]
    for run in DECOMPOSE:
        with layers.inherited(graph):
            run(graph, keep)
        verify_graph(graph)
    return before != [id(node) for node in graph]


def fuse_quantized(graph: ir.Graph, keep: Set[str]) -> None:
    """Fuse nodes between quantized values into operators on int8, in a graph with known shapes."""
    with layers.inherited(graph):
        quantized.run(graph, keep)
    verify_graph(graph)
