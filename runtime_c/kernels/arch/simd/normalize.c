/* Batch normalization for adjacent channels: each lane holds one, and takes its
 * elements in order. */
#include "../../../generated/instructions/moments.h"
#include "../../../generated/instructions/normalize.h"
#include "../../../generated/instructions/normalize_grad.h"
#include "../../../generated/instructions/normalize_sums.h"
#include "../../normalize.h"
#include "blocks/tile.h"
#include "simd.h"

#if GM_ARCH_TILES && (GM_WITH_MOMENTS || GM_WITH_NORMALIZE || GM_WITH_NORMALIZE_SUMS || GM_WITH_NORMALIZE_GRAD)

/* The most vectors that pass over the pixels together, and the number of channels in them. */
#define WIDE 4u
#define WIDE_COLUMNS (WIDE * GM_LANES)

/* `columns` channels of tensors (pixels, channels), from `first` on, in `vectors` vectors; for so
 * many pixels, with the first element of these channels at `start`. */
typedef struct channel_block {
    size_t pixels, step, start;
    uint32_t first, columns, vectors;
} channel_block;

static inline channel_block block_of(gm_part pixels, uint32_t step, uint32_t first, uint32_t left, uint32_t vectors)
{
    uint32_t columns = left < vectors * GM_LANES ? left : vectors * GM_LANES;
    channel_block block = {pixels.length, step, (size_t)pixels.start * step + first, first, columns, vectors};
    return block;
}

static inline gm_part all_of(uint32_t n)
{
    gm_part range = {0, n};
    return range;
}

/* Defines gm_<name>_across, which calls <name>_block for these ranges of channels and pixels of
 * `insn`. Sums of one vector would wait for each other, and those of two are in one cache line. */
#define DEFINE_NORMALIZE_ACROSS(name, CHANNELS, PIXELS)                                                        \
    static GM_SIMD_TARGET uint32_t name##_blocks(const struct gm_session *session, const gm_insn_##name *insn) \
    {                                                                                                          \
        gm_part channels = (CHANNELS), pixels = (PIXELS);                                                      \
        uint32_t c = channels.start, end = channels.start + channels.length;                                   \
        for (; end - c >= WIDE_COLUMNS; c += WIDE_COLUMNS) {                                                   \
            name##_block(session, insn, block_of(pixels, insn->channels, c, end - c, WIDE));                   \
        }                                                                                                      \
        for (; !GM_BYTES_COUNT && end - c >= 2 * GM_LANES; c += 2 * GM_LANES) {                                \
            name##_block(session, insn, block_of(pixels, insn->channels, c, end - c, 2));                      \
        }                                                                                                      \
        for (; GM_LANES > 1 && c < end; c += GM_LANES) {                                                       \
            name##_block(session, insn, block_of(pixels, insn->channels, c, end - c, 1));                      \
        }                                                                                                      \
        return c < end ? c : end;                                                                              \
    }                                                                                                          \
                                                                                                               \
    uint32_t gm_##name##_across(const struct gm_session *session, const gm_insn_##name *insn)                  \
    {                                                                                                          \
        return gm_simd_runs() ? name##_blocks(session, insn) : (CHANNELS).start;                               \
    }

/* Runs BODY for each pixel, at offset `at`, and in it for each vector v. */
#define FOR_VECTORS(b, LOADS, BODY)                                           \
    for (size_t i = 0, at = (b).start; i < (b).pixels; i++, at += (b).step) { \
        LOADS                                                                 \
        GM_UNROLL                                                             \
        for (uint32_t v = 0; v < (b).vectors; v++) {                          \
            BODY                                                              \
        }                                                                     \
    }

/* Loads a value for each channel of the block; p: that of the first one, or NULL
 * if all are `absent`. */
GM_SIMD_INLINE void load_channels(gm_vec *to, const float *p, float absent, channel_block b)
{
    for (uint32_t v = 0; p == NULL && v < b.vectors; v++) {
        to[v] = gm_vec_splat(absent);
    }
    if (p != NULL) {
        gm_tile_load(to, p, b.columns, b.vectors);
    }
}

