/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ADD_S16_H
#define GM_INSTRUCTIONS_ADD_S16_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y 2^exponent = scale (2^a_exponent a + 2^b_exponent b) if low < q < high and the bit of mask is 1, else 0, rounded; the exponent is the least under which the largest keeps the limit. a, b and scale are broadcast by strides of 0 */
typedef struct gm_insn_add_s16 {
    uint32_t head;
    uint32_t a;
    uint32_t a_exponent;
    uint32_t b;
    uint32_t b_exponent;
    uint32_t q;
    uint32_t mask;
    uint32_t scale;
    uint32_t y;
    uint32_t exponent;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
    uint32_t s0;
    uint32_t s1;
    uint32_t s2;
    uint32_t s3;
    int32_t low;
    int32_t high;
    int32_t limit;
} gm_insn_add_s16;
typedef char gm_assert_insn_add_s16[sizeof(gm_insn_add_s16) == 116 ? 1 : -1];

int gm_kernel_add_s16(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_ADD_S16
#define GM_WITH_ADD_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
