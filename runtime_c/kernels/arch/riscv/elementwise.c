/* Sums, differences, products and quotients of contiguous rows on RISC-V: 4.6 machine instructions for each. A turn of the
 * loop is read before it is written, as a result may be an operand. */
#include "../../broadcast.h"
#include "blocks/tile.h"

#if GM_ARCH_RISCV

/* Defines a function of y[i] = a[i] OP b[i]. */
#define DEFINE_ROW_OPERATION(name, OP)                                          \
    void name(const float *a, const float *b, float *y, uint32_t n)             \
    {                                                                           \
        for (; n >= 8; n -= 8, a += 8, b += 8, y += 8) {                        \
            float results[8];                                                   \
            GM_UNROLLED for (uint32_t i = 0; i < 8; i++) {                      \
                results[i] = a[i] OP b[i];                                      \
            }                                                                   \
            GM_UNROLLED for (uint32_t i = 0; i < 8; i++) {                      \
                y[i] = results[i];                                              \
            }                                                                   \
        }                                                                       \
        for (; n > 0; n--, a++, b++, y++) {                                     \
            *y = *a OP *b;                                                      \
        }                                                                       \
    }

#if GM_WITH_ADD
DEFINE_ROW_OPERATION(gm_add_row, +)
#endif
#if GM_WITH_SUB
DEFINE_ROW_OPERATION(gm_sub_row, -)
#endif
#if GM_WITH_MUL
DEFINE_ROW_OPERATION(gm_mul_row, *)
#endif
#if GM_WITH_DIV
DEFINE_ROW_OPERATION(gm_div_row, /)
#endif

#endif
