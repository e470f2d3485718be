/* STANDARDIZE and STANDARDIZE_GRAD with vectors: each lane holds a group, and takes its elements
 * in order. Either groups are adjacent in memory, or elements are: then blocks of both are
 * transposed in registers. */
#include "../../../generated/instructions/standardize.h"
#include "../../../generated/instructions/standardize_grad.h"
#include "../../reduction.h"
#include "blocks/tile.h"
#include "simd.h"

#if GM_ARCH_ROW_NORMS && (GM_WITH_STANDARDIZE || GM_WITH_STANDARDIZE_GRAD)

/* The dimensions of an instruction: the kept ones, whose indices number the groups, and those over
 * which each group's elements run. */
typedef struct group_dims {
    uint32_t k0, k1, k2, k3, ks0, ks1, ks2, ks3;
    uint32_t r0, r1, r2, r3, rs0, rs1, rs2, rs3;
} group_dims;

#define GROUP_DIMS_OF(i)                                                         \
    {(i)->k0, (i)->k1, (i)->k2, (i)->k3, (i)->ks0, (i)->ks1, (i)->ks2, (i)->ks3, \
     (i)->r0, (i)->r1, (i)->r2, (i)->r3, (i)->rs0, (i)->rs1, (i)->rs2, (i)->rs3}

/* GM_LANES groups, or fewer. first: the offset of each one's first element; lanes past the end
 * repeat the last group. */
typedef struct group_lanes {
    const group_dims *dims;
    size_t first[GM_LANES];
    uint32_t count;
    int neighbours; /* the groups are adjacent */
} group_lanes;

/* Runs the statements for each run of up to GM_LANES elements along r3: `elements` of them, the
 * first at offset `at`. */
#define FOR_BLOCKS(d, ...)                                                                   \
    for (uint32_t row = 0; row < (d)->r0 * (d)->r1 * (d)->r2; row++) {                       \
        uint32_t begin = gm_row_offset(row, (d)->r1, (d)->r2, (d)->rs0, (d)->rs1, (d)->rs2); \
        for (uint32_t done = 0; done < (d)->r3; done += GM_LANES) {                          \
            uint32_t elements = (d)->r3 - done < GM_LANES ? (d)->r3 - done : GM_LANES;       \
            size_t at = begin + (size_t)done * (d)->rs3;                                     \
            __VA_ARGS__                                                                      \
        }                                                                                    \
    }

/* t[i] = element i of the block in all groups. */
GM_SIMD_INLINE void load_elements(gm_vec *t, const float *x, const group_lanes *g, size_t at, uint32_t elements)
{
    if (g->neighbours) {
        for (uint32_t i = 0; i < elements; i++) {
            gm_tile_load(&t[i], x + (g->first[0] + at + (size_t)i * g->dims->rs3), g->count, 1);
        }
        return;
    }
    GM_UNROLL
    for (uint32_t l = 0; l < GM_LANES; l++) {
        gm_tile_load(&t[l], x + (g->first[l] + at), elements, 1);
    }
    gm_vec_transpose(t);
}

static group_lanes lanes_from(const group_dims *d, uint32_t group, int neighbours)
{
    group_lanes g = {.dims = d, .neighbours = neighbours};
    uint32_t all = d->k0 * d->k1 * d->k2 * d->k3, left = neighbours ? d->k3 - group % d->k3 : all - group;
    g.count = left < GM_LANES ? left : GM_LANES;
    for (uint32_t l = 0; l < GM_LANES; l++) {
        uint32_t own = group + (l < g.count ? l : g.count - 1);
        g.first[l] = gm_row_offset(own / d->k3, d->k1, d->k2, d->ks0, d->ks1, d->ks2) + (size_t)(own % d->k3) * d->ks3;
    }
    return g;
}

/* Whether vectors suit: 1 if groups are adjacent, 0 if elements are, -1 if neither are enough. */
static int which_are_neighbours(const group_dims *d)
{
    if (d->ks3 == 1 && d->k3 >= GM_LANES) {
        return 1;
    }
    return d->rs3 == 1 && d->r3 >= GM_LANES && d->k0 * d->k1 * d->k2 * d->k3 > 1 ? 0 : -1;
}

GM_SIMD_INLINE gm_vec element_count(const group_dims *d)
{
    return gm_vec_splat((float)(d->r0 * d->r1 * d->r2 * d->r3));
}

#endif

#if GM_ARCH_ROW_NORMS && GM_WITH_STANDARDIZE

