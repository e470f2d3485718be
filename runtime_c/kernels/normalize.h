/* Batch normalization: the layout of a channel's elements, and the entry points of
 * processor-specific forms. */
#ifndef GM_NORMALIZE_H
#define GM_NORMALIZE_H

#include "../generated/instructions/moments.h"
#include "../generated/instructions/normalize.h"
#include "../generated/instructions/normalize_grad.h"
#include "../generated/instructions/normalize_sums.h"
#include "../src/gm_internal.h"
#include "arch/arch.h"

/* The elements of one channel of a tensor (outer, channels, inner): `rows` rows of `columns`
 * elements; rows are `row` elements apart, and columns `column` elements. */
typedef struct gm_channel_layout {
    uint32_t rows, columns, row, column;
    uint32_t channel; /* elements from one channel to the next */
} gm_channel_layout;

/* If channels are adjacent (inner is 1), each is one row of `outer` elements. */
#define GM_CHANNEL_LAYOUT(insn, outer)                             \
    ((insn)->inner == 1                                            \
         ? (gm_channel_layout){1, (outer), 0, (insn)->channels, 1} \
         : (gm_channel_layout){(outer), (insn)->inner, (insn)->channels * (insn)->inner, 1, (insn)->inner})

/* For adjacent channels. Each function does as many channels as suit it, from the first on,
 * and returns the index after them. Those of arch/simd work on a part's range (gm_part_of),
 * others on all channels. */
#if GM_ARCH_NORMALIZE
uint32_t gm_moments_across(const struct gm_session *session, const gm_insn_moments *insn);
uint32_t gm_normalize_across(const struct gm_session *session, const gm_insn_normalize *insn);
uint32_t gm_normalize_sums_across(const struct gm_session *session, const gm_insn_normalize_sums *insn);
uint32_t gm_normalize_grad_across(const struct gm_session *session, const gm_insn_normalize_grad *insn);
#endif

#endif
