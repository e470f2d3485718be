/* Matrix product tiles on Cortex-M with FPU, for any strides of b, or of both operands. */
#include "gemm_tiles.h"

#if GM_ARCH_ARM_M && !GM_ARCH_HELIUM && WITH_ANY_STRIDES

#define LOAD_B LOAD_1_STEP(b0, s20, b_step) LOAD_1_STEP(b1, s21, b_step) \
               LOAD_1_STEP(b2, s22, b_step) LOAD_1_STEP(b3, s23, b_step)
#define EACH_K(LOAD_A, MAC)                                 \
    LOOP_LABEL(1)                                           \
    LOAD_A                                                  \
    LOAD_B                                                  \
    MAC(s24, s25, s26, s27, s20, s21, s22, s23)             \
    LINE("subs %[k], #1")                                   \
    LINE("bne 1b")

/* Defines strided_<rows>x4: a's rows are contiguous, b has any strides. */
#define LOAD_ROWS_2 LOAD(a0, "s24") LOAD(a1, "s25")
#define LOAD_ROWS_3 LOAD_ROWS_2 LOAD(a2, "s26")
#define LOAD_ROWS_4 LOAD_ROWS_3 LOAD(a3, "s27")
#define DEFINE_STRIDED(rows)                                                                                         \
    GEMM_TILE(strided_##rows##x4)                                                                                    \
    {                                                                                                                \
        uint32_t k = s->k, y_step = gm_bytes(y_row);                                                                 \
        const float *a1 = a + s->a_row, *a2 = a1 + (rows > 2 ? s->a_row : 0), *a3 = a2 + (rows > 3 ? s->a_row : 0);  \
        const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;                                    \
        (void)n;                                                                                                     \
        __asm__ volatile(LOAD_##rows##x4 EACH_K(LOAD_ROWS_##rows, MAC_##rows##x4) STORE_##rows##x4                   \
                         : [a0] "+r"(a), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b0] "+r"(b), [b1] "+r"(b1),   \
                           [b2] "+r"(b2), [b3] "+r"(b3), [k] "+r"(k), [y] "+r"(y)                                    \
                         : [y_step] "r"(y_step), [b_step] "r"(gm_bytes(s->b_row))                                    \
                         : CHANGED);                                                                                 \
    }

DEFINE_STRIDED(2)
DEFINE_STRIDED(3)
DEFINE_STRIDED(4)

/* Defines columns_<rows>x4: a's columns are contiguous, b has any strides. A:
 * registers of a's column. */
#define DEFINE_COLUMNS(rows, A)                                                                                      \
    GEMM_TILE(columns_##rows##x4)                                                                                    \
    {                                                                                                                \
        uint32_t k = s->k;                                                                                           \
        const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;                                    \
        (void)n;                                                                                                     \
        __asm__ volatile(LOAD_##rows##x4 EACH_K(LOAD_STEP(a, A, a_step), MAC_##rows##x4) STORE_##rows##x4            \
                         : [a] "+r"(a), [b0] "+r"(b), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [k] "+r"(k),      \
                           [y] "+r"(y)                                                                               \
                         : [y_step] "r"(gm_bytes(y_row)), [a_step] "r"(gm_bytes(s->a_col)),                          \
                           [b_step] "r"(gm_bytes(s->b_row))                                                          \
                         : CHANGED);                                                                                 \
    }

DEFINE_COLUMNS(2, "s24, s25")
DEFINE_COLUMNS(3, "s24-s26")
DEFINE_COLUMNS(4, "s24-s27")

/* The values that do not fit into registers: the addresses of the four rows of sums,
 * and the number of k. */
typedef struct tile_in_memory {
    float *row_0, *row_1, *row_2, *row_3;
    uint32_t k;
} tile_in_memory;

/*
 * Any strides: y[i][j] += a[i] * b[j] for all k.
 *
 *     s0-s15    sums, by rows       s20-s23   four b
 *     s24-s27   four a              at        a row of sums; then the remaining k
 */
GEMM_TILE(general_4x4)
{
    const tile_in_memory saved = { y, y + y_row, y + 2 * y_row, y + 3 * y_row, s->k };
    uint32_t at = 0;
    (void)n;
    const float *a1 = a + s->a_row, *a2 = a1 + s->a_row, *a3 = a2 + s->a_row;
    const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;
#define ROW_OF_SUMS(what, row, registers) LOAD_FIELD(at, saved, row) LINE(what " %[at], {" registers "}")
#define EACH_ROW(what)                                                                      \
    ROW_OF_SUMS(what, row_0, "s0-s3") ROW_OF_SUMS(what, row_1, "s4-s7")                      \
    ROW_OF_SUMS(what, row_2, "s8-s11") ROW_OF_SUMS(what, row_3, "s12-s15")
    __asm__ volatile(EACH_ROW("vldmia")
                     LOAD_FIELD(at, saved, k)
                     LOOP_LABEL(1)
                     LOAD_1_STEP(a0, s24, a_step) LOAD_1_STEP(a1, s25, a_step)
                     LOAD_1_STEP(a2, s26, a_step) LOAD_1_STEP(a3, s27, a_step)
                     LOAD_B
                     LAST_K(4)
                     LINE("subs %[at], #1")
                     LINE("bne 1b")
                     EACH_ROW("vstmia")
                     : [a0] "+r"(a), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b0] "+r"(b), [b1] "+r"(b1),
                       [b2] "+r"(b2), [b3] "+r"(b3), [at] "+r"(at)
                     : [saved] "r"(&saved), [a_step] "r"(gm_bytes(s->a_col)), [b_step] "r"(gm_bytes(s->b_row)),
                       OFFSET(tile_in_memory, row_0), OFFSET(tile_in_memory, row_1), OFFSET(tile_in_memory, row_2),
                       OFFSET(tile_in_memory, row_3), OFFSET(tile_in_memory, k),
                       CALLS_LAST_K(4)
                     : CHANGED, "lr");
}

#endif
