/* Batch normalization: how a channel lies, and what a processor may do in a form of its own. */
#ifndef GM_NORMALIZE_H
#define GM_NORMALIZE_H

#include "../src/gm_internal.h"
#include "arch/arch.h"

/* Elements of one channel of (outer, channels, inner): `rows` runs of `columns` elements. Steps in
 * elements. */
typedef struct gm_channel_walk {
    uint32_t rows, columns, row, column;
    uint32_t channel; /* from one channel to the next */
} gm_channel_walk;

/* Channels that are neighbours are one run of `outer` elements each. */
#define GM_CHANNEL_WALK(insn)                                                                 \
    ((insn)->inner == 1                                                                       \
         ? (gm_channel_walk){ 1, (insn)->outer, 0, (insn)->channels, 1 }                      \
         : (gm_channel_walk){ (insn)->outer, (insn)->inner, (insn)->channels * (insn)->inner, 1, (insn)->inner })

/* Where channels are neighbours: each does so many of them, from the first, and says how many. */
#if GM_ARCH_NORMALIZE
uint32_t gm_moments_across(const struct gm_session *session, const gm_insn_moments *insn);
uint32_t gm_normalize_across(const struct gm_session *session, const gm_insn_normalize *insn);
uint32_t gm_normalize_sums_across(const struct gm_session *session, const gm_insn_normalize_sums *insn);
uint32_t gm_normalize_grad_across(const struct gm_session *session, const gm_insn_normalize_grad *insn);
#endif

#endif