GM_SIMD_INLINE gm_vec rounded_product(gm_vec a, gm_vec b)
{
    return gm_vec_mac(gm_vec_splat(GM_EMPTY_SUM), a, b);
}

/* Loads -p, so that + subtracts it. */
GM_SIMD_INLINE void load_negated(gm_vec *to, const float *p, channel_block b)
{
    load_channels(to, p, 0.0f, b);
    GM_UNROLL
    for (uint32_t v = 0; v < b.vectors; v++) {
        to[v] = rounded_product(to[v], gm_vec_splat(-1.0f));
    }
}

#if GM_WITH_MOMENTS && GM_ARCH_MOMENTS

/* sums[c] = sum over the pixels of x[pixel,c] - centre[c], or of the squares of these. */
GM_SIMD_INLINE void sum_differences(const float *x, const float *centre, float sums[WIDE_COLUMNS], channel_block b,
                                    int squares)
{
    gm_vec negative[WIDE], sum[WIDE], value[WIDE];
    load_negated(negative, centre, b);
    load_channels(sum, NULL, 0.0f, b);
    FOR_VECTORS(b, gm_tile_load(value, x + at, b.columns, b.vectors);, {
        gm_vec d = gm_vec_add(value[v], negative[v]);
        sum[v] = squares ? gm_vec_mac(sum[v], d, d) : gm_vec_add(sum[v], d);
    })
    gm_tile_store(sums, sum, b.columns, b.vectors);
}

GM_SIMD_INLINE void moments_block(const struct gm_session *session, const gm_insn_moments *insn, channel_block b)
{
    const float *x = gm_f32(session, insn->x), *shift = x + b.first;
    float *mean = gm_f32_out(session, insn->mean) + b.first, *inv_std = gm_f32_out(session, insn->inv_std) + b.first;
    float *var = gm_f32_out_optional(session, insn->var);
    float sums[WIDE_COLUMNS], n = (float)insn->outer;
    sum_differences(x, shift, sums, b, 0);
    for (uint32_t c = 0; c < b.columns; c++) {
        mean[c] = shift[c] + sums[c] / n;
    }
    sum_differences(x, mean, sums, b, 1);
    for (uint32_t c = 0; c < b.columns; c++) {
        float variance = sums[c] / n;
        inv_std[c] = 1.0f / gm_sqrt(variance + insn->epsilon);
        if (var) {
            var[b.first + c] = variance;
        }
    }
}

DEFINE_NORMALIZE_ACROSS(moments, gm_part_of(session, insn->channels), all_of(insn->outer))

#endif

/* The address of channel c; NULL if p is. */
static inline const float *from_channel(const float *p, uint32_t c)
{
    return p ? p + c : NULL;
}

/* factor[c] = scale[c] inv_std[c]. */
GM_SIMD_INLINE void load_factor(gm_vec *factor, const float *scale, const float *inv_std, channel_block b)
{
    gm_vec other[WIDE];
    gm_tile_load(factor, scale + b.first, b.columns, b.vectors);
    gm_tile_load(other, inv_std + b.first, b.columns, b.vectors);
    GM_UNROLL
    for (uint32_t v = 0; v < b.vectors; v++) {
        factor[v] = rounded_product(factor[v], other[v]);
    }
}

#if GM_WITH_NORMALIZE

GM_SIMD_INLINE void normalize_block(const struct gm_session *session, const gm_insn_normalize *insn, channel_block b)
{
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    gm_vec mean[WIDE], factor[WIDE], bias[WIDE], value[WIDE];
    uint32_t relu = insn->activation;
    load_negated(mean, from_channel(gm_f32_optional(session, insn->mean), b.first), b);
    load_factor(factor, gm_f32(session, insn->scale), gm_f32(session, insn->inv_std), b);
    load_channels(bias, from_channel(gm_f32_optional(session, insn->bias), b.first), GM_EMPTY_SUM, b);
    FOR_VECTORS(b, gm_tile_load(value, x + at, b.columns, b.vectors);, {
        gm_vec normal = gm_vec_add(rounded_product(gm_vec_add(value[v], mean[v]), factor[v]), bias[v]);
        normal = relu ? gm_vec_add(gm_vec_relu(normal), gm_vec_splat(0.0f)) : normal;
        gm_tile_store(y + at + v * GM_LANES, &normal, b.columns - v * GM_LANES, 1);
    })
}

