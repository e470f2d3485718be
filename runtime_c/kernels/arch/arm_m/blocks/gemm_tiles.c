/* Matrix product tiles on Cortex-M with FPU, for operands that are each
 * contiguous in one direction. */
#include "gemm_tiles.h"

#if GM_ARCH_ARM_M && !GM_ARCH_HELIUM

/* ---- The last k -------------------------------------------------------------------------------- */

__attribute__((noinline)) void gm_last_k_4(void)
{
    __asm__ volatile(MAC_4x4(s24, s25, s26, s27, s20, s21, s22, s23));
}

#if GM_LARGE_TILES
__attribute__((noinline)) void gm_last_k_5(void)
{
    __asm__ volatile(MAC_2(s16, s28, s20, s17, s28, s21) MAC_2(s18, s28, s22, s19, s28, s23));
    gm_last_k_4();
}
#endif

#define LAST_A_4 LOAD(a0, "s24") LOAD(a1, "s25") LOAD(a2, "s26") LOAD(a3, "s27")
#define LAST_A_5 LAST_A_4 LOAD(a4, "s28")
#define LAST_K_ALONG(rows) LAST_A_##rows LOAD(b0, "s20") LOAD(b1, "s21") LOAD(b2, "s22") LOAD(b3, "s23") LAST_K(rows)
#define LAST_K_ACROSS(rows) LAST_A_##rows LINE("vldmia %[b], {s20-s23}") LAST_K(rows)

/* ---- Two k, of all rows of a and of 4 columns of b ----------------------------------------------- */

#if GM_APART
/* b in s20 to s27, and one row of a after another in s28 and s29. */
#define TWO_K_OF_ROW(a, s, t, u, v, b0, c0, b1, c1, b2, c2, b3, c3)                     \
    LOAD(a, "s28, s29")                                                                 \
    MAC_2(s, s28, b0, t, s28, b1) MAC_2(u, s28, b2, v, s28, b3)                         \
    MAC_2(s, s29, c0, t, s29, c1) MAC_2(u, s29, c2, v, s29, c3)
#define ROW_ALONG(a, s, t, u, v) TWO_K_OF_ROW(a, s, t, u, v, s20, s21, s22, s23, s24, s25, s26, s27)
#define ROW_ACROSS(a, s, t, u, v) TWO_K_OF_ROW(a, s, t, u, v, s20, s24, s21, s25, s22, s26, s23, s27)
#define TILE_ROWS_4(OF) OF(a0, s0, s1, s2, s3) OF(a1, s4, s5, s6, s7) OF(a2, s8, s9, s10, s11) OF(a3, s12, s13, s14, s15)
#define TILE_ROWS_5(OF) TILE_ROWS_4(OF) OF(a4, s16, s17, s18, s19)
#define TWO_K_ALONG(rows)                                                               \
    LOAD(b0, "s20, s21") LOAD(b1, "s22, s23") LOAD(b2, "s24, s25") LOAD(b3, "s26, s27") TILE_ROWS_##rows(ROW_ALONG)
#define TWO_K_ACROSS(rows) LOAD_STEP(b, "s20-s23", b_step) LOAD_STEP(b, "s24-s27", b_step) TILE_ROWS_##rows(ROW_ACROSS)
#else
/* Loads all operands first. On a Cortex-M7, single registers come first, right after the
 * preceding multiply-add. */
#if GM_TILES_OF_M7
#define LOAD_A_0 LINE("vldr s16, [%[a0]]") LINE("vldr s17, [%[a0], #4]") LINE("adds %[a0], #8")
#define LOAD_ALL_ACROSS                                                                 \
    LOAD_A_0 LINE("vldr s18, [%[a1]]") LINE("adds %[a1], #8") LOAD(a2, "s20, s21") LOAD(a3, "s22, s23") \
    LINE("vldmia %[b], {s24-s27}") LINE("add %[b], %[b_step]") LINE("vldr s19, [%[a1], #-4]") \
    LOAD_STEP(b, "s28-s31", b_step)
