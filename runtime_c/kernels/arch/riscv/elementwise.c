/* Sums, differences, products and quotients of contiguous rows on RISC-V: 4.6 machine instructions
 * for each. An iteration reads before it writes, since a result may be an operand. */
#include "../../../generated/instructions/add.h"
#include "../../../generated/instructions/div.h"
#include "../../../generated/instructions/mul.h"
#include "../../../generated/instructions/sub.h"
#include "../../broadcast.h"
#include "blocks/tile.h"

#if GM_ARCH_RISCV && !GM_ARCH_ZVE32F

/* y[i] = a[i] OP b[i] for i in 0..n; n is a constant */
#define EACH_OF(n, OP)                                         \
    float results[n];                                          \
    _Pragma("GCC unroll 8") for (uint32_t i = 0; i < (n); i++) \
    {                                                          \
        results[i] = a[i] OP b[i];                             \
    }                                                          \
    _Pragma("GCC unroll 8") for (uint32_t i = 0; i < (n); i++) \
    {                                                          \
        y[i] = results[i];                                     \
    }

#define DEFINE_OPERATION_ON_ROWS(name, OP)                          \
    void name(const float *a, const float *b, float *y, uint32_t n) \
    {                                                               \
        for (; n >= 8; n -= 8, a += 8, b += 8, y += 8) {            \
            EACH_OF(8, OP)                                          \
        }                                                           \
        for (; n > 0; n--, a++, b++, y++) {                         \
            EACH_OF(1, OP)                                          \
        }                                                           \
    }

#if GM_WITH_ADD
DEFINE_OPERATION_ON_ROWS(gm_add_row, +)
#endif
#if GM_WITH_SUB
DEFINE_OPERATION_ON_ROWS(gm_sub_row, -)
#endif
#if GM_WITH_MUL
DEFINE_OPERATION_ON_ROWS(gm_mul_row, *)
#endif
#if GM_WITH_DIV
DEFINE_OPERATION_ON_ROWS(gm_div_row, /)
#endif

#endif
