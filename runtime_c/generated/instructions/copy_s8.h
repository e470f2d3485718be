/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_COPY_S8_H
#define GM_INSTRUCTIONS_COPY_S8_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[i0..i5] = x[i0..i5], each side with its own strides; with a table, table[x + 128] */
typedef struct gm_insn_copy_s8 {
    uint32_t head;
    uint32_t x;
    uint32_t table;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t d4;
    uint32_t d5;
    uint32_t s0;
    uint32_t s1;
    uint32_t s2;
    uint32_t s3;
    uint32_t s4;
    uint32_t s5;
    uint32_t t0;
    uint32_t t1;
    uint32_t t2;
    uint32_t t3;
    uint32_t t4;
    uint32_t t5;
} gm_insn_copy_s8;
typedef char gm_assert_insn_copy_s8[sizeof(gm_insn_copy_s8) == 88 ? 1 : -1];

int gm_kernel_copy_s8(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_COPY_S8
#define GM_WITH_COPY_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
