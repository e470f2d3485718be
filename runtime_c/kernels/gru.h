/* The arrays of one row of a GRU with n hidden values, and the parts in which its
 * gradients are computed. */
#ifndef GM_GRU_H
#define GM_GRU_H

#include "../src/gm_internal.h"

typedef struct gm_gru_row {
    const float *dy, *gates, *before, *part; /* dy: perhaps NULL; the state before the step */
    float *dh, *dpart, *dz;                  /* dz may be gates */
    uint32_t n;
} gm_gru_row;

/* GM_GRU_UPDATE comes first, then one of the others. */
typedef enum gm_gru_part {
    GM_GRU_UPDATE,       /* dz of update and candidate; dh of what bypasses the gates */
    GM_GRU_RESET_BEFORE, /* dr, and dh += dpart r, for part = r h */
    GM_GRU_RESET_AFTER   /* dr and dpart, for part = bias + w h */
} gm_gru_part;

#endif