#else
#define LOAD_A_0 LOAD(a0, "s16, s17")
#define LOAD_ALL_ACROSS                                                                 \
    LOAD_A_0 LOAD(a1, "s18, s19") LOAD(a2, "s20, s21") LOAD(a3, "s22, s23")             \
    LOAD_STEP(b, "s24-s27", b_step) LOAD_STEP(b, "s28-s31", b_step)
#endif
#define LOAD_ALL_ALONG                                                                  \
    LOAD_A_0 LOAD(a1, "s18, s19") LOAD(a2, "s20, s21") LOAD(a3, "s22, s23")             \
    LOAD(b0, "s24, s25") LOAD(b1, "s26, s27") LOAD(b2, "s28, s29") LOAD(b3, "s30, s31")
#define FIRST_K_ALONG MAC_4x4(s16, s18, s20, s22, s24, s26, s28, s30)
#define SECOND_K_ALONG MAC_4x4(s17, s19, s21, s23, s25, s27, s29, s31)
#define FIRST_K_ACROSS MAC_4x4(s16, s18, s20, s22, s24, s25, s26, s27)
#define SECOND_K_ACROSS MAC_4x4(s17, s19, s21, s23, s28, s29, s30, s31)
#define TWO_K_ALONG(rows) LOAD_ALL_ALONG FIRST_K_ALONG SECOND_K_ALONG
#define TWO_K_ACROSS(rows) LOAD_ALL_ACROSS FIRST_K_ACROSS SECOND_K_ACROSS
#endif

/* The products of a sum, and the tiles of a call. On a Cortex-M7, k is decremented before the
 * last multiply-adds, so that the branch shares the cycle of one, and a call computes all
 * tiles of its rows. */
#if GM_TILES_OF_M7
#define EACH_K_OF(of, rows)                                                                \
    LINE("subs %[k], #2") LINE("blo 2f")                                                \
    LOOP_LABEL(1)                                                                       \
    LOAD_ALL_##of FIRST_K_##of LINE("subs %[k], #2") SECOND_K_##of                      \
    LINE("bhs 1b")                                                                      \
    "2:\n\t"                                                                            \
    LINE("adds %[k], #2") LINE("beq 3f")                                                \
    LAST_K_##of(rows)                                                                   \
    "3:\n\t"
#define EACH_TILE for (; n > 0; n -= 4, b += 4 * s->b_col, y += 4)
#else
#define EACH_K_OF(of, rows) TWO_AT_A_TIME(TWO_K_##of(rows), LAST_K_##of(rows))
#define EACH_TILE (void)n;
#endif

/* Defines along_<rows>x4 and across_<rows>x4. With four rows, the fifth row of a
 * is the fourth again. */
#define ROWS_OF_A(rows)                                                                                             \
    const float *a0 = a, *a1 = a0 + s->a_row, *a2 = a1 + s->a_row, *a3 = a2 + s->a_row;                             \
    const float *a4 = a3 + (rows > 4 ? s->a_row : 0);                                                               \
    (void)a4
