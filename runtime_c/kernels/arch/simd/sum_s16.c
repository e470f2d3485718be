/* SUM_S16 with vectors: for adjacent channels, one per lane, or for contiguous values. */
#include "../../../generated/instructions/sum_s16.h"
#include "blocks/lanes.h"
#include "s8.h"
#include "simd.h"

#if GM_ARCH_SIMD_S8 && GM_WITH_SUM_S16

/* So many values, or pairs of them, are summed in int32 before they are added in int64. */
#define NUMBERS_AT_ONCE 16384u

#define SUM_VECTORS (GM_SUMS_AT_ONCE / GM_LANES)

/* Adds so many vectors of adjacent channels, over `count` rows, a step apart.
 * vectors: a constant. */
GM_SIMD_INLINE void add_rows(const int16_t *x, uint32_t count, size_t step, uint32_t vectors, int64_t *sums)
{
    gm_int_lanes sum[SUM_VECTORS];
    GM_UNROLL
    for (uint32_t v = 0; v < vectors; v++) {
        sum[v] = (gm_int_lanes){0};
    }
    for (uint32_t i = 0; i < count; i++, x += step) {
        GM_UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            gm_short_lanes numbers;
            memcpy(&numbers, x + v * GM_LANES, sizeof numbers);
            sum[v] += __builtin_convertvector(numbers, gm_int_lanes);
        }
    }
    GM_UNROLL
    for (uint32_t v = 0; v < vectors; v++) {
        for (uint32_t k = 0; k < GM_LANES; k++) {
            sums[v * GM_LANES + k] += sum[v][k];
        }
    }
}

/* So many vectors of adjacent channels. */
GM_SIMD_INLINE void sum_neighbours(const gm_insn_sum_s16 *insn, const int16_t *x, uint32_t vectors, int64_t *sums)
{
    memset(sums, 0, vectors * GM_LANES * sizeof *sums);
    for (uint32_t o = 0; o < insn->outer; o++) {
        const int16_t *from = x + (size_t)o * insn->x_outer;
        for (uint32_t i = 0; i < insn->inner; i += NUMBERS_AT_ONCE) {
            uint32_t left = insn->inner - i, count = left < NUMBERS_AT_ONCE ? left : NUMBERS_AT_ONCE;
            add_rows(from + (size_t)i * insn->x_inner, count, insn->x_inner, vectors, sums);
        }
    }
}

/* Returns the sum of `times` times 2 GM_LANES contiguous values. */
GM_SIMD_INLINE int64_t sum_pairs(const int16_t *x, uint32_t times)
{
    int16_t ones[2 * GM_LANES];
    int32_t lanes[GM_LANES] = {0};
    for (uint32_t i = 0; i < 2 * GM_LANES; i++) {
        ones[i] = 1;
    }
    gm_words sum = gm_words_load(lanes);
    gm_pairs one = gm_pairs_load(ones);
    for (uint32_t i = 0; i < times; i++, x += 2 * GM_LANES) {
        sum = gm_pairs_mac(sum, gm_pairs_load(x), one);
    }
    gm_words_store(lanes, sum);
    int64_t all = 0;
    for (uint32_t i = 0; i < GM_LANES; i++) {
        all += lanes[i];
    }
    return all;
}

/* One channel, with contiguous inner values. */
static GM_SIMD_TARGET int64_t sum_runs(const gm_insn_sum_s16 *insn, const int16_t *x)
{
    int64_t sum = 0;
    for (uint32_t o = 0; o < insn->outer; o++) {
        const int16_t *from = x + (size_t)o * insn->x_outer;
        uint32_t i = 0;
        for (uint32_t times; (times = (insn->inner - i) / (2 * GM_LANES)) > 0; i += times * 2 * GM_LANES) {
            times = times < NUMBERS_AT_ONCE ? times : NUMBERS_AT_ONCE;
            sum += sum_pairs(from + i, times);
        }
        for (; i < insn->inner; i++) {
            sum += from[i];
        }
    }
    return sum;
}

static GM_SIMD_TARGET uint32_t sum_all_vectors(const gm_insn_sum_s16 *insn, const int16_t *x, uint32_t channels,
                                               int64_t *sums)
{
    if (channels >= GM_SUMS_AT_ONCE) {
        sum_neighbours(insn, x, SUM_VECTORS, sums);
        return GM_SUMS_AT_ONCE;
    }
    sum_neighbours(insn, x, 1, sums);
    return GM_LANES;
}

uint32_t gm_simd_sum_channels(const gm_insn_sum_s16 *insn, const int16_t *x, uint32_t channels, int64_t *sums)
{
    if (!gm_simd_runs()) {
        return 0;
    }
    if (insn->x_channel == 1 && channels >= GM_LANES) {
        return sum_all_vectors(insn, x, channels, sums);
    }
    if (insn->x_inner == 1 && insn->inner >= 2 * GM_LANES) {
        sums[0] = sum_runs(insn, x);
        return 1;
    }
    return 0;
}

#endif