typedef struct group_moments {
    gm_vec shift, mean, var, inv_std;
} group_moments;

/* The sums of x - shift, or of the squares of x - shift - mean. */
GM_SIMD_INLINE gm_vec sum_of_groups(const float *x, const group_lanes *g, const group_moments *m, int squares)
{
    gm_vec sum = gm_vec_splat(0.0f), t[GM_LANES];
    FOR_BLOCKS(g->dims, {
        load_elements(t, x, g, at, elements);
        for (uint32_t i = 0; i < elements; i++) {
            gm_vec d = gm_vec_sub(t[i], m->shift), centred = gm_vec_sub(d, m->mean);
            sum = squares ? gm_vec_mac(sum, centred, centred) : gm_vec_add(sum, d);
        }
    })
    return sum;
}

GM_SIMD_INLINE group_moments moments_of_groups(const float *x, const group_lanes *g, int centre, float epsilon)
{
    float shifts[GM_LANES];
    gm_vec zero = gm_vec_splat(0.0f), count = element_count(g->dims);
    group_moments m = {zero, zero, zero, zero};
    if (centre) {
        for (uint32_t l = 0; l < GM_LANES; l++) {
            shifts[l] = x[g->first[l]];
        }
        m.shift = gm_vec_load(shifts);
        m.mean = gm_vec_div(sum_of_groups(x, g, &m, 0), count);
    }
    m.var = gm_vec_div(sum_of_groups(x, g, &m, 1), count);
    m.inv_std = gm_vec_div(gm_vec_splat(1.0f), gm_vec_sqrt(gm_vec_add(m.var, gm_vec_splat(epsilon))));
    return m;
}

GM_SIMD_INLINE gm_vec standardized(gm_vec x, gm_vec shift, gm_vec mean, gm_vec inv_std)
{
    return gm_vec_mul(gm_vec_sub(gm_vec_sub(x, shift), mean), inv_std);
}

/* y of all elements of adjacent groups. */
GM_SIMD_INLINE void standardize_neighbours(const float *x, float *y, const group_lanes *g, const group_moments *m)
{
    FOR_BLOCKS(
        g->dims, for (uint32_t i = 0; i < elements; i++) {
            size_t own = g->first[0] + at + (size_t)i * g->dims->rs3;
            gm_vec value;
            gm_tile_load(&value, x + own, g->count, 1);
            value = standardized(value, m->shift, m->mean, m->inv_std);
            gm_tile_store(y + own, &value, g->count, 1);
        })
}

/* y of all elements of groups with contiguous elements. */
GM_SIMD_INLINE void standardize_rows(const float *x, float *y, const group_lanes *g, const group_moments *m)
{
    float shift[GM_LANES], mean[GM_LANES], inv_std[GM_LANES];
    gm_vec_store(shift, m->shift);
    gm_vec_store(mean, m->mean);
    gm_vec_store(inv_std, m->inv_std);
    for (uint32_t l = 0; l < g->count; l++) {
        FOR_BLOCKS(g->dims, {
            gm_vec value;
            gm_tile_load(&value, x + g->first[l] + at, elements, 1);
            value = standardized(value, gm_vec_splat(shift[l]), gm_vec_splat(mean[l]), gm_vec_splat(inv_std[l]));
            gm_tile_store(y + g->first[l] + at, &value, elements, 1);
        })
    }
}

/* statistics[group] of some groups, if requested. */
GM_SIMD_INLINE void store_statistics(float *statistics, uint32_t group, gm_vec values, uint32_t count)
{
    if (statistics) {
        gm_tile_store(statistics + group, &values, count, 1);
    }
}

static GM_SIMD_TARGET void standardize_groups(const gm_insn_standardize *insn, const group_dims *d, int neighbours,
                                              const gm_standardized *to)
{
    uint32_t all = d->k0 * d->k1 * d->k2 * d->k3;
    for (uint32_t group = 0; group < all;) {
        group_lanes g = lanes_from(d, group, neighbours);
        group_moments m = moments_of_groups(to->x, &g, insn->centre != 0, insn->epsilon);
        (neighbours ? standardize_neighbours : standardize_rows)(to->x, to->y, &g, &m);
        store_statistics(to->inv_std, group, m.inv_std, g.count);
        store_statistics(to->mean, group, gm_vec_add(m.shift, m.mean), g.count);
        store_statistics(to->var, group, m.var, g.count);
        group += g.count;
    }
}

