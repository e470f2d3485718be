/* Handwritten digits in flash, for a model of 8 rows of 64 pixels. */
#ifndef DIGITS_H
#define DIGITS_H

#include "gradmote.h"

#define DIGITS_LEARNED 160
#define DIGITS_TESTED 80
#define DIGITS_BATCH 8

/* Writes 8 digits into the input, and what they are into the label. first: 0 to LEARNED + TESTED - 8; those to test come
 * last. Returns the codes of gm_write(). */
int digits_write(gm_session *session, uint32_t first);

/* Counts how many of the digits to test the model reads right. Returns the codes of gm_infer() and gm_classify(). */
int digits_test(gm_session *session, int *right);

#endif
