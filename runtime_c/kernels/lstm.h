/* The inputs of the gradients of one LSTM row. */
#ifndef GM_LSTM_H
#define GM_LSTM_H

#include "../src/gm_internal.h"

typedef struct gm_lstm_row {
    const float *dy, *p, *gates, *before, *after; /* dy, p: perhaps NULL; cells before and after the step */
} gm_lstm_row;

#endif