int gm_simd_standardize(const gm_insn_standardize *insn, const gm_standardized *to)
{
    const group_dims d = GROUP_DIMS_OF(insn);
    int neighbours = which_are_neighbours(&d);
    if (!gm_simd_runs() || neighbours < 0) {
        return 0;
    }
    standardize_groups(insn, &d, neighbours, to);
    return 1;
}

#endif

#if GM_ARCH_ROW_NORMS && GM_WITH_STANDARDIZE_GRAD

/* The statistics for the gradient of a group's elements. */
typedef struct group_slopes {
    gm_vec mean, slope; /* of dy; minus the mean of dy y */
} group_slopes;

GM_SIMD_INLINE group_slopes slopes_of_groups(const float *dy, const float *y, const group_lanes *g, int centre)
{
    gm_vec zero = gm_vec_splat(0.0f), count = element_count(g->dims), a[GM_LANES], b[GM_LANES];
    group_slopes s = {zero, zero};
    FOR_BLOCKS(g->dims, {
        load_elements(a, dy, g, at, elements);
        load_elements(b, y, g, at, elements);
        for (uint32_t i = 0; i < elements; i++) {
            s.mean = gm_vec_add(s.mean, a[i]);
            s.slope = gm_vec_mac(s.slope, a[i], b[i]);
        }
    })
    s.mean = centre ? gm_vec_div(s.mean, count) : zero;
    s.slope = gm_vec_mul(gm_vec_div(s.slope, count), gm_vec_splat(-1.0f));
    return s;
}

GM_SIMD_INLINE gm_vec gradient_of(gm_vec dy, gm_vec y, gm_vec mean, gm_vec slope, gm_vec inv_std)
{
    return gm_vec_mul(inv_std, gm_vec_mac(gm_vec_sub(dy, mean), slope, y));
}

/* dx of `count` lanes of elements at offset `own`. */
GM_SIMD_INLINE void store_gradient(const gm_standardized_grad *to, size_t own, uint32_t count, group_slopes s,
                                   gm_vec inv_std)
{
    gm_vec dy, y;
    gm_tile_load(&dy, to->dy + own, count, 1);
    gm_tile_load(&y, to->y + own, count, 1);
    dy = gradient_of(dy, y, s.mean, s.slope, inv_std);
    gm_tile_store(to->dx + own, &dy, count, 1);
}

GM_SIMD_INLINE void gradient_of_neighbours(const gm_standardized_grad *to, const group_lanes *g, group_slopes s,
                                           gm_vec inv_std)
{
    FOR_BLOCKS(
        g->dims, for (uint32_t i = 0; i < elements;
                      i++) { store_gradient(to, g->first[0] + at + (size_t)i * g->dims->rs3, g->count, s, inv_std); })
}

GM_SIMD_INLINE void gradient_of_rows(const gm_standardized_grad *to, const group_lanes *g, group_slopes s,
                                     const float *inv_std)
{
    float mean[GM_LANES], slope[GM_LANES];
    gm_vec_store(mean, s.mean);
    gm_vec_store(slope, s.slope);
    for (uint32_t l = 0; l < g->count; l++) {
        group_slopes own = {gm_vec_splat(mean[l]), gm_vec_splat(slope[l])};
        FOR_BLOCKS(g->dims, store_gradient(to, g->first[l] + at, elements, own, gm_vec_splat(inv_std[l]));)
    }
}

static GM_SIMD_TARGET void gradient_of_groups(const gm_insn_standardize_grad *insn, const group_dims *d, int neighbours,
                                              const gm_standardized_grad *to)
{
    uint32_t all = d->k0 * d->k1 * d->k2 * d->k3;
    for (uint32_t group = 0; group < all;) {
        group_lanes g = lanes_from(d, group, neighbours);
        group_slopes s = slopes_of_groups(to->dy, to->y, &g, insn->centre != 0);
        if (neighbours) {
            gm_vec inv_std;
            gm_tile_load(&inv_std, to->inv_std + group, g.count, 1);
            gradient_of_neighbours(to, &g, s, inv_std);
        } else {
            gradient_of_rows(to, &g, s, to->inv_std + group);
        }
        group += g.count;
    }
}

int gm_simd_standardize_grad(const gm_insn_standardize_grad *insn, const gm_standardized_grad *to)
{
    const group_dims d = GROUP_DIMS_OF(insn);
    int neighbours = which_are_neighbours(&d);
    if (!gm_simd_runs() || neighbours < 0) {
        return 0;
    }
    gradient_of_groups(insn, &d, neighbours, to);
    return 1;
}

#endif