#define DEFINE_TILE_ALONG(rows, MORE)                                                                               \
    GEMM_TILE(along_##rows##x4)                                                                                     \
    {                                                                                                               \
        EACH_TILE                                                                                                   \
        {                                                                                                           \
            uint32_t k = s->k;                                                                                      \
            float *to = y;                                                                                          \
            const float *b0 = b, *b1 = b0 + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;                     \
            ROWS_OF_A(rows);                                                                                        \
            __asm__ volatile(LOAD_##rows##x4 EACH_K_OF(ALONG, rows) STORE_##rows##x4                                   \
                             : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3) MORE, [b0] "+r"(b0),      \
                               [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [k] "+r"(k), [y] "+r"(to)               \
                             : [y_step] "r"(gm_bytes(y_row)), CALLS_LAST_K(rows)                                    \
                             : CHANGED, "lr");                                                                      \
        }                                                                                                           \
    }
#define DEFINE_TILE_ACROSS(rows, MORE)                                                                              \
    GEMM_TILE(across_##rows##x4)                                                                                    \
    {                                                                                                               \
        EACH_TILE                                                                                                   \
        {                                                                                                           \
            uint32_t k = s->k;                                                                                      \
            float *to = y;                                                                                          \
            const float *from = b;                                                                                  \
            ROWS_OF_A(rows);                                                                                        \
            __asm__ volatile(LOAD_##rows##x4 EACH_K_OF(ACROSS, rows) STORE_##rows##x4                                  \
                             : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3) MORE, [b] "+r"(from),     \
                               [k] "+r"(k), [y] "+r"(to)                                                            \
                             : [y_step] "r"(gm_bytes(y_row)), [b_step] "r"(gm_bytes(s->b_row)), CALLS_LAST_K(rows)  \
                             : CHANGED, "lr");                                                                      \
        }                                                                                                           \
    }

DEFINE_TILE_ALONG(4, )
DEFINE_TILE_ACROSS(4, )
#if GM_LARGE_TILES
#define FIFTH_ROW , [a4] "+r"(a4)
DEFINE_TILE_ALONG(5, FIFTH_ROW)
DEFINE_TILE_ACROSS(5, FIFTH_ROW)
#endif

/* ---- Outer --------------------------------------------------------------------------------------- */

#define ONE_K_OF_OUTER \
    LOAD_STEP(a, "s16-s19", a_step) LOAD_STEP(b, "s24-s27", b_step) MAC_4x4(s16, s17, s18, s19, s24, s25, s26, s27)
#if GM_LARGE_TILES
/* Two k per iteration. If k is odd, the loop begins with the second one. */
#define EACH_K_OF_OUTER                                                 \
    LINE("tst %[k], #1") LINE("beq 2f") LINE("adds %[k], #1") LINE("b 3f") \
    LOOP_LABEL(2) ONE_K_OF_OUTER                                        \
    "3:\n\t" ONE_K_OF_OUTER                                             \
    LINE("subs %[k], #2") LINE("bne 2b")
#elif GM_TILES_OF_M7
/* Two k per iteration, loaded first. Address additions share cycles. */
#define TWO_K_OF_OUTER                                                                  \
    LINE("vldmia %[a], {s16-s19}") LINE("vldmia %[b], {s24-s27}")                       \
    LINE("add %[a], %[a_step]") LINE("add %[b], %[b_step]")                             \
    LINE("vldmia %[a], {s20-s23}") LINE("vldmia %[b], {s28-s31}") LINE("add %[b], %[b_step]") \
    MAC_4x4(s16, s17, s18, s19, s24, s25, s26, s27) LINE("add %[a], %[a_step]")         \
    MAC_4x4(s20, s21, s22, s23, s28, s29, s30, s31)
#define EACH_K_OF_OUTER                                                                 \
    LINE("subs %[k], #2") LINE("blo 3f")                                                \
    LOOP_LABEL(2) TWO_K_OF_OUTER                                                        \
    LINE("subs %[k], #2") LINE("bhs 2b")                                                \
    "3:\n\t" LINE("adds %[k], #2") LINE("beq 4f")                                       \
    ONE_K_OF_OUTER                                                                      \
    "4:\n\t"
#else
#define EACH_K_OF_OUTER LOOP_LABEL(2) ONE_K_OF_OUTER LINE("subs %[k], #1") LINE("bne 2b")
#endif

/* All whole tiles of 4 rows: the sums of weight gradients are often short, so that one call
 * per tile would show. */
GEMM_TILE(outer_4x4)
{
    const float *a_k, *b_k;
    uint32_t k;
    __asm__ volatile("1:\n\t"
                     LOAD_4x4
                     LINE("mov %[a], %[a_rows]") LINE("mov %[b], %[b_tile]") LINE("mov %[k], %[sums]")
                     EACH_K_OF_OUTER
                     STORE_4x4
                     LINE("add %[b_tile], #16")
                     LINE("add %[y], #16")
                     LINE("subs %[n], #4")
                     LINE("bne 1b")
                     : [b_tile] "+r"(b), [y] "+r"(y), [n] "+r"(n), [a] "=&r"(a_k), [b] "=&r"(b_k), [k] "=&r"(k)
                     : [a_rows] "r"(a), [sums] "r"(s->k), [y_step] "r"(gm_bytes(y_row)),
                       [a_step] "r"(gm_bytes(s->a_col)), [b_step] "r"(gm_bytes(s->b_row))
                     : CHANGED);
}

#endif