DEFINE_NORMALIZE_ACROSS(normalize, all_of(insn->channels), all_of(insn->outer))

#endif

/* Loads what both gradients need of a pixel: its gradient and its x. */
#define LOAD_GRADIENT_AND_X                                \
    gm_tile_load(gradient, dy + at, b.columns, b.vectors); \
    gm_tile_load(value, x + at, b.columns, b.vectors);

#if GM_WITH_NORMALIZE_SUMS

GM_SIMD_INLINE void normalize_sums_block(const struct gm_session *session, const gm_insn_normalize_sums *insn,
                                         channel_block b)
{
    const float *dy = gm_f32(session, insn->dy), *x = gm_f32(session, insn->x);
    gm_vec mean[WIDE], inv_std[WIDE], sum[WIDE], products[WIDE], gradient[WIDE], value[WIDE];
    load_negated(mean, gm_f32(session, insn->mean) + b.first, b);
    load_channels(inv_std, gm_f32(session, insn->inv_std) + b.first, 0.0f, b);
    load_channels(sum, NULL, 0.0f, b);
    load_channels(products, NULL, 0.0f, b);
    FOR_VECTORS(b, LOAD_GRADIENT_AND_X, {
        sum[v] = gm_vec_add(sum[v], gradient[v]);
        products[v] = gm_vec_mac(products[v], gradient[v], gm_vec_add(value[v], mean[v]));
    })
    GM_UNROLL
    for (uint32_t v = 0; v < b.vectors; v++) {
        products[v] = rounded_product(products[v], inv_std[v]);
    }
    gm_tile_store(gm_f32_out(session, insn->dscale) + b.first, products, b.columns, b.vectors);
    gm_tile_store(gm_f32_out(session, insn->dbias) + b.first, sum, b.columns, b.vectors);
}

DEFINE_NORMALIZE_ACROSS(normalize_sums, gm_part_of(session, insn->channels), all_of(insn->outer))

#endif

#if GM_WITH_NORMALIZE_GRAD

GM_SIMD_INLINE void normalize_grad_block(const struct gm_session *session, const gm_insn_normalize_grad *insn,
                                         channel_block b)
{
    const float *dy = gm_f32(session, insn->dy), *x = gm_f32(session, insn->x);
    const float *inv_std = gm_f32(session, insn->inv_std), *dscale = gm_f32(session, insn->dscale) + b.first;
    const float *dbias = gm_f32(session, insn->dbias) + b.first;
    float *dx = gm_f32_out(session, insn->dx), offsets[WIDE_COLUMNS], x_factors[WIDE_COLUMNS];
    float n = (float)insn->outer;
    for (uint32_t c = 0; c < b.columns; c++) {
        offsets[c] = -(dbias[c] / n);
        x_factors[c] = -(inv_std[b.first + c] * (dscale[c] / n));
    }
    gm_vec mean[WIDE], factor[WIDE], offset[WIDE], x_factor[WIDE], gradient[WIDE], value[WIDE];
    load_negated(mean, gm_f32(session, insn->mean) + b.first, b);
    load_factor(factor, gm_f32(session, insn->scale), inv_std, b);
    load_channels(offset, offsets, 0.0f, b);
    load_channels(x_factor, x_factors, 0.0f, b);
    FOR_VECTORS(b, LOAD_GRADIENT_AND_X, {
        gm_vec centred = gm_vec_mac(gm_vec_add(gradient[v], offset[v]), x_factor[v], gm_vec_add(value[v], mean[v]));
        gm_vec result = rounded_product(factor[v], centred);
        gm_tile_store(dx + at + v * GM_LANES, &result, b.columns - v * GM_LANES, 1);
    })
}

DEFINE_NORMALIZE_ACROSS(normalize_grad, all_of(insn->channels), gm_part_of(session, insn->outer))

#endif

#endif
